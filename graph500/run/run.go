// Package run is a run of the benchmark: the order of its phases, and the clock. run.go is the run
// from top to bottom; the other files are what it does at each step. It knows the flags, which
// package commandline has parsed, and calls an engine; it knows no algorithm, no other command and no
// signal: a run ends with its context.
package run

import (
	"context"
	"fmt"
	"os"
	"time"

	"graph500/energy"
	"graph500/engine"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/report"
)

// A chooser returns the work of a run. Before, it can change the run.
type chooser func(*Bench) (work func(context.Context) (string, error), err error)

// Benchmark chooses the work of the benchmark's flags.
func Benchmark(b *Bench) (func(context.Context) (string, error), error) {
	b.reference = newReference(b.World, b.Options)
	if b.CheckParents != "" {
		return b.checkParents, nil
	}
	return b.benchmark, nil
}

// On starts the engine and runs the chosen work. It writes the text of the work to
// stdout.
func On(ctx context.Context, p *Process, o *commandline.Options, choose chooser) error {
	if err := checkStart(o, p.Stdout); err != nil {
		return err
	}
	if err := p.World.OnFirst(ctx, func() error { return commandline.CheckTargets(o) }); err != nil {
		return err
	}
	text, err := execute(ctx, p, o, choose)
	if text != "" {
		if outErr := output.WriteOut(p.Stdout, text); err == nil {
			err = outErr
		}
	}
	return err
}

// checkStart returns an error if the process cannot run the program, or if its output would
// be lost.
func checkStart(o *commandline.Options, stdout *os.File) error {
	if o.Out == "" {
		if err := output.CheckStdout(stdout); err != nil {
			return err
		}
	}
	if err := checkLimits(os.DirFS("/")); err != nil {
		return err
	}
	return commandline.CheckInputs(o)
}

// execute starts the engine, runs the chosen work and returns its text. It can return both
// text and an error.
func execute(ctx context.Context, p *Process, o *commandline.Options, choose chooser) (text string, err error) {
	p.limiter.forget() // an earlier run of the process
	console := consoleOf(p, o)
	eng, err := newEngine(ctx, p.World, o, console)
	if err != nil {
		return "", err
	}
	b := newBench(p, o, eng, console)
	b.machine = os.DirFS("/")
	work, err := choose(b)
	if err == nil {
		if text, err = b.run(ctx, work); err == nil {
			p.limiter.forget()
		}
	}
	for _, closeEngine := range []func() error{eng.Close, b.reference.close} {
		if closeErr := closeEngine(); err == nil {
			err = closeErr
		}
	}
	return text, err
}

// run is the sequence of every run, whatever the engine: it constructs the graph in the engine, calls
// work, which is the benchmark below or that of another command, and returns the text for stdout. It
// can return both text and an error.
func (b *Bench) run(ctx context.Context, work func(context.Context) (string, error)) (text string, err error) {
	defer takeBallast()()
	if err := b.recordRanks(ctx); err != nil {
		return "", err
	}
	if err := b.startLoadMonitor(ctx); err != nil {
		return "", err
	}
	b.tellOfExchange()
	file, err := b.findSizes(ctx) // reads the file of -graph
	if err != nil {
		return "", err
	}
	b.planJobs()
	if b.Memory {
		return b.planText(), b.checkMemory()
	}
	if err := b.checkMemory(); err != nil {
		return "", err
	}
	if err := b.World.OnFirst(ctx, func() error { return b.CheckParentsDirs(b.Vertices, b.searchCount()) }); err != nil {
		return "", err
	}
	defer func() { b.removeEdges() }()
	defer func() { b.meter.Close() }()
	defer func() {
		if closeErr := b.closeSearchers(); err == nil {
			err = closeErr
		}
	}()
	for _, phase := range []func(context.Context) error{
		b.openBoards,       // of the GPUs
		b.startMeter,       // of -energy
		b.prepare,          // of the engine, once
		b.measureBandwidth, // of the GPU's memory
		func(ctx context.Context) error { return b.provideTuples(ctx, file) }, // generated or read: graph_generation
		b.construct,      // kernel 1: construction_time
		b.startReference, // of -check-engine
	} {
		if err := phase(ctx); err != nil {
			return "", err
		}
	}
	return work(ctx)
}

// benchmark samples the keys, searches from each of them with every kernel, and writes the results.
func (b *Bench) benchmark(ctx context.Context) (string, error) {
	roots, err := b.roots(ctx)
	if err != nil {
		return "", err
	}
	if err := b.searchAll(ctx, roots); err != nil {
		return "", err
	}
	b.warnOfCounters()
	if err := b.finishRecord(ctx); err != nil {
		return "", err
	}
	return b.output(ctx)
}

