package main

import (
	"fmt"
	"io/fs"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"graph500/memory"
)

// abortOnFault makes a crash of the program or of the Go runtime end the process with
// SIGABRT instead of status 2, which means a wrong command line. It disables core
// files, which would contain the graph.
func abortOnFault() {
	debug.SetTraceback("crash")
	var core unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &core) == nil {
		core.Cur = min(core.Max, 1) // 1 is too small for a core and also stops piping to a program, which 0 does not
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &core)
	}
}

// minFiles is an upper bound on the number of files that a run opens at the same time.
// The driver of a GPU needs more and reports an error if it cannot open them.
const minFiles = 32

// checkOpenFiles returns an error if the process may not open enough files. Without
// this check the Go runtime would crash.
func checkOpenFiles() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= minFiles {
		return nil
	}
	return fmt.Errorf("this process may open %d files (ulimit -n): the program needs %d", limit.Cur, minFiles)
}

// checkLimits returns an error if the limits on this process allow too little memory or
// too few threads for a run. root is the root file system of the machine.
func checkLimits(root fs.FS) error {
	if err := checkMemoryLimits(); err != nil {
		return err
	}
	return checkThreads(root)
}

// checkMemoryLimits returns an error if the limits on this process allow no further
// memory.
func checkMemoryLimits() error {
	if limit, err := memory.Available(); err == nil && limit.Bytes == 0 {
		return fmt.Errorf("there is no memory left for the program and its threads: raise the %s", limit.Source)
	}
	return nil
}
