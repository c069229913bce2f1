package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"graph500/cluster"
	"graph500/graph500/commandline"
	"graph500/report"
	"graph500/rules"
)

// timedOut is the cause of a context that -timeout ended.
type timedOut struct {
	after time.Duration
	phase string // in which the run was
}

func (t timedOut) Error() string {
	return fmt.Sprintf("stopped after %v (-timeout), in phase %q, no result", t.after, t.phase)
}

// ExitStatus is that of timeout(1).
func (t timedOut) ExitStatus() int { return 124 }

// WithTimeout runs work with a context that ends after the time of -timeout. Work that goes on
// for longer than grace after that, such as a search that hangs, does not keep it.
func WithTimeout(ctx context.Context, o *commandline.Options, w *cluster.World, work func(context.Context) error) error {
	if o.Timeout == 0 {
		return work(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	after := time.Duration(o.Timeout)
	defer time.AfterFunc(after, func() { cancel(timedOut{after, w.Phase()}) }).Stop()
	return WithGrace(ctx, func() error { return work(ctx) })
}

// partial returns the text and the error of a run whose searches ended with err. If -timeout
// has stopped a single process, the searches that were validated before are written in JSON:
// to the directory of -out, and with -format=json to standard output. The record says that it
// is not that of a whole run.
func (b *Bench) partial(ctx context.Context, err error) (string, error) {
	var stopped timedOut
	b.Record.Kernels = slices.DeleteFunc(b.Record.Kernels, func(k report.KernelRun) bool { return len(k.Searches) == 0 })
	if !errors.As(context.Cause(ctx), &stopped) || b.World.Size() > 1 || len(b.Record.Kernels) == 0 {
		return "", err
	}
	ctx = context.WithoutCancel(ctx)
	b.stopped = &stopped
	if finishErr := b.finishRecord(ctx); finishErr != nil {
		return "", errors.Join(err, finishErr)
	}
	write := func(w io.Writer) error { return report.JSON(w, &b.Record) }
	if b.Out != "" {
		if writeErr := report.WriteFiles(ctx, b.Out, []report.File{{Name: report.JSONFile, Write: write}}); writeErr != nil {
			return "", errors.Join(err, writeErr)
		}
	}
	var text strings.Builder
	if b.Format == "json" {
		if writeErr := write(&text); writeErr != nil {
			return "", errors.Join(err, writeErr)
		}
	}
	return text.String(), err
}

// violation is the rule of the list that a stopped run breaks.
func (t timedOut) violation() rules.Violation {
	return rules.Violation{Rule: rules.Other, Reason: fmt.Sprintf("the run was stopped after %v (-timeout)", t.after)}
}