// searchAll runs each kernel from every root and records it.
func (b *Bench) searchAll(ctx context.Context, roots []engine.Vertex) error {
	defer pauseGC()()
	for i, s := range b.searchers {
		if err := b.searchKernel(ctx, &b.Record.Kernels[i], s, roots); err != nil {
			if len(b.searchers) > 1 && context.Cause(ctx) == nil {
				err = fmt.Errorf("%s: %w", s.kernel, err)
			}
			return err
		}
	}
	return b.warnOfOtherLoad(ctx)
}

// searchKernel runs a kernel from every root, after a search that does not count, and
// records it.
func (b *Bench) searchKernel(ctx context.Context, run *report.KernelRun, s kernelSearcher, roots []engine.Vertex) (err error) {
	warmUp := time.Now()
	if err := b.Phase(ctx, b.phaseOf(s.kernel, "warm-up"), 0, func() error { return b.warmUp(ctx, s, roots[0]) }); err != nil {
		return err
	}
	b.Begin(b.phaseOf(s.kernel, "searches"))
	if s.kernel == b.searchers[0].kernel {
		b.monitor.beginSearches()
	}
	b.writingTime, b.searching, b.validating = 0, energy.Span{}, energy.Span{}
	b.metered = b.meter.CanMeasure(time.Since(warmUp) * time.Duration(max(1, s.Capacity())))
	if run.Searches, err = b.searchRoots(ctx, s, roots); err != nil {
		return err
	}
	b.recordSearches(run, s)
	b.tellOfComponents(run)
	if err := b.countHost(ctx, run, s); err != nil {
		return err
	}
	if b.RepeatFor > 0 {
		return b.repeat(ctx, run, s)
	}
	var edges int64
	for _, s := range run.Searches {
		edges += s.Edges
	}
	b.recordEnergy(run, b.searching, int64(len(run.Searches)), edges)
	return nil
}

// searchRoots searches from every root and validates the searches in batches of the
// size that the searcher allows. With an error it returns the searches that were
// validated before.
func (b *Bench) searchRoots(ctx context.Context, s kernelSearcher, roots []engine.Vertex) (done []report.Search, err error) {
	defer b.Console.Track("searches", int64(len(roots)), "searches")()
	batchSize := max(1, s.Capacity())
	for len(done) < len(roots) {
		batch := roots[len(done):min(len(done)+batchSize, len(roots))]
		searches := make([]report.Search, len(batch))
		var keepTime time.Duration
		if err := b.measure(&b.searching, func() error {
			for i, root := range batch {
				if searches[i], err = b.timedSearch(ctx, s, root); err != nil {
					return fmt.Errorf("search %d: %w", len(done)+i, err)
				}
				start := time.Now()
				if err := s.Keep(); err != nil {
					return fmt.Errorf("search %d: %w", len(done)+i, err)
				}
				keepTime += time.Since(start)
				b.Console.Advance(int64(len(done) + i + 1))
				if s.Capacity() == i+1 { // all that the searcher has room for
					searches = searches[:i+1]
					break
				}
			}
			return nil
		}); err != nil {
			return done, err
		}
		b.sampleBoards()
		if err := b.finishBatch(ctx, s, len(done), searches, keepTime); err != nil {
			return done, err
		}
		done = append(done, searches...)
		b.limiter.keep(b, s.kernel, done)
	}
	return done, nil
}

// timedSearch runs one search. The clock starts when the root is passed to the
// engine and stops when the results are complete.
func (b *Bench) timedSearch(ctx context.Context, s kernelSearcher, root engine.Vertex) (report.Search, error) {
	r := report.Search{Root: root}
	collectGarbage()
	if err := s.Clear(); err != nil {
		return r, err
	}
	defer b.limiter.watch(s.kernel, root)()
	var err error
	if r.Seconds, err = b.Timed(ctx, func() error { return s.Search(ctx, root) }); err != nil {
		return r, err
	}
	profile, err := s.Profile()
	if err != nil {
		return r, err
	}
	r.Profile = report.ProfileOf(profile)
	return r, nil
}

// Timed is the clock: it runs work and returns its time in seconds. With several ranks, they begin
// together, and the time is that of the slowest.
func (b *Bench) Timed(ctx context.Context, work func() error) (seconds float64, err error) {
	if b.World.Size() > 1 {
		if err := b.World.Barrier(ctx); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	err = work()
	seconds = time.Since(start).Seconds()
	if b.World.Size() > 1 && err == nil {
		seconds, err = b.World.MaxSeconds(ctx, seconds)
	}
	return seconds, err
}
