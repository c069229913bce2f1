//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/bfs"
	"graph500/kernels/construct"
	"graph500/kernels/sssp"
	"graph500/kernels/stream"
	"graph500/kernels/validate"
	"graph500/memory"
)

// PeersSearcher searches the graph of several GPUs and validates the results.
type PeersSearcher struct {
	engine    *Peers
	kernel    engine.Kernel
	members   []*peerResults                 // of the GPUs of this process
	parents   [][]device.Array[engine.Local] // of all GPUs, as those of this process access them (device.Reach)
	distances [][]device.Array[float32]      // of SSSP, likewise
	search    peersSearch                    // nil for a graph without edges
	root      engine.Vertex
	host      engine.Results // copy of results, allocated at first use
}

// peersSearch is a search on several GPUs.
type peersSearch interface {
	Search(ctx context.Context, root engine.Local) error
	Profile() (engine.Profile, error)
	Close() error
}

// peerResults is the part of a PeersSearcher on one GPU. A search writes the results of the
// GPU's range; complete adds the others.
type peerResults struct {
	results
	held     *device.Held
	clearers []*stream.Filler
	wide     wideRange // with labels of 48 bits: the parents of the GPU's range among the results
	trees    *validate.Trees
}

// NewSearcher returns a searcher for the default strategy of a kernel of the job.
func (e *Peers) NewSearcher(ctx context.Context, of engine.Strategy) (engine.Searcher, error) {
	if err := e.checkStrategy(of); err != nil {
		return nil, err
	}
	s := &PeersSearcher{engine: e, kernel: of.Kernel}
	if err := e.inPhase("construction", func() error { return s.prepare(ctx) }); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// checkStrategy requires that there is a graph for the strategy, and that it is a default one.
func (e *Peers) checkStrategy(of engine.Strategy) error {
	if of.Name != defaultStrategy {
		return fmt.Errorf("gpu: strategy %q for %s does not run on several GPUs", of.Name, of.Kernel)
	}
	if !e.has(of.Kernel) {
		return fmt.Errorf("gpu: there is no graph for %s: the engine was not prepared for it", of.Kernel)
	}
	return nil
}

func (s *PeersSearcher) prepare(ctx context.Context) (err error) {
	e := s.engine
	if err := s.allocate(e.together(e.job, e.layout, s.kernel)); err != nil {
		return err
	}
	var parents []device.Array[engine.Local]
	var distances []device.Array[float32]
	for _, r := range s.members {
		parents, distances = append(parents, r.parents), append(distances, r.distances)
	}
	if s.parents, err = device.Reach(e.team, parents); err != nil {
		return err
	}
	if s.kernel == engine.SSSP {
		if s.distances, err = device.Reach(e.team, distances); err != nil {
			return err
		}
	}
	if e.graphInfo().Connected > 0 {
		s.search, err = s.newSearch(ctx, parents, distances)
	}
	return err
}

// allocate allocates the results, and batches of that many searches, on the GPUs of this
// process.
func (s *PeersSearcher) allocate(searches int) error {
	for i, m := range s.engine.members {
		r := &peerResults{}
		s.members = append(s.members, r)
		if err := r.prepare(m, s.kernel, s.engine.ranges[s.engine.team.First()+i], searches); err != nil {
			return err
		}
	}
	return nil
}

// prepare allocates the results of a kernel on the GPU that has those labels, and a batch of
// that many searches.
func (r *peerResults) prepare(m *Engine, k engine.Kernel, labels construct.Range, searches int) (err error) {
	if r.held, err = m.device.Take(r.group(k, m.vertices)); err != nil {
		return err
	}
	if err := r.addClearer(stream.NewFiller(m.device, r.parents, engine.None)); err != nil {
		return err
	}
	if k == engine.SSSP {
		if err := r.addClearer(stream.NewFiller(m.device, r.distances, engine.Unreached)); err != nil {
			return err
		}
	}
	if m.isWide() {
		if err := r.wide.prepare(m.device, k, r.parents, labels); err != nil {
			return err
		}
	}
	r.trees, err = validate.NewTrees(m.device, k, m.isWide(), validate.Results{Parents: r.parents, Distances: r.distances}, searches)
	return err
}

// addClearer adds the result of stream.NewFiller to the clearers.
func (r *peerResults) addClearer(f *stream.Filler, err error) error {
	if err == nil {
		r.clearers = append(r.clearers, f)
	}
	return err
}

// newSearch returns the search of the kernel that writes these results.
func (s *PeersSearcher) newSearch(ctx context.Context, parents []device.Array[engine.Local], distances []device.Array[float32]) (peersSearch, error) {
	e := s.engine
	if s.kernel == engine.SSSP {
		search, err := sssp.NewPeers(ctx, e.team, e.weightedGraphs, parents, distances)
		if err != nil {
			return nil, err // not an interface that holds a nil pointer
		}
		return search, nil
	}
	search, err := bfs.NewPeers(ctx, e.team, e.graphs, parents, e.l2, e.reserve())
	if err != nil {
		return nil, err
	}
	return search, nil
}

// batch returns the searches to validate.
func (s *PeersSearcher) batch() validate.Batch {
	b := validate.Batch{Team: s.engine.team, Shares: s.engine.shares()}
	for _, r := range s.members {
		b.Trees = append(b.Trees, r.trees)
	}
	return b
}

// Capacity returns the number of searches to validate together.
func (s *PeersSearcher) Capacity() int { return s.members[0].trees.Capacity() }

// Clear sets all parents to engine.None and all distances to engine.Unreached. It is called
// before a search.
func (s *PeersSearcher) Clear() error {
	return s.engine.inPhase("clearing of results", func() error {
		return s.engine.team.Together(func(i int) error {
			for _, c := range s.members[i].clearers {
				if err := c.Fill(); err != nil {
					return err
				}
			}
			return errors.Join(s.members[i].wide.clear(), s.engine.members[i].device.Synchronize())
		})
	})
}

// Search stores the results of all vertices reachable from root, each on the GPU that has the
// row of the vertex.
func (s *PeersSearcher) Search(ctx context.Context, root engine.Vertex) error {
	return s.engine.inPhase("search", func() error {
		s.root = root
		return s.converted(func() error { return s.search.Search(ctx, engine.Local(root)) })
	})
}

// converted does a search. With labels of 48 bits, each GPU clears the parents of its range
// that the search works with, and converts them at the end.
func (s *PeersSearcher) converted(search func() error) error {
	if !s.engine.job.Wide {
		return search()
	}
	team := s.engine.team
	if err := team.Each(func(i int) error { return s.members[i].wide.clearer.Fill() }); err != nil {
		return err
	}
	if err := search(); err != nil {
		return err
	}
	return team.Each(func(i int) error {
		return errors.Join(s.members[i].wide.takeRange(), s.engine.members[i].device.Synchronize())
	})
}

// convertBack sets the parents that the search worked with to those of 64 bits, if there are
// any.
func (s *PeersSearcher) convertBack() error {
	if !s.engine.job.Wide {
		return nil
	}
	return s.engine.team.Each(func(i int) error {
		return errors.Join(s.members[i].wide.giveRange(), s.engine.members[i].device.Synchronize())
	})
}

// Profile returns the levels of the last search and its time by the clock of the first GPU
// of this process.
func (s *PeersSearcher) Profile() (p engine.Profile, err error) {
	err = s.engine.inPhase("search", func() (err error) {
		p, err = s.search.Profile()
		return err
	})
	return p, err
}

// Keep adds the last search to the validation batch. Before, each GPU copies the results of
// the other ranges.
func (s *PeersSearcher) Keep() error {
	return s.engine.inPhase("keeping of results", func() error {
		if err := s.convertBack(); err != nil {
			return err
		}
		if err := s.engine.team.Wait(); err != nil { // for the end of the search on all ranks
			return err
		}
		if err := s.complete(); err != nil {
			return err
		}
		return s.keepOnAll()
	})
}

// complete copies the results of each range to all GPUs.
func (s *PeersSearcher) complete() error {
	return s.engine.team.Together(func(i int) error {
		for k, r := range s.engine.ranges {
			if k == s.engine.team.First()+i {
				continue
			}
			first, n := int(r.First), int(r.End-r.First)
			if err := s.members[i].parents.CopyPart(first, s.parents[i][k], first, n); err != nil {
				return err
			}
			if s.kernel != engine.SSSP {
				continue
			}
			if err := s.members[i].distances.CopyPart(first, s.distances[i][k], first, n); err != nil {
				return err
			}
		}
		return s.engine.members[i].device.Synchronize()
	})
}

func (s *PeersSearcher) keepOnAll() error {
	return s.engine.team.Together(func(i int) error { return s.members[i].trees.Keep(s.root) })
}

// Set adds a search with the results that fill writes to the validation batch.
func (s *PeersSearcher) Set(root engine.Vertex, fill func(engine.Results) error) error {
	if err := s.allocateHost(); err != nil {
		return err
	}
	if err := fill(s.host); err != nil {
		return err
	}
	s.root = root
	return s.engine.inPhase("copying of results", func() error {
		if err := s.engine.team.Together(func(i int) error {
			r := s.members[i]
			return errors.Join(r.parents.Write(0, s.host.Parents), r.distances.Write(0, s.host.Distances), r.wide.takeRange(), r.wide.giveRange())
		}); err != nil {
			return err
		}
		return s.keepOnAll()
	})
}

// Drop empties the validation batch.
func (s *PeersSearcher) Drop() {
	for _, r := range s.members {
		r.trees.Drop()
	}
}

// Check validates the searches of the batch, each GPU on its share of the tuples
// (validate.Batch).
func (s *PeersSearcher) Check(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.inPhase("validation", func() (err error) {
		trees, err = s.batch().Check(ctx)
		return err
	})
	return trees, err
}

// CountEdges returns the facts of the searches of the batch without validation.
func (s *PeersSearcher) CountEdges(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.inPhase("validation", func() (err error) {
		trees, err = s.batch().CountEdges(ctx)
		return err
	})
	return trees, err
}

// Results copies the results of search number i of the batch to host memory, those of the
// ranges of this process's GPUs. The next call of Results, AllResults or Set overwrites them.
func (s *PeersSearcher) Results(ctx context.Context, i int) (engine.Results, error) {
	e := s.engine
	own := e.ranges[e.team.First():][:len(e.members)]
	return s.resultsOf(ctx, i, own[0].First, own[len(own)-1].End)
}

// AllResults is Results for the ranges of all GPUs.
func (s *PeersSearcher) AllResults(ctx context.Context, i int) (engine.Results, error) {
	return s.resultsOf(ctx, i, 0, s.engine.members[0].vertices)
}

// resultsOf copies the results of vertices first..end-1 of search number i.
func (s *PeersSearcher) resultsOf(ctx context.Context, i int, first, end uint64) (engine.Results, error) {
	if err := s.allocateHost(); err != nil {
		return engine.Results{}, err
	}
	part := engine.Results{First: engine.Vertex(first), Parents: s.host.Parents[first:end]}
	if s.kernel == engine.SSSP {
		part.Distances = s.host.Distances[first:end]
	}
	err := s.engine.inPhase("copying of results", func() error {
		kept, err := s.members[0].trees.Results(i)
		if err != nil {
			return err
		}
		return errors.Join(read(ctx, kept.Parents, int(first), part.Parents), read(ctx, kept.Distances, int(first), part.Distances))
	})
	return part, err
}

// allocateHost allocates the host's copy of the results, unless there is one.
func (s *PeersSearcher) allocateHost() (err error) {
	n := int(s.engine.members[0].vertices)
	if s.host.Parents == nil {
		if s.host.Parents, err = memory.Alloc[engine.Local](n); err != nil {
			return err
		}
	}
	if s.host.Distances == nil && s.kernel == engine.SSSP {
		s.host.Distances, err = memory.Alloc[float32](n)
	}
	return err
}

// CountWork returns no counts: there is no counted form of the search.
func (s *PeersSearcher) CountWork(context.Context, engine.Vertex) (*engine.Counts, error) {
	return nil, nil
}

// Close frees all memory of the searcher.
func (s *PeersSearcher) Close() error {
	err := s.engine.inPhase("closing", func() error {
		var errs []error
		if s.search != nil {
			errs = append(errs, s.search.Close())
		}
		for _, r := range slices.Backward(s.members) {
			errs = append(errs, r.trees.Close())
			for _, c := range r.clearers {
				errs = append(errs, c.Close())
			}
			errs = append(errs, r.wide.close())
			errs = append(errs, r.held.Free())
		}
		return errors.Join(errs...)
	})
	return errors.Join(err, memory.Free(s.host.Parents), memory.Free(s.host.Distances))
}
