package atomicfile

import (
	"errors"
	"fmt"

	"graph500/memory"
)

// CheckSpace returns an error if the file system of dir is known to have fewer
// free bytes than needed.
func CheckSpace(dir string, needed uint64) error {
	free, err := freeSpace(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot ask for the free space of %s: %w", dir, err)
	}
	if needed > free {
		return fmt.Errorf("needs %s of disk space, %s has %s available", memory.Size(needed), dir, memory.Size(free))
	}
	return nil
}
