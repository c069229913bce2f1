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
	"graph500/kernels/stream"
	"graph500/kernels/validate"
	"graph500/memory"
)

// PeersSearcher searches the graph of several GPUs and validates the results.
type PeersSearcher struct {
	engine  *Peers
	members []*peerResults                 // of the GPUs of this process
	parents [][]device.Array[engine.Local] // of all GPUs, as those of this process access them (device.Reach)
	search  *bfs.Peers                     // nil for a graph without edges
	root    engine.Vertex
	host    []engine.Local // copy of results, allocated at first use
}

// peerResults is the part of a PeersSearcher on one GPU. A search writes the parents of the
// GPU's range; complete adds the others.
type peerResults struct {
	results
	held    *device.Held
	clearer *stream.Filler
	trees   *validate.Trees
}

// NewSearcher returns a searcher for the default strategy of BFS.
func (e *Peers) NewSearcher(ctx context.Context, of engine.Strategy) (engine.Searcher, error) {
	if of.Kernel != engine.BFS || of.Name != defaultStrategy {
		return nil, fmt.Errorf("gpu: strategy %q for %s does not run on several GPUs", of.Name, of.Kernel)
	}
	s := &PeersSearcher{engine: e}
	if err := e.inPhase("construction", func() error { return s.prepare(ctx) }); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *PeersSearcher) prepare(ctx context.Context) (err error) {
	e := s.engine
	var parents []device.Array[engine.Local]
	for _, m := range e.members {
		r := &peerResults{}
		s.members = append(s.members, r)
		if r.held, err = m.device.Take(r.group(engine.BFS, m.vertices)); err != nil {
			return err
		}
		if r.clearer, err = stream.NewFiller(m.device, r.parents, engine.None); err != nil {
			return err
		}
		if r.trees, err = validate.NewTrees(m.device, engine.BFS, validate.Results{Parents: r.parents}, e.together(e.job, e.layout)); err != nil {
			return err
		}
		parents = append(parents, r.parents)
	}
	if s.parents, err = device.Reach(e.team, parents); err != nil {
		return err
	}
	if e.graphs[0].Info.Connected > 0 {
		s.search, err = bfs.NewPeers(ctx, e.team, e.graphs, parents, e.l2, e.deepBytes())
	}
	return err
}

// batches returns the validation batches of the GPUs of this process.
func (s *PeersSearcher) batches() (batches []*validate.Trees) {
	for _, r := range s.members {
		batches = append(batches, r.trees)
	}
	return batches
}

// Capacity returns the number of searches to validate together.
func (s *PeersSearcher) Capacity() int { return s.members[0].trees.Capacity() }

// Clear sets all parents to engine.None. It is called before a search.
func (s *PeersSearcher) Clear() error {
	if s.search != nil {
		defer s.search.Ready()
	}
	return s.engine.inPhase("clearing of results", func() error {
		return s.engine.team.Together(func(i int) error {
			if err := s.members[i].clearer.Fill(); err != nil {
				return err
			}
			return s.engine.members[i].device.Synchronize()
		})
	})
}

// Search stores the parents of all vertices reachable from root, each on the GPU that has
// the row of the vertex.
func (s *PeersSearcher) Search(ctx context.Context, root engine.Vertex) error {
	return s.engine.inPhase("search", func() error {
		s.root = root
		return s.search.Search(ctx, engine.Local(root))
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

// Keep adds the last search to the validation batch. Before, each GPU copies the parents
// of the other ranges.
func (s *PeersSearcher) Keep() error {
	return s.engine.inPhase("keeping of results", func() error {
		if err := s.engine.team.Wait(); err != nil { // for the end of the search on all ranks
			return err
		}
		if err := s.complete(); err != nil {
			return err
		}
		return s.keepOnAll()
	})
}

// complete copies the parents of each range to all GPUs.
func (s *PeersSearcher) complete() error {
	return s.engine.team.Together(func(i int) error {
		for k, r := range s.engine.ranges {
			if k == s.engine.team.First()+i {
				continue
			}
			if err := s.members[i].parents.CopyPart(int(r.First), s.parents[i][k], int(r.First), int(r.End-r.First)); err != nil {
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
	if err := fill(engine.Results{Parents: s.host}); err != nil {
		return err
	}
	s.root = root
	return s.engine.inPhase("copying of results", func() error {
		if err := s.engine.team.Together(func(i int) error { return s.members[i].parents.Write(0, s.host) }); err != nil {
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
// (validate.CheckTogether).
func (s *PeersSearcher) Check(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.inPhase("validation", func() (err error) {
		trees, err = validate.CheckTogether(ctx, s.engine.team, s.batches(), s.engine.shares())
		return err
	})
	return trees, err
}

// CountEdges returns the facts of the searches of the batch without validation.
func (s *PeersSearcher) CountEdges(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.inPhase("validation", func() (err error) {
		trees, err = validate.CountEdgesTogether(ctx, s.engine.team, s.batches(), s.engine.shares())
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
	host := s.host[first:end]
	err := s.engine.inPhase("copying of results", func() error {
		kept, err := s.members[0].trees.Results(i)
		if err != nil {
			return err
		}
		return read(ctx, kept.Parents, int(first), host)
	})
	return engine.Results{First: engine.Vertex(first), Parents: host}, err
}

// allocateHost allocates the host's copy of the results, unless there is one.
func (s *PeersSearcher) allocateHost() (err error) {
	if s.host == nil {
		s.host, err = memory.Alloc[engine.Local](int(s.engine.members[0].vertices))
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
		errs := []error{s.search.Close()}
		for _, r := range slices.Backward(s.members) {
			errs = append(errs, r.trees.Close())
			if r.clearer != nil {
				errs = append(errs, r.clearer.Close())
			}
			errs = append(errs, r.held.Free())
		}
		return errors.Join(errs...)
	})
	return errors.Join(err, memory.Free(s.host))
}
