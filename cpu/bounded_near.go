package cpu

import (
	"container/heap"
	"context"
	"math"
	"sort"
	"sync/atomic"

	"graph500/engine"
	"graph500/graph"
)

// nearShare is the number of arcs per vertex that the near step may expand. The root
// is expanded unless it has more arcs than boundedLimits.longPush, too.
const nearShare = 0.002

// nearBatch is the number of vertices that a rank expands in a round of the near step.
const nearBatch = 8

// nearQueue is a heap of reached vertices, nearest first.
type nearQueue []reachedVertex[uint32]

func (q nearQueue) Len() int           { return len(q) }
func (q nearQueue) Less(i, j int) bool { return q[i].distance < q[j].distance }
func (q nearQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *nearQueue) Push(x any)        { *q = append(*q, x.(reachedVertex[uint32])) }
func (q *nearQueue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

// expandNear is Dijkstra's algorithm for the vertices nearest to the root, while the number of their
// arcs is at most nearShare per vertex. In each round, each rank expands its nearest reached
// vertices, until it is not allowed to expand the nearest one of all ranks. A vertex that was
// expanded too early is reached again. expandNear sets least and pauses the vertices that are reached
// but not expanded, for the first push.
func (s *bounded) expandNear(ctx context.Context, root engine.Label) error {
	const none = math.MaxInt64
	l := engine.Level{Step: "near"}
	budget := int64(nearShare * float64(s.g.Info.Connected))
	s.reached = s.reached[:0]
	if s.ranges.Owner(root) == s.world.Rank() {
		s.reach(improvement[uint32]{root, root, 0}, true)
		row := s.g.ArcsOf(root - s.first)
		if s.alone() && int64(len(row)) > max(budget, int64(s.limits.longPush)) {
			s.postponeRoot(root, row)
			return s.record(ctx, l)
		}
		budget = max(budget, int64(len(row)))
	}
	for {
		key := []int64{none} // distance of the nearest vertex, and in the last bit whether it must not be expanded
		if least := s.leastReached(l.Examined < budget); least != engine.UnreachedBits {
			key[0] = int64(least) << 1
			if !s.fitsNear(l.Examined, budget) {
				key[0]++
			}
		}
		if err := s.world.Min(ctx, key); err != nil {
			return err
		}
		if key[0] == none || key[0]&1 == 1 {
			s.leaveNear(uint32(min(key[0]>>1, engine.InfiniteBits)))
			return s.record(ctx, l)
		}
		for n := 0; n < nearBatch && s.fitsNear(l.Examined, budget); n++ {
			s.expandNearest(&l, budget)
		}
		s.sortLeaving()
		received, err := s.incoming.Exchange(ctx, s.outgoing...)
		if err != nil {
			return err
		}
		for _, x := range received {
			s.reach(x, l.Examined < budget)
		}
	}
}

// reach makes an improvement of an own vertex and lists the vertex. The list need not stay a heap
// once no vertex is taken from it.
func (s *bounded) reach(x improvement[uint32], heaped bool) {
	if x.distance >= s.distances[x.vertex] {
		return
	}
	s.distances[x.vertex], s.parents[x.vertex-s.first] = x.distance, x.parent
	if s.reached = append(s.reached, reachedVertex[uint32]{x.vertex, x.distance}); heaped {
		heap.Fix(&s.reached, len(s.reached)-1)
	}
}

// isStale reports whether the distance of a vertex has become smaller since it was listed.
func (s *bounded) isStale(v reachedVertex[uint32]) bool { return v.distance != s.distances[v.vertex] }

// leastReached returns the least distance of a reached vertex that is not expanded,
// engine.UnreachedBits if there is none.
func (s *bounded) leastReached(heaped bool) uint32 {
	if heaped {
		s.dropStale()
		if len(s.reached) > 0 {
			return s.reached[0].distance
		}
		return engine.UnreachedBits
	}
	least := uint32(engine.UnreachedBits)
	for _, v := range s.reached {
		if !s.isStale(v) {
			least = min(least, v.distance)
		}
	}
	return least
}

// dropStale removes stale vertices from the head of the queue.
func (s *bounded) dropStale() {
	for len(s.reached) > 0 && s.isStale(s.reached[0]) {
		heap.Pop(&s.reached)
	}
}

// fitsNear reports whether there is a nearest vertex that can be expanded after the given number of
// arcs.
func (s *bounded) fitsNear(arcs, budget int64) bool {
	s.dropStale()
	return len(s.reached) > 0 && arcs+int64(len(s.g.ArcsOf(s.reached[0].vertex-s.first))) <= budget
}

// expandNearest expands the nearest vertex of this rank with all its arcs.
func (s *bounded) expandNearest(l *engine.Level, budget int64) {
	top := heap.Pop(&s.reached).(reachedVertex[uint32])
	row := s.g.ArcsOf(top.vertex - s.first)
	l.Frontier++
	l.Examined += int64(len(row))
	heaped := l.Examined < budget
	w := &s.workers[0]
	for _, arc := range row {
		x := improvement[uint32]{arc.To, top.vertex, add(top.distance, arc.Weight)}
		if x.distance >= s.distances[arc.To] {
			continue
		}
		l.Found++
		if uint64(arc.To-s.first) < uint64(len(s.parents)) {
			s.reach(x, heaped)
			continue
		}
		s.distances[arc.To] = x.distance
		w.leaving = append(w.leaving, x)
	}
}

// leaveNear sets the least distance that is not expanded and turns the list into paused vertices.
func (s *bounded) leaveNear(least uint32) {
	w := &s.workers[0]
	for _, v := range s.reached {
		if !s.isStale(v) {
			w.paused.push(pausedRow[uint32]{next: v.distance, distance: v.distance, vertex: v.vertex})
		}
	}
	s.least = math.Float32frombits(least)
	s.bound = s.least
}

// postponeRoot leaves the arcs of the root to the pushes and to expandRoot. No other vertex
// is reached, so the least distance that is not expanded is that over its lightest arc.
func (s *bounded) postponeRoot(root engine.Label, row []graph.Arc) {
	s.rootRow = row
	s.least = row[0].Weight
	s.bound = s.least
	s.workers[0].paused.push(pausedRow[uint32]{next: math.Float32bits(s.least), vertex: root})
}

// expandRoot relaxes the arcs of a postponed root that the pushes have not reached, and
// returns their number.
func (s *bounded) expandRoot(ctx context.Context, root engine.Label) (int64, error) {
	rest := s.rootRow[sort.Search(len(s.rootRow), func(i int) bool { return s.rootRow[i].Weight >= s.bound }):]
	return int64(len(rest)), s.team.For(ctx, len(rest), int(s.limits.longPush), func(_, lo, hi int) {
		for _, arc := range rest[lo:hi] {
			// The parents of an arc repeated in two parts are the same.
			if lower(s.distances, improvement[uint32]{arc.To, root, add(0, arc.Weight)}) {
				atomic.StoreUint32(&s.parents[arc.To], root)
			}
		}
	})
}
