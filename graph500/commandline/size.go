package commandline

import (
	"fmt"
	"strings"

	"github.com/docker/go-units"
)

// size is a flag value in bytes, written with a unit, such as 16GiB.
type size uint64

// UnmarshalFlag parses the value of a flag.
func (s *size) UnmarshalFlag(value string) error {
	bytes, err := units.RAMInBytes(value)
	if err != nil || bytes < 0 || strings.Contains(value, "_") {
		return fmt.Errorf("%q is no size such as 16GiB or 900MiB", value)
	}
	*s = size(bytes)
	return nil
}

func (s size) String() string { return units.BytesSize(float64(s)) }
