package cpu

import (
	"context"
	"errors"
	"math/bits"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/memory"
)

// switching is the textbook search from a queue of frontier vertices, which
// may turn to bottom-up levels over a bitmap of the frontier and back. What
// it turns by is the strategy's rule.
type switching struct {
	*input
	profile      engine.Profile
	queue, spare []engine.Local
	front, after []uint64 // bitmaps of frontier and next frontier
	rule         rule
}

// state is what a rule decides on.
type state struct {
	frontier, previous int64 // vertices in this and the level before
	arcs               int64 // arcs of the frontier, top-down only
	unexplored         int64 // arcs of unvisited vertices
	vertices           int64 // vertices with a row
}

// rule says whether the next level runs bottom-up.
type rule func(s state, bottomUp bool) bool

// The values of Beamer, Asanović and Patterson, SC 2012.
const (
	beamerAlpha = 14
	beamerBeta  = 24
)

// turnWords is the number of words of a bitmap, or vertices of a queue, that a
// worker takes at a time when one is made from the other.
const turnWords = 1 << 12

func newFrontier(in *input) (method, error) {
	return newSwitching(in, func(state, bool) bool { return false })
}

func newDirectionHalf(in *input) (method, error) {
	return newSwitching(in, func(s state, _ bool) bool { return s.frontier >= s.vertices/2 && s.vertices > 1 })
}

func newDirection(in *input) (method, error) {
	return newSwitching(in, func(s state, bottomUp bool) bool {
		if bottomUp {
			return s.frontier >= s.previous || s.frontier > s.vertices/beamerBeta
		}
		return s.arcs > s.unexplored/beamerAlpha && s.frontier > s.previous
	})
}

func newSwitching(in *input, r rule) (method, error) {
	s := &switching{input: in, rule: r}
	n, words := int(in.g.Info.Connected)+1, len(in.g.Present)
	var errs [4]error
	s.queue, errs[0] = memory.Alloc[engine.Local](n)
	s.spare, errs[1] = memory.Alloc[engine.Local](n)
	s.front, errs[2] = memory.Alloc[uint64](words)
	s.after, errs[3] = memory.Alloc[uint64](words)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func switchingMemory(vertices, rows uint64) []engine.Allocation {
	return []engine.Allocation{
		{Name: "frontier queues", Bytes: 8 * rows, Phase: engine.Searching},
		{Name: "frontier bitmaps", Bytes: vertices / 4, Phase: engine.Searching},
	}
}

func (s *switching) close() error {
	return errors.Join(memory.Free(s.queue), memory.Free(s.spare), memory.Free(s.front), memory.Free(s.after))
}

func (s *switching) search(ctx context.Context, root engine.Local) error {
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
		level := engine.Level{Frontier: now.frontier}
		now.unexplored -= now.arcs
		turn := s.rule(now, bottomUp)
		if turn != bottomUp {
			to := s.toQueue
			if turn {
				to = s.toBitmap
			}
			if err := to(ctx); err != nil {
				return err
			}
			bottomUp = turn
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

// levels returns those of the last search.
func (s *switching) levels() engine.Profile { return s.profile }

func (s *switching) degree(v engine.Local) int64 {
	r := s.g.Row(v)
	return int64(s.g.Offsets[r+1] - s.g.Offsets[r])
}

// push visits the neighbours of the queue; who first replaces None by its own
// label has found the vertex and takes the next place in the queue.
func (s *switching) push(ctx context.Context) (found, arcs int64, err error) {
	var tail, sum atomic.Int64
	err = s.team.For(ctx, len(s.queue), 64, func(_, lo, hi int) {
		var degrees int64
		for _, v := range s.queue[lo:hi] {
			for _, w := range s.g.NeighborsOf(v) {
				if atomic.LoadUint32(&s.parents[w]) == engine.None && atomic.CompareAndSwapUint32(&s.parents[w], engine.None, v) {
					s.spare[tail.Add(1)-1] = w
					degrees += s.degree(w)
				}
			}
		}
		sum.Add(degrees)
	})
	s.queue, s.spare = s.spare[:tail.Load()], s.queue[:cap(s.queue)]
	return tail.Load(), sum.Load(), err
}

// pull lets every unvisited vertex look for a neighbour in the frontier.
func (s *switching) pull(ctx context.Context) (found, arcs, examined int64, err error) {
	var count, sum, looked atomic.Int64
	err = s.team.For(ctx, len(s.front), sweepWords, func(_, lo, hi int) {
		var found, arcs, examined int64
		for word := lo; word < hi; word++ {
			s.after[word] = 0
			for m := s.g.Present[word]; m != 0; m &= m - 1 {
				v := engine.Local(word<<6 + bits.TrailingZeros64(m))
				if s.parents[v] != engine.None {
					continue
				}
				row := s.g.NeighborsOf(v)
				for _, w := range row {
					examined++
					if s.front[w>>6]>>(w&63)&1 != 0 {
						s.parents[v] = w
						s.after[word] |= 1 << (v & 63)
						found++
						arcs += int64(len(row))
						break
					}
				}
			}
		}
		count.Add(found)
		sum.Add(arcs)
		looked.Add(examined)
	})
	s.front, s.after = s.after, s.front
	return count.Load(), sum.Load(), looked.Load(), err
}

// toBitmap makes the bitmap of the frontier from the queue.
func (s *switching) toBitmap(ctx context.Context) error {
	if err := s.team.For(ctx, len(s.front), turnWords, func(_, lo, hi int) {
		clear(s.front[lo:hi])
	}); err != nil {
		return err
	}
	return s.team.For(ctx, len(s.queue), turnWords, func(_, lo, hi int) {
		for _, v := range s.queue[lo:hi] {
			atomic.OrUint64(&s.front[v>>6], 1<<(v&63))
		}
	})
}

// toQueue makes the queue from the bitmap of the frontier. Each range of words
// takes its places in the queue at once.
func (s *switching) toQueue(ctx context.Context) error {
	all := s.queue[:cap(s.queue)]
	var tail atomic.Int64
	err := s.team.For(ctx, len(s.front), turnWords, func(_, lo, hi int) {
		words := s.front[lo:hi]
		count := 0
		for _, m := range words {
			count += bits.OnesCount64(m)
		}
		at := tail.Add(int64(count)) - int64(count)
		for i, m := range words {
			for ; m != 0; m &= m - 1 {
				all[at] = engine.Local((lo+i)<<6 + bits.TrailingZeros64(m))
				at++
			}
		}
	})
	s.queue = all[:tail.Load()]
	return err
}
