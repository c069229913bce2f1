package cpu

import (
	"context"
	"math/bits"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/memory"
)

// switching is the textbook search from a frontier queue. A rule decides
// whether a level runs top-down from the queue or bottom-up with a bitmap of the
// frontier.
type switching struct {
	*input
	profile                engine.Profile
	queue, nextQueue       []engine.Label
	frontier, nextFrontier []uint64 // bitmaps
	rule                   rule
}

// state is the input of a rule.
type state struct {
	frontier, previous int64 // vertices in this frontier and in the previous one
	arcs               int64 // arcs of the frontier
	unexplored         int64 // arcs of unvisited vertices
	vertices           int64 // vertices with a row
}

// rule reports whether the next level runs bottom-up.
type rule func(s state, bottomUp bool) bool

// convertGrain is the number of bitmap words, or queue entries, that a worker
// takes at a time when it converts a bitmap to a queue or a queue to a bitmap.
const convertGrain = 1 << 12

func newFrontier() method {
	return &switching{rule: func(state, bool) bool { return false }}
}

func newDirectionHalf() method {
	return &switching{rule: func(s state, _ bool) bool { return s.frontier >= s.vertices/2 && s.vertices > 1 }}
}

func newDirection() method {
	return &switching{rule: func(s state, bottomUp bool) bool {
		if bottomUp {
			return s.frontier >= s.previous || s.frontier > s.vertices/engine.BeamerBeta
		}
		return s.arcs > s.unexplored/engine.BeamerAlpha && s.frontier > s.previous
	}}
}

func (s *switching) arrays(z size) memory.Group {
	const queues, bitmaps = "frontier queues", "frontier bitmaps"
	return memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{
		memory.Of(&s.queue, queues, z.rows+1), memory.Of(&s.nextQueue, queues, z.rows+1),
		memory.Of(&s.frontier, bitmaps, z.rowWords()), memory.Of(&s.nextFrontier, bitmaps, z.rowWords()),
	}}
}

func (s *switching) start(_ context.Context, in *input) error {
	s.input = in
	return nil
}

func (s *switching) close() error { return nil }

func (s *switching) search(ctx context.Context, root engine.Label) error {
	s.profile.Reset()
	s.parents[root] = root
	if !s.g.Has(root) {
		return nil
	}
	s.queue = append(s.queue[:0], root)
	now := state{frontier: 1, vertices: s.g.Info.Connected, unexplored: s.g.Info.Arcs, arcs: s.degree(root)}
	bottomUp := false
	for now.frontier > 0 {
		start := time.Now()
		level := engine.Level{Direction: engine.TopDown, Frontier: now.frontier}
		now.unexplored -= now.arcs
		if next := s.rule(now, bottomUp); next != bottomUp {
			convert := s.toQueue
			if next {
				convert = s.toBitmap
			}
			if err := convert(ctx); err != nil {
				return err
			}
			bottomUp = next
		}
		now.previous = now.frontier
		var err error
		if bottomUp {
			level.Direction = engine.BottomUp
			now.frontier, now.arcs, level.Examined, err = s.pull(ctx)
		} else {
			level.Examined = now.arcs
			now.frontier, now.arcs, err = s.push(ctx)
		}
		if err != nil {
			return err
		}
		level.Found = now.frontier
		level.Seconds = time.Since(start).Seconds()
		s.profile.Add(level)
	}
	return nil
}

// levels returns the profile of the last search.
func (s *switching) levels() engine.Profile { return s.profile }

func (s *switching) degree(v engine.Label) int64 {
	r := s.g.Row(v)
	return int64(s.g.Offsets[r+1] - s.g.Offsets[r])
}

// push visits the neighbours of the queue. The worker whose compare-and-swap
// replaces None as the parent of a vertex appends it to the next queue.
func (s *switching) push(ctx context.Context) (found, arcs int64, err error) {
	var tail, sum atomic.Int64
	err = s.team.For(ctx, len(s.queue), 64, func(_, lo, hi int) {
		var degrees int64
		for _, v := range s.queue[lo:hi] {
			for _, w := range s.g.NeighborsOf(v) {
				if atomic.LoadUint32(&s.parents[w]) == engine.None && atomic.CompareAndSwapUint32(&s.parents[w], engine.None, v) {
					s.nextQueue[tail.Add(1)-1] = w
					degrees += s.degree(w)
				}
			}
		}
		sum.Add(degrees)
	})
	s.queue, s.nextQueue = s.nextQueue[:tail.Load()], s.queue[:cap(s.queue)]
	return tail.Load(), sum.Load(), err
}

// pull looks for a frontier neighbour of every unvisited vertex.
func (s *switching) pull(ctx context.Context) (found, arcs, examined int64, err error) {
	var foundSum, arcSum, examinedSum atomic.Int64
	err = s.team.For(ctx, len(s.frontier), sweepWords, func(_, lo, hi int) {
		var found, arcs, examined int64
		for word := lo; word < hi; word++ {
			s.nextFrontier[word] = 0
			for m := s.g.Present[word]; m != 0; m &= m - 1 {
				v := engine.Label(word<<6 + bits.TrailingZeros64(m))
				if s.parents[v] != engine.None {
					continue
				}
				row := s.g.NeighborsOf(v)
				for _, w := range row {
					examined++
					if s.frontier[w>>6]>>(w&63)&1 != 0 {
						s.parents[v] = w
						s.nextFrontier[word] |= 1 << (v & 63)
						found++
						arcs += int64(len(row))
						break
					}
				}
			}
		}
		foundSum.Add(found)
		arcSum.Add(arcs)
		examinedSum.Add(examined)
	})
	s.frontier, s.nextFrontier = s.nextFrontier, s.frontier
	return foundSum.Load(), arcSum.Load(), examinedSum.Load(), err
}

// toBitmap converts the queue to the frontier bitmap.
func (s *switching) toBitmap(ctx context.Context) error {
	if err := s.team.For(ctx, len(s.frontier), convertGrain, func(_, lo, hi int) {
		clear(s.frontier[lo:hi])
	}); err != nil {
		return err
	}
	return s.team.For(ctx, len(s.queue), convertGrain, func(_, lo, hi int) {
		for _, v := range s.queue[lo:hi] {
			atomic.OrUint64(&s.frontier[v>>6], 1<<(v&63))
		}
	})
}

// toQueue converts the frontier bitmap to the queue. Each range of words reserves
// its queue entries with one atomic addition.
func (s *switching) toQueue(ctx context.Context) error {
	all := s.queue[:cap(s.queue)]
	var tail atomic.Int64
	err := s.team.For(ctx, len(s.frontier), convertGrain, func(_, lo, hi int) {
		words := s.frontier[lo:hi]
		count := 0
		for _, m := range words {
			count += bits.OnesCount64(m)
		}
		at := tail.Add(int64(count)) - int64(count)
		for i, m := range words {
			for ; m != 0; m &= m - 1 {
				all[at] = engine.Label((lo+i)<<6 + bits.TrailingZeros64(m))
				at++
			}
		}
	})
	s.queue = all[:tail.Load()]
	return err
}
