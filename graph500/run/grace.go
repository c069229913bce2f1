package run

import (
	"context"
	"time"
)

// grace is the time that work has to end after a signal. Some operations cannot be
// interrupted, such as reading or writing a blocked pipe, or freeing much memory.
const grace = 900 * time.Millisecond

// WithGrace runs work and returns its error, or the cause of the context's end if work
// continues for longer than grace after that end.
func WithGrace(ctx context.Context, work func() error) error {
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
