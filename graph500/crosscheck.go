package main

import (
	"context"
	"errors"
	"fmt"

	"graph500/engine"
	"graph500/memory"
)

// reference is the engine of -check-engine, which searches a graph of the same tuples.
type reference struct {
	engine   Engine
	strategy engine.Strategy
	searcher engine.Searcher
	// Depth of every vertex in the tree of this engine and of the tested engine.
	depths, testedDepths []uint32
}

// plan lists the host memory of the reference, including tuples.
func (r *reference) plan(vertices, tuples uint64) []engine.Allocation {
	plan := r.engine.Plan(engine.Job{Vertices: vertices, Tuples: tuples, Loaded: true, Strategies: []engine.Strategy{r.strategy}})
	for i := range plan {
		plan[i].Name = "check: " + plan[i].Name
	}
	return append(plan, engine.Allocation{Name: "check: depths", Bytes: 2 * 4 * vertices})
}

// close frees the memory of the reference. r may be nil.
func (r *reference) close() error {
	if r == nil {
		return nil
	}
	var err error
	if r.searcher != nil {
		err = r.searcher.Close()
	}
	if closeErr := r.engine.Close(); err == nil {
		err = closeErr
	}
	for _, depths := range [][]uint32{r.depths, r.testedDepths} {
		if freeErr := memory.Free(depths); err == nil {
			err = freeErr
		}
	}
	return err
}

// startReference constructs the reference's graph from the tuples of the engine.
func (b *bench) startReference(ctx context.Context) error {
	if b.reference == nil {
		return nil
	}
	return b.phase("reference construction", b.tuples, func() error {
		r := b.reference
		tuples, err := memory.Alloc[engine.Edge](int(b.tuples))
		if err != nil {
			return err
		}
		at := 0
		err = b.engine.Tuples(ctx, func(piece engine.Tuples) error {
			at += copy(tuples[at:], piece.Edges)
			return nil
		})
		if err != nil {
			return errors.Join(err, memory.Free(tuples))
		}
		if err := r.engine.Load(b.vertices, engine.Tuples{Edges: tuples}); err != nil {
			return err
		}
		if r.depths, err = memory.Alloc[uint32](int(b.vertices)); err != nil {
			return err
		}
		if r.testedDepths, err = memory.Alloc[uint32](int(b.vertices)); err != nil {
			return err
		}
		if _, err = r.engine.Construct(ctx); err != nil {
			return err
		}
		r.searcher, err = r.engine.NewSearcher(ctx, r.strategy)
		return err
	})
}

// compare searches from root with the reference, if there is one, and compares the
// depth of every vertex with the depth in the tested results.
func (b *bench) compare(ctx context.Context, root engine.Vertex, tested engine.Results) error {
	r := b.reference
	if r == nil {
		return nil
	}
	own, err := r.search(ctx, root)
	if err != nil {
		return err
	}
	engineName, referenceName := b.record.Engine.Name, r.engine.Info().Name
	for _, side := range []struct {
		name    string
		parents []engine.Local
		depths  []uint32
	}{{referenceName, own.Parents, r.depths}, {engineName, tested.Parents, r.testedDepths}} {
		if err := findDepths(side.parents, engine.Local(root), side.depths); err != nil {
			return fmt.Errorf("-check-engine: %s engine: %w", side.name, err)
		}
	}
	for v, want := range r.depths {
		if got := r.testedDepths[v]; got != want {
			return fmt.Errorf("-check-engine: search from root %d: vertex %d %s the %s engine and %s the %s engine",
				root, v, depthText(got), engineName, depthText(want), referenceName)
		}
	}
	return nil
}

// search searches with the reference and returns its results.
func (r *reference) search(ctx context.Context, root engine.Vertex) (engine.Results, error) {
	r.searcher.Drop()
	if err := r.searcher.Clear(); err != nil {
		return engine.Results{}, err
	}
	if err := r.searcher.Search(ctx, root); err != nil {
		return engine.Results{}, err
	}
	if err := r.searcher.Keep(); err != nil {
		return engine.Results{}, err
	}
	return r.searcher.Results(ctx, 0)
}

// noDepth is the depth of an unreached vertex.
const noDepth = 1<<32 - 1

func depthText(depth uint32) string {
	if depth == noDepth {
		return "is not reached by"
	}
	return fmt.Sprintf("has depth %d by", depth)
}

// findDepths sets the depth of every vertex to the number of its ancestors. It returns
// an error if the parents do not form a tree with that root.
func findDepths(parents []engine.Local, root engine.Local, depths []uint32) error {
	for v := range depths {
		depths[v] = noDepth
	}
	depths[root] = 0
	if parents[root] != root {
		return fmt.Errorf("root %d is not its own parent", root)
	}
	for v, p := range parents {
		if p == engine.None {
			continue
		}
		// Go up to an ancestor with known depth, then go up again to set depths.
		steps, ancestor := 0, engine.Local(v)
		for depths[ancestor] == noDepth {
			ancestor = parents[ancestor]
			steps++
			if steps > len(parents) || int64(ancestor) >= int64(len(parents)) {
				return fmt.Errorf("search from root %d: the parents of vertex %d do not lead to the root", root, v)
			}
		}
		depth := depths[ancestor] + uint32(steps)
		for u := engine.Local(v); depths[u] == noDepth; u = parents[u] {
			depths[u] = depth
			depth--
		}
	}
	return nil
}
