package cpu

import (
	"context"
	"math"

	"graph500/engine"
)

// integerPaths finds shortest paths whose weights are whole numbers, with distances of 64 bits
// (engine.Job.Integers). It settles one bucket of distances after the other, as Meyer and Sanders
// (2003) do, but relaxes all arcs of a vertex together, as in the near-far form of Davidson, Baxter,
// Garland and Owens (2014): improved vertices below the bound of the bucket are near and come next,
// the others are far and wait.
type integerPaths struct {
	pathRounds[uint64]
	width uint64 // of a bucket
}

func newIntegerPaths() method { return new(integerPaths) }

// start chooses the width of a bucket: the heaviest weight divided by the mean number of arcs of a
// row, by which few light arcs lead from a bucket into itself.
func (s *integerPaths) start(ctx context.Context, in *input) error {
	if err := s.pathRounds.start(ctx, in); err != nil {
		return err
	}
	arcs, rows := s.weighted.Arcs, uint64(len(s.weighted.Offsets)-1)
	heaviest := make([]uint32, in.team.Size())
	err := in.team.For(ctx, len(arcs), 1<<16, func(worker, lo, hi int) {
		for _, arc := range arcs[lo:hi] {
			heaviest[worker] = max(heaviest[worker], math.Float32bits(arc.Weight)) // engine.IntegerWeight
		}
	})
	s.width = 1
	for _, w := range heaviest {
		s.width = max(s.width, uint64(w)*rows/max(1, uint64(len(arcs))))
	}
	return err
}

func (s *integerPaths) search(ctx context.Context, root engine.Label) (err error) {
	s.begin(root)
	for bound, more := s.bound(0), true; more; bound, more = s.openBucket(s.bound) {
		for len(s.frontier) > 0 {
			if s.next, err = s.relax(ctx, "near", s.frontier, s.next[:0], bound, wholeRow); err != nil {
				return err
			}
			s.frontier, s.next = s.next, s.frontier
		}
	}
	return nil
}

// bound returns the upper bound of the bucket with the given least distance.
func (s *integerPaths) bound(least uint64) uint64 { return least + s.width }
