package cpu

import (
	"context"
	"errors"
	"math/bits"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
	"graph500/parallel"
)

const (
	// alpha sets when to turn from top-down to bottom-up: when the frontier
	// has more than one arc for every alpha unexplored ones (Beamer,
	// Asanović, Patterson, SC 2012, with the value measured best here).
	alpha = 30
	// turnBack sets when to turn from bottom-up to top-down: when a level
	// found less than one vertex for so many words and unvisited vertices
	// that the next level would have to look at.
	turnBack = 32
	// collectWords is the number of words that a worker takes at a time when
	// it looks for what a level found: at most longRow vertices.
	collectWords = longRow / 64
)

// A hybrid is the default strategy: direction-optimizing breadth-first search
// with a bitmap of visited vertices. Levels are complete before the next one
// begins, so a visited neighbour of an unvisited vertex is always in the
// frontier and bottom-up levels need no other record of it.
type hybrid struct {
	g       *graph.CSR
	team    *parallel.Team
	parents []engine.Local
	profile engine.Profile

	visited, after []uint64       // before and after a bottom-up level
	hubs           []engine.Local // state of the hubs, see bottomUp
	unseen         [][]uint32     // by worker: its hubs not yet seen visited
	queue, spare   []engine.Local
	pieces         []piece
	step           int // words that a worker takes at a time

	top    []*topDown
	bottom []*bottomUp

	next, nextPiece, reserved atomic.Int64
}

func newHybrid(in *input) (method, error) {
	g, team, parents := in.g, in.team, in.parents
	words := len(g.Present)
	s := &hybrid{g: g, team: team, parents: parents}
	s.step = max(32, min(words/(8*team.Size()), chunkWords)) // enough steps to share evenly
	var errs [4]error
	s.visited, errs[0] = memory.Alloc[uint64](words)
	s.after, errs[1] = memory.Alloc[uint64](words)
	s.queue, errs[2] = memory.Alloc[engine.Local](int(g.Info.Connected) + 1)
	s.spare, errs[3] = memory.Alloc[engine.Local](int(g.Info.Connected) + 1)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.hubs = make([]engine.Local, len(g.Hubs)+1)
	s.hubs[len(g.Hubs)] = engine.None
	s.unseen = make([][]uint32, team.Size())
	for worker := range team.Size() {
		s.unseen[worker] = make([]uint32, 0, len(g.Hubs)/team.Size()+1)
		s.top = append(s.top, &topDown{found: make([]engine.Local, 0, 2*longRow)})
		s.bottom = append(s.bottom, newBottomUp(g, parents, s.hubs))
	}
	return s, nil
}

func (s *hybrid) close() error {
	return errors.Join(memory.Free(s.visited), memory.Free(s.after), memory.Free(s.queue), memory.Free(s.spare))
}

func (s *hybrid) search(ctx context.Context, root engine.Local) error {
	g := s.g
	s.profile.Reset()
	s.parents[root] = root
	if !g.Has(root) {
		return nil
	}
	s.clearVisited()
	s.visited[root>>6] |= 1 << (root & 63)
	s.queue = append(s.queue[:0], root)
	unvisited := g.Info.Connected - 1
	unexplored := uint64(g.Info.Arcs)
	hubsKnown := false

	clock := time.Now()
	note := func(l engine.Level) {
		now := time.Now()
		l.Seconds = now.Sub(clock).Seconds()
		clock = now
		s.profile.Add(l)
		unvisited -= l.Found
	}
	for unvisited > 0 {
		for len(s.queue) > 0 && unvisited > 0 {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			limit := max(unexplored/alpha, alone)
			arcs := s.frontierArcs(limit)
			if arcs > limit {
				break
			}
			unexplored -= min(arcs, unexplored)
			frontier := len(s.queue)
			s.expand(arcs)
			note(engine.Level{Direction: engine.TopDown, Frontier: int64(frontier), Found: int64(len(s.queue)), Examined: int64(arcs)})
		}
		if len(s.queue) == 0 || unvisited == 0 {
			break
		}
		frontier := int64(len(s.queue))
		var examined int64
		for {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			s.lookAtHubs(!hubsKnown)
			hubsKnown = true
			found, extra := s.bottomUpLevel(ctx)
			examined = unvisited + extra
			note(engine.Level{Direction: engine.BottomUp, Frontier: frontier, Found: found, Examined: examined})
			frontier = found
			if found*turnBack < int64(len(s.visited))+unvisited || unvisited == 0 {
				break
			}
		}
		if frontier == 0 || unvisited == 0 {
			break
		}
		s.collect()
		// What the last level looked at bounds what is left from below; by the
		// mean degree alone a dense rest would be taken for a small one.
		unexplored = max(uint64(examined), uint64(float64(g.Info.Arcs)*float64(unvisited)/float64(g.Info.Connected)))
	}
	return context.Cause(ctx)
}

