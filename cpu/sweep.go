package cpu

import (
	"context"
	"math/bits"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// sweep is a search without a frontier structure. Each level scans all items
// (vertices or tuples) and finds the frontier by the depth of the vertices.
// Several workers may reach a vertex at the same time. They store the same depth
// and a parent of the same level, so no claim is needed.
type sweep struct {
	*input
	depth   []uint32
	profile engine.Profile

	direction engine.Direction
	count     func(*input) int
	items     int // count: bitmap words or tuples
	grain     int // items that a worker takes at a time
	step      func(s *sweep, level uint32, lo, hi int) (examined int64, reached bool)
}

// sweepWords is the number of bitmap words that a worker takes at a time.
const sweepWords = 64

// unreached is the depth of an unvisited vertex.
const unreached = ^uint32(0)

func newPush() method {
	return &sweep{direction: engine.TopDown, count: bitmapWords, grain: sweepWords, step: (*sweep).push}
}

func newPull() method {
	return &sweep{direction: engine.BottomUp, count: bitmapWords, grain: sweepWords, step: (*sweep).pull}
}

func newEdge() method {
	count := func(in *input) int { return in.tuples.Len() }
	return &sweep{direction: engine.TopDown, count: count, grain: 1 << 14, step: (*sweep).edge}
}

func bitmapWords(in *input) int { return len(in.g.Present) }

func (s *sweep) arrays(z size) memory.Group {
	return memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{memory.Of(&s.depth, "depths", z.owned)}}
}

func (s *sweep) start(_ context.Context, in *input) error {
	s.input, s.items = in, s.count(in)
	return nil
}

func (s *sweep) close() error { return nil }

func (s *sweep) search(ctx context.Context, root engine.Label) error {
	err := s.team.For(ctx, len(s.depth), 1<<16, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			s.depth[v] = unreached
		}
	})
	s.depth[root] = 0
	s.parents[root] = root
	s.profile.Reset()
	for level := uint32(1); err == nil; level++ {
		start := time.Now()
		var examined atomic.Int64
		var reached atomic.Bool
		err = s.team.For(ctx, s.items, s.grain, func(_, lo, hi int) {
			n, any := s.step(s, level, lo, hi)
			examined.Add(n)
			if any {
				reached.Store(true)
			}
		})
		s.profile.Add(engine.Level{Direction: s.direction, Examined: examined.Load(), Seconds: time.Since(start).Seconds()})
		if !reached.Load() {
			break
		}
	}
	return err
}

// levels returns the profile of the last search. It counts the vertices of each
// level here, so that the timed search does not have to.
func (s *sweep) levels() engine.Profile {
	levels := s.profile.Levels
	found := make([][]int64, s.team.Size())
	s.team.Run(func(worker int) {
		count := make([]int64, len(levels)+1) // by depth
		lo, hi := parallel.Split(len(s.depth), s.team.Size(), worker)
		for _, d := range s.depth[lo:hi] {
			if d < uint32(len(count)) {
				count[d]++
			}
		}
		found[worker] = count
	})
	frontier := int64(1)
	for i := range levels {
		l := &levels[i]
		l.Frontier, l.Found = frontier, 0
		for _, count := range found {
			l.Found += count[i+1]
		}
		frontier = l.Found
	}
	return s.profile
}

// reach sets the parent of w to v, and its depth to level.
func (s *sweep) reach(w, v engine.Label, level uint32) {
	atomic.StoreUint32(&s.parents[w], v)
	atomic.StoreUint32(&s.depth[w], level)
}

// push visits the neighbours of the frontier vertices of words lo..hi-1.
func (s *sweep) push(level uint32, lo, hi int) (examined int64, reached bool) {
	for word := lo; word < hi; word++ {
		for m := s.g.Present[word]; m != 0; m &= m - 1 {
			v := engine.Label(word<<6 + bits.TrailingZeros64(m))
			if atomic.LoadUint32(&s.depth[v]) != level-1 {
				continue
			}
			row := s.g.NeighborsOf(v)
			examined += int64(len(row))
			for _, w := range row {
				if atomic.LoadUint32(&s.depth[w]) == unreached {
					s.reach(w, v, level)
					reached = true
				}
			}
		}
	}
	return examined, reached
}

// pull looks for a frontier neighbour of the unvisited vertices of words
// lo..hi-1.
func (s *sweep) pull(level uint32, lo, hi int) (examined int64, reached bool) {
	for word := lo; word < hi; word++ {
		for m := s.g.Present[word]; m != 0; m &= m - 1 {
			v := engine.Label(word<<6 + bits.TrailingZeros64(m))
			if atomic.LoadUint32(&s.depth[v]) != unreached {
				continue
			}
			for _, w := range s.g.NeighborsOf(v) {
				examined++
				if atomic.LoadUint32(&s.depth[w]) == level-1 {
					s.reach(v, w, level)
					reached = true
					break
				}
			}
		}
	}
	return examined, reached
}

// edge examines tuples lo..hi-1 in both directions.
func (s *sweep) edge(level uint32, lo, hi int) (examined int64, reached bool) {
	var buffer []engine.Edge
	edges, first := s.tuples.View(lo, hi, &buffer)
	for _, e := range edges[lo-first : hi-first] {
		u, v := atomic.LoadUint32(&s.depth[e.U]), atomic.LoadUint32(&s.depth[e.V])
		switch {
		case u == level-1 && v == unreached:
			s.reach(e.V, e.U, level)
			reached = true
		case v == level-1 && u == unreached:
			s.reach(e.U, e.V, level)
			reached = true
		}
	}
	return 2 * int64(hi-lo), reached
}
