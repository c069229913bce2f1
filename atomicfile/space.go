package atomicfile

import (
	"errors"
	"fmt"

	"graph500/memory"
)

// CheckSpace returns an error if the file system of dir has fewer free bytes than
// needed. It returns nil if the free space is unknown.
func CheckSpace(dir string, needed uint64) error {
	free, err := freeSpace(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot determine the free space of %s: %w", dir, err)
	}
	if needed > free {
		return fmt.Errorf("needs %s of disk space, %s has %s available", memory.Size(needed), dir, memory.Size(free))
	}
	return nil
}