// levels returns those of the last search.
func (s *hybrid) levels() engine.Profile { return s.profile }

// clearVisited marks all vertices as not visited.
func (s *hybrid) clearVisited() {
	const small = 1 << 14 // words; one worker alone is faster with less
	if len(s.visited) <= small {
		clear(s.visited)
		return
	}
	s.team.Run(func(worker int) {
		lo, hi := parallel.Split(len(s.visited), s.team.Size(), worker)
		clear(s.visited[lo:hi])
	})
}

// lookAtHubs brings the table of hubs up to date with visited.
func (s *hybrid) lookAtHubs(fresh bool) {
	labels := s.g.Hubs
	s.team.Run(func(worker int) {
		lo, hi := parallel.Split(len(labels), len(s.unseen), worker)
		unseen := s.unseen[worker]
		if fresh {
			unseen = unseen[:hi-lo]
			for h := lo; h < hi; h++ {
				unseen[h-lo] = uint32(h)
			}
			for h := lo; h < hi; h++ {
				s.hubs[h] = engine.None
			}
		}
		left := unseen[:0]
		for _, h := range unseen {
			v := labels[h]
			if s.visited[v>>6]>>(v&63)&1 != 0 {
				s.hubs[h] = v
			} else {
				left = append(left, h)
			}
		}
		s.unseen[worker] = left
	})
}

// bottomUpLevel looks for a parent of every unvisited vertex.
func (s *hybrid) bottomUpLevel(ctx context.Context) (found, extra int64) {
	s.next.Store(0)
	words := len(s.visited)
	s.team.Run(func(worker int) {
		b := s.bottom[worker]
		b.found, b.extra = 0, 0
		for ctx.Err() == nil {
			lo := int(s.next.Add(int64(s.step))) - s.step
			if lo >= words {
				return
			}
			b.words(s.visited, s.after, lo, min(lo+s.step, words))
		}
	})
	for _, b := range s.bottom {
		found += b.found
		extra += b.extra
	}
	s.visited, s.after = s.after, s.visited
	return found, extra
}

// collect makes the vertices that the last bottom-up level found the queue.
func (s *hybrid) collect() {
	s.next.Store(0)
	s.reserved.Store(0)
	words := len(s.visited)
	s.team.Run(func(worker int) {
		t := s.top[worker]
		for {
			lo := int(s.next.Add(collectWords)) - collectWords
			if lo >= words {
				break
			}
			for w := lo; w < min(lo+collectWords, words); w++ {
				for m := s.visited[w] &^ s.after[w]; m != 0; m &= m - 1 {
					t.found = append(t.found, engine.Local(w<<6+bits.TrailingZeros64(m)))
				}
			}
			if len(t.found) >= longRow {
				s.flush(t)
			}
		}
		s.flush(t)
	})
	n := s.reserved.Load()
	s.queue, s.spare = s.spare[:n], s.queue[:0]
}

func hybridMemory(vertices, rows uint64) []engine.Allocation {
	return []engine.Allocation{
		{Name: "frontier queues", Bytes: 8 * rows, Phase: engine.Searching},
		{Name: "visited bitmaps", Bytes: vertices / 4, Phase: engine.Searching},
	}
}
