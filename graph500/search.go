package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
	"graph500/report"
)

// roots returns the vertices to search from: those of -root, or the search
// keys.
func (b *bench) roots(ctx context.Context) ([]engine.Vertex, error) {
	usable := b.record.Graph.Connected
	if usable == 0 {
		return nil, errors.New("no vertex has an edge to another one, there is nothing to search from")
	}
	if len(b.Root) > 0 {
		roots := make([]engine.Vertex, len(b.Root))
		for i, root := range b.Root {
			if err := b.checkRoot(root); err != nil {
				return nil, err
			}
			roots[i] = engine.Vertex(root)
			if !b.engine.Usable(roots[i]) {
				return nil, fmt.Errorf("flag -root: vertex %d has no edge to another vertex, there is nothing to search from it", root)
			}
		}
		return roots, nil
	}
	var roots []engine.Vertex
	err := b.phase("key sampling", 0, func() error {
		roots = kronecker.Sample(b.spec, b.Roots, usable, func(v engine.Vertex) bool {
			if ctx.Err() != nil {
				return true // any keys will do, to come to an end
			}
			return uint64(v) < b.vertices && b.engine.Usable(v)
		})
		return context.Cause(ctx)
	})
	if err != nil {
		return nil, err
	}
	if len(roots) < b.Roots {
		b.warn(fmt.Sprintf("only %d vertices have an edge to another one: %d searches instead of %d", usable, len(roots), b.Roots))
	}
	return roots, nil
}

// checkRoot returns an error if the graph has no such vertex.
func (b *bench) checkRoot(root int64) error {
	if uint64(root) >= b.vertices {
		return fmt.Errorf("flag -root: the graph has no vertex %d, they are 0..%d", root, int64(b.vertices)-1)
	}
	return nil
}

// searchAll runs kernel 2 from every root, after an untimed search from the
// first one. The garbage collector does not run by itself meanwhile, because it
// would share the cores with a search.
func (b *bench) searchAll(ctx context.Context, roots []engine.Vertex) error {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	err := b.phase("warm-up", 0, func() error {
		_, err := b.search(ctx, roots[0])
		return err
	})
	if err != nil {
		return fmt.Errorf("warm-up search: %w", err)
	}
	b.console.begin("searches")
	defer b.console.track("searches", int64(len(roots)), "searches")()
	search, batch := b.search, b.batch(len(roots))
	if batch.size > 1 {
		search = batch.search
	}
	var writing time.Duration
	for i, root := range roots {
		s, err := search(ctx, root)
		if err != nil {
			return fmt.Errorf("search %d: %w", i, err)
		}
		b.record.Searches = append(b.record.Searches, s)
		if b.WriteParents != "" {
			start := time.Now()
			parents, err := b.engine.Parents(ctx)
			if err != nil {
				return err
			}
			if err := graph.WriteParents(ctx, b.WriteParents, i, root, parents); err != nil {
				return err
			}
			writing += time.Since(start)
		}
		if batch.size > 1 && ((i+1)%batch.size == 0 || i+1 == len(roots)) {
			if err := batch.validate(ctx, i-i%batch.size); err != nil {
				return err
			}
		}
		b.console.advance(int64(i + 1))
	}
	var searching, validating float64
	for _, s := range b.record.Searches {
		searching += s.Seconds
		validating += s.ValidateSeconds
	}
	all := int64(b.tuples) * int64(len(roots))
	b.record.Phases = append(b.record.Phases, report.Phase{Name: "searches", Seconds: searching, Tuples: all})
	if !b.SkipValidation {
		b.record.ValidatedTogether = batch.size
		b.record.Phases = append(b.record.Phases, report.Phase{Name: "validation", Seconds: validating, Tuples: all})
	}
	if b.WriteParents != "" {
		b.record.Phases = append(b.record.Phases, report.Phase{Name: "writing parents", Seconds: writing.Seconds()})
	}
	return nil
}

// search runs and validates one search.
func (b *bench) search(ctx context.Context, root engine.Vertex) (report.Search, error) {
	s, err := b.timed(ctx, root)
	if err != nil {
		return s, err
	}
	start := time.Now()
	if b.SkipValidation {
		s.Tree, err = b.engine.CountEdges(ctx)
	} else {
		s.Tree, err = b.engine.Validate(ctx, root)
		s.ValidateSeconds = time.Since(start).Seconds()
	}
	if err != nil || b.reference == nil {
		return s, err
	}
	return s, b.compare(ctx, root)
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

// timed runs one search. The clock runs from just before the root is handed to
// the engine until the parent array is complete.
func (b *bench) timed(ctx context.Context, root engine.Vertex) (report.Search, error) {
	s := report.Search{Root: root}
	collect()
	if err := b.engine.Clear(); err != nil {
		return s, err
	}
	start := time.Now()
	err := b.engine.Search(ctx, root)
	s.Seconds = time.Since(start).Seconds()
	if err != nil {
		return s, err
	}
	profile, err := b.engine.Profile()
	if err != nil {
		return s, err
	}
	s.SetProfile(profile)
	return s, nil
}

// checkParents validates the parents file of -check-parents.
func (b *bench) checkParents(ctx context.Context) (string, error) {
	root := b.Root[0]
	if err := b.checkRoot(root); err != nil {
		return "", err
	}
	if err := b.engine.SetParents(func(parents []engine.Vertex) error {
		return graph.ReadParents(b.CheckParents, parents)
	}); err != nil {
		return "", err
	}
	tree, err := b.engine.Validate(ctx, engine.Vertex(root))
	if err != nil {
		return "", fmt.Errorf("%s: %w", b.CheckParents, err)
	}
	return fmt.Sprintf("%s: a valid search tree from root %d: %d vertices, %d edges (nedge), depth %d\n",
		b.CheckParents, root, tree.Visited, tree.Edges, tree.Depth), nil
}
