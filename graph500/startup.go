package main

import (
	"fmt"
	"io/fs"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"graph500/memory"
)

// abortOnFault makes a fault in the program or in the Go runtime end the process
// by SIGABRT, as status 2 is that of a wrong command line. There is no core
// file, which would hold the graph.
func abortOnFault() {
	debug.SetTraceback("crash")
	var core unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &core) == nil {
		core.Cur = min(core.Max, 1) // as good as none, also where a program takes the core over
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &core)
	}
}

// minFiles is the number of files that a run may have open at once, with some
// to spare. The driver of a GPU takes more, and says so if it gets none.
const minFiles = 32

// checkOpenFiles returns an error if the process may not open enough files. The
// Go runtime, which needs some of its own, would end the process.
func checkOpenFiles() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= minFiles {
		return nil
	}
	return fmt.Errorf("this process may open %d files (ulimit -n): the program needs %d", limit.Cur, minFiles)
}

// checkLimits returns an error if the limits on this process leave too little
// memory or too few threads for a run. root is the file system of the machine.
func checkLimits(root fs.FS) error {
	if err := checkMemoryLimits(); err != nil {
		return err
	}
	return checkThreads(root)
}

// checkMemoryLimits returns an error if the limits on this process leave no
// memory at all.
func checkMemoryLimits() error {
	if limit, err := memory.Available(); err == nil && limit.Bytes == 0 {
		return fmt.Errorf("there is no memory left for the program and its threads: raise the %s", limit.Source)
	}
	return nil
}
