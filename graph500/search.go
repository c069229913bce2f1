package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
	"graph500/report"
	"graph500/validate"
)

// roots returns the vertices to search from: those of -root, or the search
// keys.
func (b *bench) roots(ctx context.Context) ([]engine.Vertex, error) {
	connected := b.record.Graph.Connected
	if connected == 0 {
		return nil, errors.New("no vertex has an edge to another one, there is nothing to search from")
	}
	if len(b.Root) > 0 {
		return b.givenRoots(ctx)
	}
	var roots []engine.Vertex
	err := b.phase("key sampling", 0, func() (err error) {
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

// givenRoots checks those of -root.
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

// usable asks the engine; the keys of a graph from a file are drawn from all
// numbers below the next power of two.
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
	return usable, nil
}

// checkRoot returns an error if the graph has no such vertex.
func (b *bench) checkRoot(root int64) error {
	if uint64(root) >= b.vertices {
		return fmt.Errorf("flag -root: the graph has no vertex %d, they are 0..%d", root, int64(b.vertices)-1)
	}
	return nil
}

// searchAll runs kernel 2 from every root and enters it in the record.
func (b *bench) searchAll(ctx context.Context, roots []engine.Vertex) error {
	defer quietGarbage()()
	if err := b.phase("warm-up", 0, func() error { return b.warmUp(ctx, b.searcher, roots[0]) }); err != nil {
		return err
	}
	b.console.begin("searches")
	b.watch.beginSearches()
	var err error
	if b.record.Searches, err = b.searchFrom(ctx, b.searcher, roots); err != nil {
		return err
	}
	b.warnOfOthers()
	var searching, validating float64
	for _, s := range b.record.Searches {
		searching += s.Seconds
		if s.ValidateSeconds != nil {
			validating += *s.ValidateSeconds
		}
	}
	all := int64(b.tuples) * int64(len(roots))
	b.record.Phases = append(b.record.Phases, report.Phase{Name: "searches", Seconds: searching, Tuples: all})
	if !b.SkipValidation {
		b.record.ValidatedTogether = min(b.searcher.Capacity(), len(roots))
		b.record.Phases = append(b.record.Phases, report.Phase{Name: "validation", Seconds: validating, Tuples: all})
	}
	if b.WriteParents != "" {
		b.record.Phases = append(b.record.Phases, report.Phase{Name: "writing parents", Seconds: b.writing.Seconds()})
	}
	return nil
}

// quietGarbage keeps the garbage collector from running by itself until the
// function it returns is called, because it would share the cores with a search.
func quietGarbage() (end func()) {
	runtime.GC()
	before := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(before) }
}

// mostGarbage is how many bytes may be given up between two collections while
// the garbage collector does not run by itself. Searches steered by the host
// leave 100 to 400 for each level.
const mostGarbage = 64 << 20

// collect collects the garbage if there is much.
func collect() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Uint64() > heap[1].Value.Uint64()+mostGarbage {
		runtime.GC()
	}
}

// warmUp runs and validates a search that does not count.
func (b *bench) warmUp(ctx context.Context, s engine.Searcher, root engine.Vertex) error {
	if _, err := b.timed(ctx, s, root); err != nil {
		return fmt.Errorf("warm-up search: %w", err)
	}
	if err := s.Keep(); err != nil {
		return err
	}
	defer s.Drop()
	if _, err := b.facts(ctx, s); err != nil {
		return fmt.Errorf("warm-up search: %w", err)
	}
	return nil
}

