package cpu

import (
	"context"
	"sort"

	"graph500/engine"
	"graph500/graph"
)

// deltaStepping settles one bucket of distances after the other. A bucket begins at the
// least distance of a vertex that is not settled and has the width delta. The light
// arcs of its vertices, which have weights up to delta, are relaxed in rounds until
// none adds a vertex to the bucket; then the heavy ones once.
//
// The bounds of a bucket are computed once, and distances are only compared with them:
// a quotient by delta would round differently.
type deltaStepping struct {
	pathRounds[uint32]
	settled []reachedVertex[uint32] // vertices of this bucket whose light arcs were relaxed
}

func newDeltaStepping() method { return new(deltaStepping) }

func (s *deltaStepping) search(ctx context.Context, root engine.Label) error {
	s.begin(root)
	for bound, more := s.bound(0), true; more; bound, more = s.openBucket(s.bound) {
		if err := s.settleBucket(ctx, bound); err != nil {
			return err
		}
	}
	return nil
}

// bound returns the upper bound of the bucket with the given least distance.
func (s *deltaStepping) bound(least uint32) uint32 {
	return max(add(least, s.delta), least+1) // least + delta can round to least
}

// settleBucket relaxes the arcs of the vertices below the bound. A heavy arc leads to the
// bound or above it, so one turn is enough, unless delta is too small to change a distance.
func (s *deltaStepping) settleBucket(ctx context.Context, bound uint32) (err error) {
	for len(s.frontier) > 0 {
		s.settled = s.settled[:0]
		for len(s.frontier) > 0 {
			s.settled = append(s.settled, s.frontier...)
			if s.next, err = s.relax(ctx, "light", s.frontier, s.next[:0], bound, s.lightArcs); err != nil {
				return err
			}
			s.frontier, s.next = s.next, s.frontier
		}
		if s.frontier, err = s.relax(ctx, "heavy", s.settled, s.frontier, bound, s.heavyArcs); err != nil {
			return err
		}
	}
	return nil
}

// lightArcs returns the arcs of a row with weights up to delta.
func (s *deltaStepping) lightArcs(row []graph.Arc) []graph.Arc {
	return row[:sort.Search(len(row), func(i int) bool { return row[i].Weight > s.delta })]
}

// heavyArcs returns the other arcs of a row.
func (s *deltaStepping) heavyArcs(row []graph.Arc) []graph.Arc {
	return row[len(s.lightArcs(row)):]
}
