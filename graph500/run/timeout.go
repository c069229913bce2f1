package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/report"
	"graph500/rules"
)

// timedOut is the cause of a context that -timeout or -search-timeout ended.
type timedOut struct {
	phase string // in which the run was
	what  string // took too long
}

func (t timedOut) Error() string {
	return fmt.Sprintf("stopped in phase %q, no result: %s", t.phase, t.what)
}

// ExitStatus is that of timeout(1).
func (t timedOut) ExitStatus() int { return 124 }

// violation is the rule of the list that a stopped run breaks.
func (t timedOut) violation() rules.Violation {
	return rules.Violation{Rule: rules.Other, Reason: "the run was stopped: " + t.what}
}

// rankDelay is how much later than rank 0 the other ranks end: rank 0 writes what was done, and a
// rank that ends ends all.
const rankDelay = 500 * time.Millisecond

// limiter ends a run that takes too long, and keeps what was done until then. A nil limiter does
// nothing.
type limiter struct {
	world  *cluster.World
	cancel context.CancelCauseFunc
	search time.Duration // of -search-timeout, 0 for any

	mutex sync.Mutex
	bench *Bench      // whose searches are kept
	kept  *report.Run // record with the searches validated so far; nil before the first
}

// WithTimeout runs work with a context that ends after the time of -timeout, and when a search takes
// longer than that of -search-timeout. Work that goes on for longer than grace after that, such as a
// search that hangs, does not keep it. Rank 0 then writes the searches that were validated before.
func WithTimeout(ctx context.Context, p *Process, o *commandline.Options, work func(context.Context) error) error {
	if o.Timeout == 0 && o.SearchTimeout == 0 {
		return work(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l := &limiter{world: p.World, cancel: cancel, search: time.Duration(o.SearchTimeout)}
	p.limiter = l
	if o.Timeout > 0 {
		defer l.after(time.Duration(o.Timeout), fmt.Sprintf("it took longer than %v (-timeout)", time.Duration(o.Timeout)))()
	}
	err := WithGrace(ctx, func() error { return work(ctx) })
	var stopped timedOut
	if err != nil && errors.As(context.Cause(ctx), &stopped) {
		err = errors.Join(stopped, l.write(context.WithoutCancel(ctx), p, stopped))
	}
	return err
}

// after ends the run after a time unless the returned function is called before. That function
// looks at the clock, too: with all processors busy the timer can be milliseconds late.
func (l *limiter) after(limit time.Duration, what string) (stop func()) {
	if l.world.Rank() > 0 {
		limit += rankDelay
	}
	start := time.Now()
	end := func() { l.cancel(timedOut{l.world.Phase(), what}) }
	timer := time.AfterFunc(limit, end)
	return func() {
		if timer.Stop() && time.Since(start) > limit {
			end()
		}
	}
}

// watch ends the run if a search from root takes longer than -search-timeout allows, until the
// returned function is called.
func (l *limiter) watch(k engine.Kernel, root engine.Vertex) (stop func()) {
	if l == nil || l.search == 0 {
		return func() {}
	}
	return l.after(l.search, fmt.Sprintf("the search of %s from root %d took longer than %v (-search-timeout)", k.Title(), root, l.search))
}

// forget forgets what was done, because another run begins or the result is complete.
func (l *limiter) forget() {
	if l == nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.bench, l.kept = nil, nil
}

// keep keeps the record of a run with the searches of a kernel that were validated so far.
func (l *limiter) keep(b *Bench, k engine.Kernel, done []report.Search) {
	if l == nil || b.IsComparison || l.world.Rank() > 0 {
		return
	}
	record := b.Record
	record.Processes = slices.Clone(record.Processes)
	record.Kernels = slices.Clone(record.Kernels)
	for i := range record.Kernels {
		if record.Kernels[i].Kernel == k {
			record.Kernels[i].Searches = slices.Clip(done)
		}
	}
	record.Kernels = slices.DeleteFunc(record.Kernels, func(k report.KernelRun) bool { return len(k.Searches) == 0 })
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.bench, l.kept = b, &record
}

// write writes the searches that were validated before the run was stopped, in JSON: to the directory
// of -out, and with -format=json to standard output. The record says that it is not that of a whole
// run.
func (l *limiter) write(ctx context.Context, p *Process, stopped timedOut) error {
	l.mutex.Lock()
	b, record := l.bench, l.kept
	l.mutex.Unlock()
	if record == nil {
		return nil
	}
	if len(record.Processes) == 1 { // of the others it is not known
		record.PeakMemory = report.PeakBytes()
		record.Processes[0].Peak = record.PeakMemory
	}
	record.NotConforming = b.violations(record, stopped.violation())
	write := func(w io.Writer) error { return report.JSON(w, record) }
	if b.Out != "" {
		if err := report.WriteFiles(ctx, b.Out, []report.File{{Name: report.JSONFile, Write: write}}); err != nil {
			return err
		}
	}
	if b.Format != "json" {
		return nil
	}
	var text strings.Builder
	if err := write(&text); err != nil {
		return err
	}
	return output.WriteText(p.Stdout, text.String())
}
