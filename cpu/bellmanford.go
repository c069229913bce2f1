package cpu

import (
	"context"

	"graph500/engine"
)

// bellmanFord relaxes, in each round, all arcs of the vertices that the previous round
// has improved, until no distance changes.
type bellmanFord struct {
	pathRounds[uint32]
}

func newBellmanFord() method { return new(bellmanFord) }

func (s *bellmanFord) search(ctx context.Context, root engine.Label) (err error) {
	s.begin(root)
	for len(s.frontier) > 0 {
		if s.next, err = s.relax(ctx, "round", s.frontier, s.next[:0], engine.InfiniteBits, wholeRow); err != nil {
			return err
		}
		s.frontier, s.next = s.next, s.frontier
	}
	return nil
}
