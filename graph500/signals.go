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

// interruptible returns a context that ends with the first SIGINT, SIGTERM or
// SIGHUP (a closed terminal), with an interrupted as its cause. The second
// signal kills the process at once. A closed stdout becomes an error of the
// write instead of a signal.
func interruptible(parent context.Context) context.Context {
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	ends := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		ends = append(ends, syscall.SIGHUP)
	}
	signal.Notify(signals, ends...)
	go func() {
		s := <-signals
		signal.Reset(ends...)
		cancel(interrupted{s.(syscall.Signal)})
	}()
	return ctx
}

// grace is how long work may take to clean up after a signal. It is there for
// what cannot be interrupted, such as a pipe that nobody fills or empties, or
// giving back very much memory.
const grace = 900 * time.Millisecond

// withGrace does the work and returns its error, or the cause of the context's
// end if the work goes on for longer than grace after it.
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

// exitStatus returns the status that the process ends with: 0, 1 for a
// failure, 2 for a wrong command line, 128 + number for a signal.
func exitStatus(err error) int {
	var wrong usageError
	var stopped interrupted
	switch {
	case err == nil:
		return 0
	case errors.As(err, &stopped):
		return 128 + int(stopped.signal)
	case errors.As(err, &wrong):
		return 2
	}
	return 1
}
