package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"graph500/energy"
	"graph500/engine"
	"graph500/kronecker"
	"graph500/report"
	"graph500/validate"
)

// roots returns the roots of the searches: those of -root, or the search keys.
func (b *bench) roots(ctx context.Context) ([]engine.Vertex, error) {
	connected := b.record.Graph.Connected
	if connected == 0 {
		return nil, errors.New("no vertex has an edge to another one, there is nothing to search from")
	}
	if b.component.size > 0 {
		connected = int64(b.component.size)
	}
	if len(b.Root) > 0 {
		return b.givenRoots(ctx)
	}
	var roots []engine.Vertex
	err := b.phase(ctx, "key sampling", 0, func() (err error) {
		roots, err = kronecker.Sample(ctx, b.spec, b.Roots, connected, b.usable)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(roots) < b.Roots {
		b.warn(fmt.Sprintf("only %d vertices have an edge to another one: %d searches instead of %d", connected, len(roots), b.Roots))
	}
	return roots, nil
}

// givenRoots checks and returns the roots of -root.
func (b *bench) givenRoots(ctx context.Context) ([]engine.Vertex, error) {
	roots := make([]engine.Vertex, len(b.Root))
	for i, root := range b.Root {
		if err := b.checkRoot(root); err != nil {
			return nil, err
		}
		roots[i] = engine.Vertex(root)
	}
	usable, err := b.engine.Usable(ctx, roots)
	if err != nil {
		return nil, err
	}
	for i, root := range roots {
		if !usable[i] {
			return nil, fmt.Errorf("flag -root: vertex %d has no edge to another vertex, there is nothing to search from it", root)
		}
	}
	return roots, nil
}

// usable reports for each vertex whether it exists and has an edge to another one.
// The search keys of a graph from a file are drawn from all numbers below the next
// power of two, so some do not exist.
func (b *bench) usable(ctx context.Context, vertices []engine.Vertex) ([]bool, error) {
	var inside []engine.Vertex
	for _, v := range vertices {
		if uint64(v) < b.vertices {
			inside = append(inside, v)
		}
	}
	answers, err := b.engine.Usable(ctx, inside)
	if err != nil {
		return nil, err
	}
	usable := make([]bool, len(vertices))
	for i, v := range vertices {
		if uint64(v) < b.vertices {
			usable[i], answers = answers[0], answers[1:]
		}
	}
	return b.inComponent(ctx, vertices, usable)
}

// checkRoot returns an error if the graph does not contain the vertex.
func (b *bench) checkRoot(root int64) error {
	if uint64(root) >= b.vertices {
		return fmt.Errorf("flag -root: the graph has no vertex %d, they are 0..%d", root, int64(b.vertices)-1)
	}
	return nil
}

// searchAll runs each kernel from every root and records it.
func (b *bench) searchAll(ctx context.Context, roots []engine.Vertex) error {
	defer pauseGC()()
	for i, s := range b.searchers {
		if err := b.searchKernel(ctx, &b.record.Kernels[i], s, roots); err != nil {
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
func (b *bench) searchKernel(ctx context.Context, run *report.KernelRun, s kernelSearcher, roots []engine.Vertex) (err error) {
	warmUp := time.Now()
	if err := b.phase(ctx, b.phaseOf(s.kernel, "warm-up"), 0, func() error { return b.warmUp(ctx, s, roots[0]) }); err != nil {
		return err
	}
	b.begin(b.phaseOf(s.kernel, "searches"))
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

// countHost counts, with -verbose, what the median search reads of neighbours in host
// memory, where the search itself does not know: in another search, which is slow. There is none
// on several GPUs.
func (b *bench) countHost(ctx context.Context, run *report.KernelRun, s kernelSearcher) error {
	if len(b.Verbose) == 0 || s.kernel != engine.BFS || b.record.Graph.Prefix == 0 || len(b.record.Devices) > 1 {
		return nil
	}
	search := &run.Searches[run.Median()]
	return b.phase(ctx, b.phaseOf(s.kernel, "counted search"), 0, func() error {
		counts, err := b.countWork(ctx, s, search.Root)
		if err == nil && counts != nil {
			search.TakeHost(*counts)
		}
		return err
	})
}

// recordSearches records the phases of the searches of a kernel.
func (b *bench) recordSearches(run *report.KernelRun, s kernelSearcher) {
	var searching, validating float64
	for _, s := range run.Searches {
		searching += s.Seconds
		if s.ValidateSeconds != nil {
			validating += *s.ValidateSeconds
		}
	}
	record := func(name string, seconds float64, tuples int64, amounts []energy.Amount) {
		b.recordPhase(report.Phase{Name: b.phaseOf(s.kernel, name), Seconds: seconds, Tuples: tuples, Energy: amounts})
	}
	all := int64(b.tuples) * int64(len(run.Searches))
	record("searches", searching, all, b.energyOf(b.searching))
	if !b.SkipValidation {
		run.ValidatedTogether = min(s.Capacity(), len(run.Searches))
		record("validation", validating, all, b.energyOf(b.validating))
	}
	if b.WriteParents != "" {
		record("writing parents", b.writingTime.Seconds(), 0, nil)
	}
}

// phaseOf returns the name of a phase of a kernel. It names the kernel if the run has
// several.
func (b *bench) phaseOf(k engine.Kernel, name string) string {
	if len(b.searchers) > 1 {
		return string(k) + " " + name
	}
	return name
}

// pauseGC stops automatic garbage collection, which would use the cores during a
// search. The function that it returns resumes it.
func pauseGC() (resume func()) {
	runtime.GC()
	before := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(before) }
}

// maxGarbage is the number of bytes of garbage above which collectGarbage collects.
// Searches that the host steers leave 100 to 400 bytes for each level.
const maxGarbage = 64 << 20

// collectGarbage runs the garbage collector if there is much garbage.
func collectGarbage() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Uint64() > heap[1].Value.Uint64()+maxGarbage {
		runtime.GC()
	}
}

// warmUp runs and validates a search that is not part of the result.
func (b *bench) warmUp(ctx context.Context, s kernelSearcher, root engine.Vertex) error {
	if _, err := b.timedSearch(ctx, s, root); err != nil {
		return fmt.Errorf("warm-up search: %w", err)
	}
	if err := s.Keep(); err != nil {
		return err
	}
	defer s.Drop()
	if _, err := b.validateOrCount(ctx, s); err != nil {
		return fmt.Errorf("warm-up search: %w", err)
	}
	return nil
}

// searchRoots searches from every root and validates the searches in batches of the
// size that the searcher allows. With an error it returns the searches that were
// validated before.
func (b *bench) searchRoots(ctx context.Context, s kernelSearcher, roots []engine.Vertex) (done []report.Search, err error) {
	defer b.console.track("searches", int64(len(roots)), "searches")()
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
				b.console.advance(int64(len(done) + i + 1))
			}
			return nil
		}); err != nil {
			return done, err
		}
		if err := b.finishBatch(ctx, s, len(done), searches, keepTime); err != nil {
			return done, err
		}
		done = append(done, searches...)
	}
	return done, nil
}

