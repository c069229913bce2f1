package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"graph500/graph500/output"
)

// interruptible returns a context that the first of endSignals ends, with an
// interrupted as its cause. A second signal ends the process at once. If the reader of
// stdout is gone, writing returns an error; there is no signal.
func interruptible(parent context.Context) context.Context {
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endSignals()...)
	go func() {
		s := <-signals
		signal.Reset(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGXCPU)
		cancel(output.Interrupted{Signal: s.(syscall.Signal)})
		// SIGQUIT stays caught: the Go runtime would print all stacks.
		os.Exit(output.ExitStatus(output.Interrupted{Signal: (<-signals).(syscall.Signal)}))
	}()
	return ctx
}

// endSignals lists the signals that end a run: those of terminals and batch systems,
// without those that the process ignored when it started, as under nohup or in the
// background of a script. The Go runtime reports this for SIGINT and SIGHUP only;
// shells ignore SIGQUIT together with SIGINT.
func endSignals() []os.Signal {
	ends := []os.Signal{syscall.SIGTERM, syscall.SIGXCPU}
	if signal.Ignored(syscall.SIGINT) {
		signal.Ignore(syscall.SIGQUIT)
	} else {
		ends = append(ends, syscall.SIGINT, syscall.SIGQUIT)
	}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	return ends
}
