//go:build cuda

package gpu

import (
	"context"
	"errors"

	"graph500/device"
	"graph500/device/exchange"
	"graph500/engine"
	"graph500/kernels/distributed"
	"graph500/kernels/validate"
)

// DistributedSearcher searches the graph of GPUs that cannot access each other's memory, and
// validates the results. What does not depend on how GPUs reach each other is that of
// PeersSearcher, which has no search.
type DistributedSearcher struct {
	PeersSearcher
	engine *Distributed
	search hostSearch // nil for a graph without edges
}

// hostSearch is a search that the host steers.
type hostSearch interface {
	Search(ctx context.Context, root engine.Local) error
	Profile() (engine.Profile, error)
	Close() error
}

// NewSearcher returns a searcher for the default strategy of a kernel of the job.
func (e *Distributed) NewSearcher(ctx context.Context, of engine.Strategy) (engine.Searcher, error) {
	if err := e.checkStrategy(of); err != nil {
		return nil, err
	}
	s := &DistributedSearcher{PeersSearcher: PeersSearcher{engine: &e.Peers, kernel: of.Kernel}, engine: e}
	if err := e.inPhase("construction", func() error { return s.prepare(ctx) }); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *DistributedSearcher) prepare(ctx context.Context) (err error) {
	e := s.engine
	if err := s.allocate(e.together(e.job, e.layout, s.kernel)); err != nil {
		return err
	}
	if e.graphInfo().Connected > 0 {
		s.search, err = s.newSearch(ctx)
	}
	return err
}

// newSearch returns the search of the kernel.
func (s *DistributedSearcher) newSearch(ctx context.Context) (hostSearch, error) {
	e := s.engine
	if s.kernel == engine.SSSP {
		search, err := distributed.NewPaths(ctx, e.team, e.exchange, e.weightedRanges, s.ownParents(), s.ownDistances(), e.buffers)
		if err != nil {
			return nil, err // not an interface that holds a nil pointer
		}
		return search, nil
	}
	search, err := distributed.New(ctx, e.team, e.exchange, e.graphs, s.ownParents(), e.buffers)
	if err != nil {
		return nil, err
	}
	return search, nil
}

// Search stores the results of all vertices reachable from root, each on the GPU that has the
// row of the vertex.
func (s *DistributedSearcher) Search(ctx context.Context, root engine.Vertex) error {
	return s.engine.inPhase("search", func() error {
		s.root = root
		return s.converted(func() error { return s.search.Search(ctx, engine.Local(root)) })
	})
}

// Profile returns the levels of the last search and its time by the clock of the first GPU
// of this process.
func (s *DistributedSearcher) Profile() (p engine.Profile, err error) {
	err = s.engine.inPhase("search", func() (err error) {
		p, err = s.search.Profile()
		return err
	})
	return p, err
}

// Keep adds the last search to the validation batch. Before, the GPUs exchange the results.
func (s *DistributedSearcher) Keep() error {
	return s.engine.inPhase("keeping of results", func() error {
		if err := s.convertBack(); err != nil {
			return err
		}
		var spans []exchange.Span
		for _, r := range s.engine.ranges {
			spans = append(spans, exchange.Span{First: int(r.First), Count: int(r.End - r.First)})
		}
		if err := exchange.Gather(s.engine.exchange, s.ownParents(), spans); err != nil {
			return err
		}
		if s.kernel == engine.SSSP {
			if err := exchange.Gather(s.engine.exchange, s.ownDistances(), spans); err != nil {
				return err
			}
		}
		if err := s.engine.team.Each(func(i int) error { return s.engine.members[i].device.Synchronize() }); err != nil {
			return err
		}
		if err := s.engine.exchange.State(); err != nil {
			return err
		}
		return s.keepOnAll()
	})
}

// ownParents returns the parents on the GPUs of this process.
func (s *DistributedSearcher) ownParents() (parents []device.Array[engine.Local]) {
	for _, r := range s.members {
		parents = append(parents, r.parents)
	}
	return parents
}

// ownDistances is ownParents for the distances.
func (s *DistributedSearcher) ownDistances() (distances []device.Array[float32]) {
	for _, r := range s.members {
		distances = append(distances, r.distances)
	}
	return distances
}

// batch returns the searches to validate.
func (s *DistributedSearcher) batch() validate.Batch {
	b := s.PeersSearcher.batch()
	b.Exchange, b.Buffers = s.engine.exchange, s.engine.buffers
	return b
}

// Check validates the searches of the batch, each GPU on its share of the tuples
// (validate.Batch).
func (s *DistributedSearcher) Check(ctx context.Context) (trees []engine.Tree, err error) {
	e := s.engine
	err = e.inPhase("validation", func() (err error) {
		trees, err = s.batch().Check(ctx)
		return err
	})
	return trees, err
}

// CountEdges returns the facts of the searches of the batch without validation.
func (s *DistributedSearcher) CountEdges(ctx context.Context) (trees []engine.Tree, err error) {
	e := s.engine
	err = e.inPhase("validation", func() (err error) {
		trees, err = s.batch().CountEdges(ctx)
		return err
	})
	return trees, err
}

// Close frees all memory of the searcher.
func (s *DistributedSearcher) Close() error {
	var err error
	if s.search != nil {
		err = s.engine.inPhase("closing", s.search.Close)
	}
	return errors.Join(err, s.PeersSearcher.Close())
}
