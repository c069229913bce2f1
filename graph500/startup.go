package main

import (
	"fmt"
	"runtime/debug"

	"golang.org/x/sys/unix"
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
