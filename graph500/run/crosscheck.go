package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"graph500/engine"
	"graph500/graph"
	"graph500/graph500/commandline"
	"graph500/memory"
)

// reference is the engine of -check-engine, which searches a graph of the same tuples
// with its default strategies.
type reference struct {
	engine    Engine
	catalogue commandline.Catalogue // has the strategies of the engine
	searchers []kernelSearcher      // of the kernels of the run
	// Depth of every vertex in the BFS tree of this engine and of the tested engine.
	depths, testedDepths []uint32
	held                 memory.Groups // these
}

// job describes the reference's part of a job of the tested engine.
func (r *reference) job(tested engine.Job) engine.Job {
	job := engine.Job{Vertices: tested.Vertices, Tuples: tested.Tuples, Loaded: true}
	for _, s := range tested.Strategies {
		job.Strategies = append(job.Strategies, r.catalogue.Named(r.engine.Info().Name, s.Kernel, commandline.DefaultStrategy)...)
	}
	return job
}

// plan plans the host memory of the reference for a job of the tested engine, including
// tuples.
func (r *reference) plan(tested engine.Job) engine.Plan {
	plan := r.engine.Plan(r.job(tested))
	for i := range plan.Memory {
		plan.Memory[i].Name = "check: " + plan.Memory[i].Name
	}
	plan.Memory = append(plan.Memory, r.arrays(tested).Plan()...)
	return plan
}

// arrays declares the depths of BFS.
func (r *reference) arrays(job engine.Job) (g memory.Group) {
	if job.Strategy(engine.BFS).Name != "" {
		g.Arrays = []memory.Declared{memory.Of(&r.depths, "check: depths", job.Vertices), memory.Of(&r.testedDepths, "check: depths", job.Vertices)}
	}
	return g
}

// close frees the memory of the reference. r may be nil.
func (r *reference) close() error {
	if r == nil {
		return nil
	}
	return errors.Join(closeAll(r.searchers), r.engine.Close(), r.held.Free())
}

// startReference constructs the reference's graph from the tuples of the engine. Only the
// first of several ranks has a reference; the others wait for it.
func (b *Bench) startReference(ctx context.Context) error {
	if !b.CheckEngine {
		return nil
	}
	return b.Phase(ctx, "reference construction", b.tuples, func() error {
		r := b.reference
		if r == nil {
			return nil
		}
		job := b.jobs[0].reference
		if err := r.engine.Prepare(ctx, []engine.Plan{job}, nil); err != nil {
			return err
		}
		tuples, err := b.copyTuples(ctx, job.Weighted())
		if err != nil {
			return err
		}
		if err := r.engine.Load(ctx, b.Vertices, tuples); err != nil {
			return err
		}
		if err := r.held.Take(r.arrays(job.Job)); err != nil {
			return err
		}
		if _, err = r.engine.Construct(ctx); err != nil {
			return err
		}
		r.searchers, err = newSearchers(ctx, r.engine, job.Strategies)
		return err
	})
}

// copyTuples returns a copy of the engine's tuples.
func (b *Bench) copyTuples(ctx context.Context, weighted bool) (tuples engine.Tuples, err error) {
	if err := graph.TupleArrays(&tuples, b.tuples, weighted, false).Alloc(); err != nil {
		return tuples, err
	}
	at := 0
	err = b.engine.AllTuples(ctx, func(piece engine.Tuples) error {
		if weighted {
			copy(tuples.Weights[at:], piece.Weights)
		}
		at += copy(tuples.Edges[at:], piece.Edges)
		return nil
	})
	if err != nil {
		return engine.Tuples{}, errors.Join(err, graph.FreeTuples(tuples))
	}
	return tuples, nil
}

// compare searches from root with the reference, if there is one, and compares its results
// with those of search i of the batch: of BFS the depth of every vertex, of SSSP the bits of
// every distance.
func (b *Bench) compare(ctx context.Context, s kernelSearcher, i int, root engine.Vertex) error {
	r := b.reference
	if r == nil {
		return nil
	}
	tested, err := s.AllResults(ctx, i)
	if err != nil {
		return err
	}
	own, err := r.search(ctx, s.kernel, root)
	if err != nil {
		return err
	}
	engineName, referenceName := b.Record.Engine.Name, r.engine.Info().Name
	v, got, want := 0, "", ""
	if s.kernel == engine.SSSP {
		v, got, want = otherDistance(tested.Distances, own.Distances)
	} else {
		if err := findDepths(own.Parents, engine.Label(root), r.depths); err != nil {
			return fmt.Errorf("-check-engine: %s engine: %w", referenceName, err)
		}
		if err := findDepths(tested.Parents, engine.Label(root), r.testedDepths); err != nil {
			return fmt.Errorf("-check-engine: %s engine: %w", engineName, err)
		}
		v, got, want = otherDepth(r.testedDepths, r.depths)
	}
	if v < 0 {
		return nil
	}
	return fmt.Errorf("-check-engine: search from root %d: vertex %d %s by the %s engine and %s by the %s engine",
		root, v, got, engineName, want, referenceName)
}

// search searches with the reference and returns its results.
func (r *reference) search(ctx context.Context, k engine.Kernel, root engine.Vertex) (engine.Results, error) {
	s := r.searchers[slices.IndexFunc(r.searchers, func(s kernelSearcher) bool { return s.kernel == k })]
	s.Drop()
	if err := s.Clear(); err != nil {
		return engine.Results{}, err
	}
	if err := s.Search(ctx, root); err != nil {
		return engine.Results{}, err
	}
	if err := s.Keep(); err != nil {
		return engine.Results{}, err
	}
	return s.Results(ctx, 0)
}

// otherDistance returns the first vertex whose distances differ in a bit, with texts of
// them, or -1.
func otherDistance(got, want []float32) (v int, gotText, wantText string) {
	for v := range want {
		if math.Float32bits(got[v]) != math.Float32bits(want[v]) {
			return v, distanceText(got[v]), distanceText(want[v])
		}
	}
	return -1, "", ""
}

func distanceText(distance float32) string {
	if distance == engine.Unreached {
		return notReached
	}
	return fmt.Sprintf("has distance %v", distance)
}

// otherDepth returns the first vertex whose depths differ, with texts of them, or -1.
func otherDepth(got, want []uint32) (v int, gotText, wantText string) {
	for v := range want {
		if got[v] != want[v] {
			return v, depthText(got[v]), depthText(want[v])
		}
	}
	return -1, "", ""
}

const notReached = "is not reached"

// noDepth is the depth of an unreached vertex.
const noDepth = 1<<32 - 1

func depthText(depth uint32) string {
	if depth == noDepth {
		return notReached
	}
	return fmt.Sprintf("has depth %d", depth)
}

// findDepths sets the depth of every vertex to the number of its ancestors. It returns
// an error if the parents do not form a tree with that root.
func findDepths(parents []engine.Label, root engine.Label, depths []uint32) error {
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
		steps, ancestor := 0, engine.Label(v)
		for depths[ancestor] == noDepth {
			ancestor = parents[ancestor]
			steps++
			if steps > len(parents) || int64(ancestor) >= int64(len(parents)) {
				return fmt.Errorf("search from root %d: the parents of vertex %d do not lead to the root", root, v)
			}
		}
		depth := depths[ancestor] + uint32(steps)
		for u := engine.Label(v); depths[u] == noDepth; u = parents[u] {
			depths[u] = depth
			depth--
		}
	}
	return nil
}
