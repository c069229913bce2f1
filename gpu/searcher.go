//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"

	"graph500/cluster"
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/stream"
	"graph500/kernels/validate"
	"graph500/memory"
)

// results holds the output of a search.
type results struct {
	parents   device.Array[engine.Local] // N entries
	distances device.Array[float32]      // of SSSP, N entries; empty for BFS
}

// group declares the memory of the results of a kernel.
func (r *results) group(k engine.Kernel, vertices uint64) device.Group {
	g := device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&r.parents, parentsName(k), vertices)}}
	if k == engine.SSSP {
		g.Arrays = append(g.Arrays, device.Of(&r.distances, "distances", vertices))
	}
	return g
}

// parentsName returns the name of the parents of a kernel in memory plans.
func parentsName(k engine.Kernel) string {
	if k == engine.SSSP {
		return "parents of shortest paths"
	}
	return "parents"
}

// Searcher searches the engine's graph by one strategy and validates the results. The
// searchers of an engine must be closed in the reverse order of their creation.
type Searcher struct {
	engine   *Engine
	strategy strategy
	job      engine.Job
	search   search // nil for a graph without edges
	results
	held     *device.Held
	clearers []*stream.Filler // of the results
	wide     *wideParents     // the parents that Search writes if labels have 48 bits, else nil

	root  engine.Vertex // of the last search
	trees *validate.Trees

	host engine.Results // copy of results, allocated at first use
}

