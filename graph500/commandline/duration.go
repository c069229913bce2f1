package commandline

import (
	"fmt"
	"strings"
	"time"
)

// duration is a flag value such as 30s or 5m.
type duration time.Duration

// UnmarshalFlag parses the value of a flag.
func (d *duration) UnmarshalFlag(value string) error {
	parsed, err := time.ParseDuration(value)
	if err != nil {
		return fmt.Errorf("%q is no duration such as 30s or 5m", value)
	}
	*d = duration(parsed)
	return nil
}

func (d duration) String() string {
	text := time.Duration(d).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "0s"), "0m")
	}
	return text
}