// searchFrom searches from every root and validates the searches, as many
// together as the searcher keeps. With an error come the searches that were
// validated before.
func (b *bench) searchFrom(ctx context.Context, s engine.Searcher, roots []engine.Vertex) (done []report.Search, err error) {
	defer b.console.track("searches", int64(len(roots)), "searches")()
	room := max(1, s.Capacity())
	for len(done) < len(roots) {
		batch := roots[len(done):min(len(done)+room, len(roots))]
		searches := make([]report.Search, len(batch))
		var keeping time.Duration
		for i, root := range batch {
			if searches[i], err = b.timed(ctx, s, root); err != nil {
				return done, fmt.Errorf("search %d: %w", len(done)+i, err)
			}
			start := time.Now()
			if err := s.Keep(); err != nil {
				return done, fmt.Errorf("search %d: %w", len(done)+i, err)
			}
			keeping += time.Since(start)
			b.console.advance(int64(len(done) + i + 1))
		}
		if err := b.finish(ctx, s, len(done), searches, keeping); err != nil {
			return done, err
		}
		done = append(done, searches...)
	}
	return done, nil
}

// timed runs one search. The clock runs from just before the root is handed to
// the engine until the results are complete.
func (b *bench) timed(ctx context.Context, s engine.Searcher, root engine.Vertex) (report.Search, error) {
	r := report.Search{Root: root}
	collect()
	if err := s.Clear(); err != nil {
		return r, err
	}
	start := time.Now()
	err := s.Search(ctx, root)
	r.Seconds = time.Since(start).Seconds()
	if err != nil {
		return r, err
	}
	profile, err := s.Profile()
	if err != nil {
		return r, err
	}
	r.Profile = profile
	r.Levels = slices.Clone(profile.Levels) // which the engine uses again
	return r, nil
}

// finish validates the searches that are kept, of which the first is number
// first of all, and does what is done with their trees. The time of validation
// is shared equally.
func (b *bench) finish(ctx context.Context, s engine.Searcher, first int, searches []report.Search, keeping time.Duration) error {
	defer s.Drop()
	start := time.Now()
	trees, err := b.facts(ctx, s)
	share := (time.Since(start) + keeping).Seconds() / float64(len(searches))
	var broken *validate.Error
	switch {
	case errors.As(err, &broken) || err != nil && len(searches) == 1:
		return fmt.Errorf("search %d: %w", first+len(trees), err)
	case err != nil:
		return fmt.Errorf("searches %d to %d: %w", first, first+len(searches)-1, err)
	}
	for i := range searches {
		r := &searches[i]
		r.Tree = trees[i]
		if !b.SkipValidation {
			r.ValidateSeconds = &share
		}
		if b.WriteParents == "" && b.reference == nil {
			continue
		}
		results, err := s.Results(ctx, i)
		if err != nil {
			return err
		}
		if err := b.compare(ctx, r.Root, results); err != nil {
			return fmt.Errorf("search %d: %w", first+i, err)
		}
		if err := b.writeParents(ctx, first+i, r.Root, results); err != nil {
			return err
		}
	}
	return nil
}

// facts validates the searches that are kept, or only counts their edges.
func (b *bench) facts(ctx context.Context, s engine.Searcher) ([]engine.Tree, error) {
	if b.SkipValidation {
		return s.CountEdges(ctx)
	}
	return s.Check(ctx)
}

// writeParents writes the parents of search number i to a file, if that is
// wanted.
func (b *bench) writeParents(ctx context.Context, i int, root engine.Vertex, results engine.Results) error {
	if b.WriteParents == "" {
		return nil
	}
	start := time.Now()
	err := graph.WriteParents(ctx, b.WriteParents, i, root, results.Parents)
	b.writing += time.Since(start)
	return err
}

// checkParents validates the parents file of -check-parents.
func (b *bench) checkParents(ctx context.Context) (string, error) {
	if err := b.checkRoot(b.Root[0]); err != nil {
		return "", err
	}
	root := engine.Vertex(b.Root[0])
	if err := b.searcher.Set(root, func(r engine.Results) error {
		return graph.ReadParents(b.CheckParents, r.Parents)
	}); err != nil {
		return "", err
	}
	trees, err := b.searcher.Check(ctx)
	if err != nil {
		return "", fmt.Errorf("%s: %w", b.CheckParents, err)
	}
	return fmt.Sprintf("%s: a valid search tree from root %d: %d vertices, %d edges (nedge), depth %d\n",
		b.CheckParents, root, trees[0].Visited, trees[0].Edges, trees[0].Depth), nil
}