// timedSearch runs one search. The clock starts when the root is passed to the
// engine and stops when the results are complete.
func (b *bench) timedSearch(ctx context.Context, s engine.Searcher, root engine.Vertex) (report.Search, error) {
	r := report.Search{Root: root}
	collectGarbage()
	if err := s.Clear(); err != nil {
		return r, err
	}
	var err error
	if r.Seconds, err = b.timed(ctx, func() error { return s.Search(ctx, root) }); err != nil {
		return r, err
	}
	profile, err := s.Profile()
	if err != nil {
		return r, err
	}
	r.Profile = report.ProfileOf(profile)
	return r, nil
}

// finishBatch validates the searches that the searcher keeps, compares them with the
// reference engine and writes their results. The index of the first is first. Each
// search gets an equal share of the validation time, which includes keepTime.
func (b *bench) finishBatch(ctx context.Context, s kernelSearcher, first int, searches []report.Search, keepTime time.Duration) error {
	defer s.Drop()
	var trees []engine.Tree
	var validationTime time.Duration
	err := b.measure(&b.validating, func() (err error) {
		start := time.Now()
		trees, err = b.validateOrCount(ctx, s)
		validationTime = time.Since(start)
		return err
	})
	share := (validationTime + keepTime).Seconds() / float64(len(searches))
	var broken *validate.Error
	switch {
	case errors.As(err, &broken) || err != nil && len(searches) == 1:
		return fmt.Errorf("search %d: %w", first+len(trees), err)
	case err != nil:
		return fmt.Errorf("searches %d to %d: %w", first, first+len(searches)-1, err)
	}
	for i := range searches {
		r := &searches[i]
		r.Tree = report.Tree(trees[i])
		if !b.SkipValidation {
			r.ValidateSeconds = &share
		}
		if err := b.compare(ctx, s, i, r.Root); err != nil {
			return fmt.Errorf("search %d: %w", first+i, err)
		}
		if err := b.warnOfRounding(ctx, s, i, *r); err != nil {
			return fmt.Errorf("search %d: %w", first+i, err)
		}
		if err := b.writeResults(ctx, s, i, first+i, r.Root); err != nil {
			return err
		}
	}
	return nil
}

// validateOrCount validates the searches that the searcher keeps; with
// -skip-validation it only counts their edges.
func (b *bench) validateOrCount(ctx context.Context, s engine.Searcher) ([]engine.Tree, error) {
	if b.SkipValidation {
		return s.CountEdges(ctx)
	}
	return s.Check(ctx)
}
