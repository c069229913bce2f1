package run

import (
	"fmt"
	"io/fs"

	"graph500/memory"
	"graph500/processors"
)

// checkLimits returns an error if the limits on this process allow too little memory or
// too few threads for a run. root is the root file system of the machine.
func checkLimits(root fs.FS) error {
	if err := checkMemoryLimits(); err != nil {
		return err
	}
	return processors.CheckThreads(root)
}

// checkMemoryLimits returns an error if the limits on this process allow no further
// memory.
func checkMemoryLimits() error {
	if limit, err := memory.Available(); err == nil && limit.Bytes == 0 {
		return fmt.Errorf("there is no memory left for the program and its threads: raise the %s", limit.Source)
	}
	return nil
}