// NewSearcher returns a Searcher for a strategy of a kernel of the jobs.
func (e *Engine) NewSearcher(ctx context.Context, of engine.Strategy) (engine.Searcher, error) {
	strategy, ok := lookUp(of)
	if !ok {
		return nil, fmt.Errorf("gpu: no strategy %q for %s", of.Name, of.Kernel)
	}
	if !e.isConstructed(of.Kernel) {
		return nil, fmt.Errorf("gpu: there is no graph for %s: the engine was not prepared for it", of.Kernel)
	}
	if e.layout.splits() && !e.layout.hasPrefix() {
		strategy = e.layout.searchOfHost(e.buffers)
	}
	s := &Searcher{engine: e, strategy: strategy, job: e.jobOf(of)}
	if err := e.inPhase("construction", func() error { return s.prepare(ctx) }); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare allocates the results and the validation batch, and creates the search.
func (s *Searcher) prepare(ctx context.Context) (err error) {
	e, k := s.engine, s.strategy.Kernel
	if s.held, err = e.device.Take(s.group(k, e.vertices)); err != nil {
		return err
	}
	if s.job.Wide {
		if s.wide, err = newWideParents(e.device, k, e.vertices); err != nil {
			return err
		}
	}
	if err := s.addClearer(stream.NewFiller(e.device, s.parents, engine.None)); err != nil {
		return err
	}
	if k == engine.SSSP {
		if err := s.addClearer(stream.NewFiller(e.device, s.distances, engine.Unreached)); err != nil {
			return err
		}
	}
	live := validate.Results{Parents: s.parents, Distances: s.distances}
	if s.trees, err = validate.NewTrees(e.device, k, s.job.Wide, live, e.layoutOf(s.job).together(k, s.job)); err != nil {
		return err
	}
	return s.newSearch(ctx)
}

// addClearer adds the result of stream.NewFiller to the clearers.
func (s *Searcher) addClearer(f *stream.Filler, err error) error {
	if err == nil {
		s.clearers = append(s.clearers, f)
	}
	return err
}

// newSearch creates the search of the strategy, unless the graph has no edges.
func (s *Searcher) newSearch(ctx context.Context) (err error) {
	e := s.engine
	if e.info().Connected == 0 {
		return nil
	}
	if s.search, err = s.strategy.newSearch(ctx, s.input(false)); err != nil {
		s.search = nil // not an interface that holds a nil pointer
		return err
	}
	return e.device.Synchronize()
}

// input returns the input of a search, or of a counted one.
func (s *Searcher) input(counted bool) input {
	e := s.engine
	return input{
		device: e.device, graph: e.graph, weightedGraph: e.weightedGraph, results: s.results, delta: s.job.Delta,
		counted: counted, reserve: e.planner.reserve(s.job, e.layoutOf(s.job), s.strategy.Kernel),
	}
}

// Capacity returns the number of searches to validate together: 1, or more if one pass
// over the tuples serves them.
func (s *Searcher) Capacity() int { return s.trees.Capacity() }

// Clear sets all parents to engine.None and all distances to engine.Unreached.
func (s *Searcher) Clear() error {
	return s.engine.inPhase("clearing of results", func() error {
		for _, c := range s.clearers {
			if err := c.Fill(); err != nil {
				return err
			}
		}
		return errors.Join(s.wide.clear(), s.engine.device.Synchronize())
	})
}

// Search stores the results of all vertices reachable from root. With labels of 48 bits, it
// clears the parents that the search works with, and converts them at the end.
func (s *Searcher) Search(ctx context.Context, root engine.Vertex) error {
	return s.engine.inPhase("search", func() error {
		s.root = root
		if s.wide == nil {
			return s.search.Search(ctx, engine.Local(root))
		}
		if err := s.clearers[0].Fill(); err != nil {
			return err
		}
		if err := s.search.Search(ctx, engine.Local(root)); err != nil {
			return err
		}
		return errors.Join(s.wide.take(s.parents), s.engine.device.Synchronize())
	})
}

// Profile returns the levels of the last search and its time by the device's clock.
func (s *Searcher) Profile() (p engine.Profile, err error) {
	err = s.engine.inPhase("search", func() (err error) {
		p, err = s.search.Profile()
		return err
	})
	return p, err
}

// Keep adds the last search to the validation batch, for Check and CountEdges.
func (s *Searcher) Keep() error {
	return s.engine.inPhase("keeping of results", func() error {
		if err := s.wide.give(s.parents); err != nil {
			return err
		}
		return s.trees.Keep(s.root)
	})
}

// Set adds a search with the results that fill writes to the validation batch. They are
// in host memory.
func (s *Searcher) Set(root engine.Vertex, fill func(engine.Results) error) error {
	if err := s.allocateHost(); err != nil {
		return err
	}
	if err := fill(s.host); err != nil {
		return err
	}
	if err := s.engine.inPhase("copying of results", func() error {
		return errors.Join(s.parents.Write(0, s.host.Parents), s.distances.Write(0, s.host.Distances), s.wide.take(s.parents))
	}); err != nil {
		return err
	}
	s.root = root
	return s.Keep()
}

// Drop empties the validation batch.
func (s *Searcher) Drop() { s.trees.Drop() }

// batch returns the searches to validate.
func (s *Searcher) batch(ctx context.Context) validate.Batch {
	team := device.NewTeamApart(ctx, cluster.Alone(), []*device.Device{s.engine.device})
	return validate.Batch{Team: team, Trees: []*validate.Trees{s.trees}, Shares: []*generate.Tuples{s.engine.tuples}}
}

// Check validates the searches of the batch by the Graph500 rules and returns their
// facts (validate.Batch.Check).
func (s *Searcher) Check(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.inPhase("validation", func() (err error) {
		trees, err = s.batch(ctx).Check(ctx)
		return err
	})
	return trees, err
}

// CountEdges returns the facts of the searches of the batch without validation
// (validate.Batch.CountEdges).
func (s *Searcher) CountEdges(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.inPhase("validation", func() (err error) {
		trees, err = s.batch(ctx).CountEdges(ctx)
		return err
	})
	return trees, err
}

// Results copies the results of search number i of the batch to host memory. The next
// call of Results or Set overwrites them.
func (s *Searcher) Results(ctx context.Context, i int) (engine.Results, error) {
	if err := s.allocateHost(); err != nil {
		return engine.Results{}, err
	}
	err := s.engine.inPhase("copying of results", func() error {
		kept, err := s.trees.Results(i)
		if err != nil {
			return err
		}
		if err := read(ctx, kept.Parents, 0, s.host.Parents); err != nil {
			return err
		}
		return read(ctx, kept.Distances, 0, s.host.Distances)
	})
	return s.host, err
}

// AllResults is Results.
func (s *Searcher) AllResults(ctx context.Context, i int) (engine.Results, error) {
	return s.Results(ctx, i)
}

// read copies elements of an array, from first on, to the host. It returns the cause of ctx if ctx ends.
func read[T engine.Local | float32](ctx context.Context, from device.Array[T], first int, to []T) error {
	const piece = copyPiece / 4
	for at := 0; at < len(to); at += piece {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := from.Read(first+at, to[at:min(at+piece, len(to))]); err != nil {
			return err
		}
	}
	return nil
}

// allocateHost allocates the host's copy of the results, unless there is one.
func (s *Searcher) allocateHost() (err error) {
	if s.host.Parents == nil {
		if s.host.Parents, err = memory.Alloc[engine.Local](int(s.engine.vertices)); err != nil {
			return err
		}
	}
	if s.host.Distances == nil && s.strategy.Kernel == engine.SSSP {
		s.host.Distances, err = memory.Alloc[float32](int(s.engine.vertices))
	}
	return err
}

// Close frees all memory of the Searcher.
func (s *Searcher) Close() error {
	err := s.engine.inPhase("closing", func() error {
		var errs []error
		if s.search != nil {
			errs = append(errs, s.search.Close())
		}
		errs = append(errs, s.trees.Close())
		for _, c := range s.clearers {
			errs = append(errs, c.Close())
		}
		return errors.Join(append(errs, s.wide.close(), s.held.Free())...)
	})
	return errors.Join(err, memory.Free(s.host.Parents), memory.Free(s.host.Distances))
}
