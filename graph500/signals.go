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

// interruptible returns a context that ends with the first of endSignals, with
// an interrupted as its cause. The second signal ends the process at once. A
// reader of stdout that is gone becomes an error of the write instead of a
// signal.
func interruptible(parent context.Context) context.Context {
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endSignals()...)
	go func() {
		s := <-signals
		signal.Reset(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGXCPU)
		cancel(interrupted{s.(syscall.Signal)})
		// SIGQUIT, for which the Go runtime would print all stacks.
		os.Exit(exitStatus(interrupted{(<-signals).(syscall.Signal)}))
	}()
	return ctx
}

// endSignals lists the signals that end a run: those of the terminal and of
// batch systems that the process was not started to ignore, as nohup and the
// background jobs of scripts are. The Go runtime tells of SIGINT and SIGHUP only
// whether they were ignored; shells ignore SIGQUIT together with SIGINT.
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
