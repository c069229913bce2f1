package cpu

import (
	"context"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
	"graph500/parallel"
)

const (
	// alpha controls the switch from top-down to bottom-up: the search
	// switches when the arcs of the frontier exceed the unexplored arcs
	// divided by alpha (Beamer, Asanović, Patterson, SC 2012; this value was
	// the fastest here).
	alpha = 30
	// switchBack controls the switch from bottom-up to top-down: the search
	// switches when the vertices found in a level, times switchBack, are fewer
	// than the bitmap words plus the unvisited vertices, which the next
	// bottom-up level would have to examine.
	switchBack = 32
	// collectWords is the number of bitmap words that a worker takes at a time
	// when it collects the frontier. They hold at most longRow vertices.
	collectWords = longRow / 64
)

// A hybrid is what a rank does alone in the search of several ranks, see rankedHybrid:
// direction-optimizing breadth-first search with a bitmap of visited vertices. Each level ends
// before the next one begins. A visited neighbour of an unvisited vertex is therefore always in the
// frontier, and bottom-up levels need no separate frontier bitmap.
type hybrid struct {
	g       *graph.CSR
	team    *parallel.Team
	parents []engine.Label
	profile engine.Profile

	visited          []uint64       // bitmap of all labels, of a bottom-up level before it
	nextVisited      []uint64       // bitmap of the rows after a bottom-up level
	firstWord        int            // of the rows in visited; 0 if the graph is whole
	hubs             []engine.Label // hub table, see bottomUp
	unvisitedHubs    [][]uint32     // by worker: hubs of its share that the table holds as unvisited
	queue, nextQueue []engine.Label
	segments         []rowSegment
	taskWords        int // bitmap words that a worker takes at a time in a bottom-up level

	topDown  []*topDown  // by worker
	bottomUp []*bottomUp // by worker

	next, nextSegment atomic.Int64 // next task of the current loop
	queueTail         atomic.Int64 // length of nextQueue
}

func (s *hybrid) arrays(z size) memory.Group {
	const queues, bitmaps = "frontier queues", "visited bitmaps"
	return memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{
		memory.Of(&s.queue, queues, z.rows+1), memory.Of(&s.nextQueue, queues, z.rows+1),
		memory.Of(&s.visited, bitmaps, z.allWords()), memory.Of(&s.nextVisited, bitmaps, z.words()),
	}}
}

// start creates the hub table and the states of the workers.
func (s *hybrid) start(_ context.Context, in *input) error {
	s.g, s.team, s.parents = in.g, in.team, in.parents
	g, workers := s.g, s.team.Size()
	s.taskWords = max(32, min(len(g.Present)/(8*workers), chunkWords)) // enough tasks for an even load
	s.hubs = make([]engine.Label, len(g.Hubs)+1)
	s.hubs[len(g.Hubs)] = engine.None
	s.unvisitedHubs = make([][]uint32, workers)
	for worker := range workers {
		s.unvisitedHubs[worker] = make([]uint32, 0, len(g.Hubs)/workers+1)
		s.topDown = append(s.topDown, &topDown{found: make([]engine.Label, 0, 2*longRow)})
		s.bottomUp = append(s.bottomUp, newBottomUp(g, s.parents, s.hubs))
	}
	return nil
}

func (s *hybrid) close() error { return nil }

// levels returns the profile of the last search.
func (s *hybrid) levels() engine.Profile { return s.profile }

// clearVisited marks all vertices as unvisited.
func (s *hybrid) clearVisited() {
	const serialWords = 1 << 14 // one worker is faster up to this size
	if len(s.visited) <= serialWords {
		clear(s.visited)
		return
	}
	s.team.Run(func(worker int) {
		lo, hi := parallel.Split(len(s.visited), s.team.Size(), worker)
		clear(s.visited[lo:hi])
	})
}

// updateHubs updates the hub table from visited. reset is true for the first
// update of a search.
func (s *hybrid) updateHubs(reset bool) {
	labels := s.g.Hubs
	s.team.Run(func(worker int) {
		lo, hi := parallel.Split(len(labels), len(s.unvisitedHubs), worker)
		unvisited := s.unvisitedHubs[worker]
		if reset {
			unvisited = unvisited[:hi-lo]
			for h := lo; h < hi; h++ {
				unvisited[h-lo] = uint32(h)
			}
			for h := lo; h < hi; h++ {
				s.hubs[h] = engine.None
			}
		}
		left := unvisited[:0]
		for _, h := range unvisited {
			v := labels[h]
			if s.visited[v>>6]>>(v&63)&1 != 0 {
				s.hubs[h] = v
			} else {
				left = append(left, h)
			}
		}
		s.unvisitedHubs[worker] = left
	})
}

// bottomUpLevel searches a parent for every unvisited vertex and writes nextVisited. It
// returns the number of vertices found and of neighbours examined after the first.
func (s *hybrid) bottomUpLevel(ctx context.Context) (found, extra int64) {
	s.next.Store(0)
	words := len(s.g.Present)
	own := s.visited[s.firstWord:][:words]
	s.team.Run(func(worker int) {
		b := s.bottomUp[worker]
		b.found, b.extra = 0, 0
		for ctx.Err() == nil {
			lo := int(s.next.Add(int64(s.taskWords))) - s.taskWords
			if lo >= words {
				return
			}
			b.processChunk(s.visited, own, s.nextVisited, lo, min(lo+s.taskWords, words))
		}
	})
	for _, b := range s.bottomUp {
		found += b.found
		extra += b.extra
	}
	return found, extra
}

// collect fills the queue with the vertices found by a bottom-up level, from the bitmaps
// of the rows after and before it.
func (s *hybrid) collect(after, before []uint64) {
	s.next.Store(0)
	s.queueTail.Store(0)
	words := len(s.g.Present)
	s.team.Run(func(worker int) {
		t := s.topDown[worker]
		for {
			lo := int(s.next.Add(collectWords)) - collectWords
			if lo >= words {
				break
			}
			for w := lo; w < min(lo+collectWords, words); w++ {
				for m := after[w] &^ before[w]; m != 0; m &= m - 1 {
					t.found = append(t.found, engine.Label(w<<6+bits.TrailingZeros64(m)))
				}
			}
			if len(t.found) >= longRow {
				s.flush(t)
			}
		}
		s.flush(t)
	})
	n := s.queueTail.Load()
	s.queue, s.nextQueue = s.nextQueue[:n], s.queue[:0]
}
