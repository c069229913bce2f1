//go:build cuda

package techniques

import (
	"context"
	"errors"

	"graph500/engine"
	"graph500/kernels"
)

const (
	warpDegree  = 32           // neighbours from which on a warp expands a vertex
	blockDegree = blockThreads // and a block
)

func degreeBuckets() Technique {
	return Technique{
		Name:      "degree-buckets",
		Doc:       "three queues by degree: a vertex of the first is expanded by a thread, of the second by a warp, of the third by a block",
		Source:    "PMPP 15.7",
		Structure: "CSR",
		Memory: func(_, rows, arcs uint64) []engine.Allocation {
			entries := uint64(0)
			for _, n := range bucketRoom(rows, arcs) {
				entries += n
			}
			return []engine.Allocation{searching("buckets", 2*4*entries)}
		},
		New: newDegreeBuckets,
	}
}

// bucketRoom returns how many vertices there can be in each bucket: those of
// degree d have d arcs each.
func bucketRoom(rows, arcs uint64) [3]uint64 {
	return [3]uint64{rows, min(rows, arcs/warpDegree), min(rows, arcs/blockDegree)}
}

// bucketSizes are the numbers of entries of a frontier's buckets.
type bucketSizes [3]uint32

// degreeBucketsSearch holds two frontiers of three buckets each.
type degreeBucketsSearch struct {
	steered
	graph   *kernels.Graph
	parents *kernels.Array[engine.Local]
	start   *kernels.Kernel
	expand  [3]*kernels.Kernel // by a thread, a warp and a block
	buckets [2][3]*kernels.Array[engine.Local]
	sizes   *counters[bucketSizes]
}

func newDegreeBuckets(_ context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (Search, error) {
	s := &degreeBucketsSearch{graph: g, parents: parents}
	return made(s, s.allocate(d, counted))
}

func (s *degreeBucketsSearch) allocate(d *kernels.Device, counted bool) (err error) {
	if err = s.open(d, "degree_buckets", counted); err != nil {
		return err
	}
	if s.start, err = s.module.Kernel("degree_buckets_start"); err != nil {
		return err
	}
	for b, unit := range []string{"thread", "warp", "block"} {
		if s.expand[b], err = s.module.Kernel("degree_buckets_" + unit); err != nil {
			return err
		}
	}
	room := bucketRoom(uint64(s.graph.Rows.Len()), uint64(s.graph.Info.Arcs))
	for i := range s.buckets {
		for b := range s.buckets[i] {
			if s.buckets[i][b], err = kernels.Alloc[engine.Local](d, "bucket", int(room[b])); err != nil {
				return err
			}
		}
	}
	s.sizes, err = newCounters[bucketSizes](d)
	return err
}

// arguments are the last ones of every kernel: what it fills, and the limits.
func (s *degreeBucketsSearch) arguments(to [3]*kernels.Array[engine.Local], sizes uint64) []uint64 {
	return []uint64{to[0].Address(), to[1].Address(), to[2].Address(), sizes, warpDegree, blockDegree}
}

// Search fills the parents of every vertex reachable from root.
func (s *degreeBucketsSearch) Search(ctx context.Context, root engine.Local) error {
	var sizes bucketSizes
	begin := func() error {
		s.sizes.rewind()
		at, err := s.sizes.take()
		if err != nil {
			return err
		}
		args := []uint64{s.graph.Index.Address(), s.graph.Rows.Address(), s.parents.Address(), uint64(root)}
		if err := s.launchBlocks(s.start, 1, 1, append(args, s.arguments(s.buckets[0], at)...)...); err != nil {
			return err
		}
		sizes, err = s.sizes.read()
		return err
	}
	return s.search(ctx, begin, func() (more bool, err error) {
		from, to := s.buckets[s.turn()], s.buckets[1-s.turn()]
		at, err := s.sizes.take()
		if err != nil {
			return false, err
		}
		for b, n := range sizes {
			if n == 0 {
				continue
			}
			threads := uint64(n) * [3]uint64{1, 32, blockThreads}[b]
			args := []uint64{s.graph.Index.Address(), s.graph.Rows.Address(), s.graph.Neighbors.Address(), s.parents.Address(),
				from[b].Address(), uint64(n)}
			if err := s.launch(s.expand[b], threads, append(args, s.arguments(to, at)...)...); err != nil {
				return false, err
			}
		}
		count := sizes.sum()
		if sizes, err = s.sizes.read(); err != nil {
			return false, err
		}
		s.note(engine.Level{Direction: engine.TopDown, Frontier: count, Found: sizes.sum()})
		return sizes.sum() > 0, nil
	})
}

// sum is the number of vertices in all buckets.
func (b bucketSizes) sum() int64 { return int64(b[0]) + int64(b[1]) + int64(b[2]) }

// Close frees what the search took.
func (s *degreeBucketsSearch) Close() error {
	errs := []error{s.sizes.free()}
	for _, frontier := range s.buckets {
		for _, b := range frontier {
			errs = append(errs, b.Free())
		}
	}
	return errors.Join(append(errs, s.steered.Close())...)
}
