package cpu

import (
	"context"
	"sync/atomic"
	"time"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
	"graph500/partition"
)

// A rankedHybrid is the hybrid search over ranks. Each rank has the rows of its own
// vertices, numbered from 0 in queues and parents, and a bitmap of all vertices. In a
// top-down level, ranks send the pairs of a vertex and its parent to the vertex's owner.
// In a bottom-up level, they find parents for their own vertices and gather the bitmap.
// The bitmap of a rank contains the own visited vertices, and of the others at least
// those that were visited before the last bottom-up level, and never unvisited ones that
// do not become visited in the same level.
type rankedHybrid struct {
	hybrid
	world    *cluster.World
	ranges   partition.Ranges
	first    engine.Label // label of the first own vertex
	gathered []uint64     // bitmap of all vertices: receives, then changes places with visited
	outgoing [][][]uint64 // by worker and rank: pairs, the vertex in the upper half
	incoming *cluster.Exchanger[uint64]

	unvisited  int64  // vertices of all ranks
	unexplored uint64 // arcs of all ranks
	clock      time.Time
}

func newRankedHybrid() method { return new(rankedHybrid) }

func (s *rankedHybrid) arrays(z size) memory.Group {
	g := s.hybrid.arrays(z)
	g.Arrays = append(g.Arrays, memory.Of(&s.gathered, "visited bitmaps", z.allWords()))
	return g
}

func (s *rankedHybrid) start(ctx context.Context, in *input) error {
	first, _ := in.ranges.Range(in.world.Rank())
	s.world, s.ranges, s.first = in.world, in.ranges, engine.Label(first)
	s.firstWord = in.ranges.Words() * in.world.Rank()
	s.incoming = cluster.NewExchanger[uint64](in.world)
	for range in.team.Size() {
		s.outgoing = append(s.outgoing, make([][]uint64, in.world.Size()))
	}
	return s.hybrid.start(ctx, in)
}

func (s *rankedHybrid) search(ctx context.Context, root engine.Label) error {
	s.profile.Reset()
	s.clock = time.Now()
	s.clearVisited()
	s.visited[root>>6] |= 1 << (root & 63)
	s.queue = s.queue[:0]
	if s.ranges.Owner(root) == s.world.Rank() {
		s.parents[root-s.first] = root
		s.queue = append(s.queue, root-s.first)
	}
	s.unvisited, s.unexplored = s.g.Info.Connected-1, uint64(s.g.Info.Arcs)
	hubsReady := false
	for {
		frontier, err := s.topDownLevels(ctx)
		if frontier == 0 || s.unvisited == 0 || err != nil {
			return err
		}
		if err := s.gather(ctx, s.visited[s.firstWord:][:len(s.nextVisited)]); err != nil {
			return err
		}
		if frontier, err = s.bottomUpLevels(ctx, frontier, !hubsReady); frontier == 0 || s.unvisited == 0 || err != nil {
			return err
		}
		hubsReady = true
	}
}

// topDownLevels runs levels until the frontier has too many arcs. It returns the number
// of vertices in the last frontier.
func (s *rankedHybrid) topDownLevels(ctx context.Context) (frontier int64, err error) {
	limit := max(s.unexplored/alpha, serialArcs)
	frontier, arcs, err := s.measureFrontier(ctx, limit)
	for err == nil && frontier > 0 && s.unvisited > 0 && arcs <= limit {
		s.unexplored -= min(arcs, s.unexplored)
		if err := s.expand(ctx); err != nil {
			return 0, err
		}
		level := engine.Level{Direction: engine.TopDown, Frontier: frontier, Examined: int64(arcs)}
		limit = max(s.unexplored/alpha, serialArcs)
		frontier, arcs, err = s.measureFrontier(ctx, limit)
		level.Found = frontier
		s.record(level)
	}
	return frontier, err
}

// measureFrontier returns the numbers of vertices and arcs of all ranks' frontiers. The
// number of arcs can be too small if it is above limit.
func (s *rankedHybrid) measureFrontier(ctx context.Context, limit uint64) (vertices int64, arcs uint64, err error) {
	sums := []int64{int64(len(s.queue)), int64(s.frontierArcs(limit))}
	err = s.world.Sum(ctx, sums)
	return sums[0], uint64(sums[1]), err
}

