package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// interrupted is the cause of a context that a signal ended.
type interrupted struct {
	signal syscall.Signal
}

func (i interrupted) Error() string {
	return "stopped by " + unix.SignalName(i.signal) + ", no result"
}

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
		cancel(interrupted{s.(syscall.Signal)})
		// SIGQUIT stays caught: the Go runtime would print all stacks.
		os.Exit(exitStatus(interrupted{(<-signals).(syscall.Signal)}))
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

// grace is the time that work has to end after a signal. Some operations cannot be
// interrupted, such as reading or writing a blocked pipe, or freeing much memory.
const grace = 900 * time.Millisecond

// withGrace runs work and returns its error, or the cause of the context's end if work
// continues for longer than grace after that end.
func withGrace(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		return context.Cause(ctx)
	}
}

// exitStatus returns the exit status of the process: 0 for success, 1 for a failure, 2
// for a wrong command line, 3 and 4 for the verdicts of a comparison, 124 for the
// end of -timeout, 128 + number for a
// signal.
func exitStatus(err error) int {
	var wrong usageError
	var stopped interrupted
	var own statusError
	var late timedOut
	switch {
	case err == nil:
		return 0
	case errors.As(err, &stopped):
		return 128 + int(stopped.signal)
	case errors.As(err, &wrong):
		return 2
	case errors.As(err, &late):
		return timeoutStatus
	case errors.As(err, &own):
		return own.status
	}
	return 1
}
