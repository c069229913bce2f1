package cpu

import (
	"container/heap"
	"context"
	"math"

	"graph500/engine"
)

// nearBatch is the number of vertices that a rank expands in a round of the near step.
const nearBatch = 8

// expandNear is bounded.expandNear with all ranks. In each round, each rank expands its
// nearest reached vertices, until it is not allowed to expand the nearest one of all ranks.
// A vertex that was expanded too early is reached again.
func (s *rankedBounded) expandNear(ctx context.Context, root engine.Label) error {
	const none = math.MaxInt64
	l := engine.Level{Step: "near"}
	budget := int64(nearShare * float64(s.g.Info.Connected))
	q := &s.near.queue
	*q = (*q)[:0]
	if s.ranges.Owner(root) == s.world.Rank() {
		s.reach(improvement[uint32]{root, root, 0})
		budget = max(budget, int64(len(s.g.ArcsOf(root-s.first))))
	}
	for {
		key := []int64{none} // distance of the nearest vertex, and in the last bit whether it must not be expanded
		if s.dropStale() {
			key[0] = int64((*q)[0].distance) << 1
			if !s.fitsNear(l.Examined, budget) {
				key[0]++
			}
		}
		if err := s.world.Min(ctx, key); err != nil {
			return err
		}
		if key[0] == none || key[0]&1 == 1 {
			s.leaveNear()
			s.least = math.Float32frombits(uint32(min(key[0]>>1, engine.InfiniteBits)))
			s.bound = s.least
			return s.recordOwn(ctx, l)
		}
		for n := 0; n < nearBatch && s.dropStale() && s.fitsNear(l.Examined, budget); n++ {
			s.expandNearest(&l)
		}
		s.sortLeaving()
		received, err := s.incoming.Exchange(ctx, s.outgoing...)
		if err != nil {
			return err
		}
		for _, x := range received {
			s.reach(x)
		}
	}
}

// reach makes an improvement of an own vertex and queues the vertex.
func (s *rankedBounded) reach(x improvement[uint32]) {
	if x.distance < s.distances[x.vertex] {
		s.distances[x.vertex], s.parents[x.vertex-s.first] = x.distance, x.parent
		heap.Push(&s.near.queue, reachedVertex[uint32]{x.vertex, x.distance})
	}
}

// dropStale removes the vertices from the head of the queue whose distances have become
// smaller. It reports whether a vertex is left.
func (s *rankedBounded) dropStale() bool {
	q := &s.near.queue
	for len(*q) > 0 && (*q)[0].distance != s.distances[(*q)[0].vertex] {
		heap.Pop(q)
	}
	return len(*q) > 0
}

// fitsNear reports whether the nearest vertex can be expanded after the given number of arcs.
func (s *rankedBounded) fitsNear(arcs, budget int64) bool {
	return arcs+int64(len(s.g.ArcsOf(s.near.queue[0].vertex-s.first))) <= budget
}

// expandNearest expands the nearest vertex of this rank with all its arcs.
func (s *rankedBounded) expandNearest(l *engine.Level) {
	top := heap.Pop(&s.near.queue).(reachedVertex[uint32])
	row := s.g.ArcsOf(top.vertex - s.first)
	l.Frontier++
	l.Examined += int64(len(row))
	w := &s.workers[0]
	for _, arc := range row {
		x := improvement[uint32]{arc.To, top.vertex, add(top.distance, arc.Weight)}
		if x.distance >= s.distances[arc.To] {
			continue
		}
		l.Found++
		if uint64(arc.To-s.first) < uint64(len(s.parents)) {
			s.reach(x)
			continue
		}
		s.distances[arc.To] = x.distance
		w.leaving = append(w.leaving, x)
	}
}