// record adds a level to the profile and counts its vertices as visited.
func (s *rankedHybrid) record(l engine.Level) {
	now := time.Now()
	l.Seconds = now.Sub(s.clock).Seconds()
	s.clock = now
	s.profile.Add(l)
	s.unvisited -= l.Found
}

// expand visits the neighbours of the queue, sends those of other ranks to their owners
// and makes the newly reached own vertices the queue.
func (s *rankedHybrid) expand(ctx context.Context) error {
	s.queueTail.Store(0)
	s.next.Store(0)
	s.nextSegment.Store(0)
	for _, parts := range s.outgoing {
		for r := range parts {
			parts[r] = parts[r][:0]
		}
	}
	s.team.Run(func(worker int) {
		parts := s.outgoing[worker]
		s.expandRows(worker, func(t *topDown, v engine.Label, neighbors []engine.Label) {
			s.visitOrSend(t, parts, v+s.first, neighbors)
		})
	})
	pairs, err := s.incoming.Exchange(ctx, s.outgoing...)
	if err != nil {
		return err
	}
	if err := s.team.For(ctx, len(pairs), longRow, func(worker, lo, hi int) {
		t := s.topDown[worker]
		for _, pair := range pairs[lo:hi] {
			if v := engine.Label(pair >> 32); s.claim(v) {
				s.parents[v-s.first] = engine.Label(pair)
				t.found = append(t.found, v-s.first)
			}
		}
		s.flush(t)
	}); err != nil {
		return err
	}
	n := s.queueTail.Load()
	s.queue, s.nextQueue = s.nextQueue[:n], s.queue[:0]
	return nil
}

// claim marks v as visited. It returns false if v was marked already.
func (s *rankedHybrid) claim(v engine.Label) bool {
	word, bit := &s.visited[v>>6], uint64(1)<<(v&63)
	if atomic.LoadUint64(word)&bit != 0 {
		return false
	}
	if s.team.Size() == 1 { // atomic operations cost several times as much
		*word |= bit
		return true
	}
	return atomic.OrUint64(word, bit)&bit == 0
}

// visitOrSend claims the unvisited neighbours of the vertex with label v. Those of other
// ranks go to parts.
func (s *rankedHybrid) visitOrSend(t *topDown, parts [][]uint64, v engine.Label, neighbors []engine.Label) {
	for _, w := range neighbors {
		if !s.claim(w) {
			continue
		}
		if own := w - s.first; uint64(own) < uint64(len(s.parents)) {
			s.parents[own] = v
			t.found = append(t.found, own)
			continue
		}
		r := s.ranges.Owner(w)
		parts[r] = append(parts[r], uint64(w)<<32|uint64(v))
	}
	if len(t.found) >= longRow {
		s.flush(t)
	}
}

// gather replaces visited by the own words of all ranks. The bitmap before it is in
// gathered.
func (s *rankedHybrid) gather(ctx context.Context, own []uint64) error {
	err := cluster.Allgather(ctx, s.world, own, s.gathered)
	s.visited, s.gathered = s.gathered, s.visited
	return err
}

// bottomUpLevels runs bottom-up levels until few vertices are found, and collects these
// as the queue. It returns their number.
func (s *rankedHybrid) bottomUpLevels(ctx context.Context, frontier int64, resetHubs bool) (found int64, err error) {
	for {
		s.updateHubs(resetHubs)
		resetHubs = false
		ownFound, ownExtra := s.bottomUpLevel(ctx)
		if err := s.gather(ctx, s.nextVisited); err != nil {
			return 0, err
		}
		sums := []int64{ownFound, ownExtra}
		if err := s.world.Sum(ctx, sums); err != nil {
			return 0, err
		}
		found := sums[0]
		examined := s.unvisited + sums[1]
		s.record(engine.Level{Direction: engine.BottomUp, Frontier: frontier, Found: found, Examined: examined})
		frontier = found
		if s.unvisited == 0 || found == 0 {
			return found, nil
		}
		if words := int64(len(s.visited)); found*switchBack < words+s.unvisited {
			s.collect(s.visited[s.firstWord:], s.gathered[s.firstWord:])
			s.unexplored = max(uint64(examined), uint64(float64(s.g.Info.Arcs)*float64(s.unvisited)/float64(s.g.Info.Connected)))
			return found, nil
		}
	}
}
