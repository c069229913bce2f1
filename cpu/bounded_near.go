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

// nearSearch is the state of Dijkstra's algorithm for the vertices nearest to the root.
type nearSearch struct {
	queue nearQueue
}

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

// expandNear expands the nearest reached vertices with all their arcs while the number
// of arcs is at most nearShare per vertex. It sets least and pauses the vertices that
// are reached but not expanded, for the first push.
func (s *bounded) expandNear(root engine.Label) engine.Level {
	budget := int64(nearShare * float64(s.g.Info.Connected))
	if row := s.g.ArcsOf(root); int64(len(row)) > max(budget, int64(s.limits.longPush)) {
		return s.postponeRoot(root, row)
	}
	l := engine.Level{}
	q := &s.near.queue
	*q = append((*q)[:0], reachedVertex[uint32]{root, 0})
	for len(*q) > 0 {
		top := (*q)[0]
		if top.distance != s.distances[top.vertex] {
			heap.Pop(q)
			continue
		}
		row := s.g.ArcsOf(top.vertex)
		if l.Examined > 0 && l.Examined+int64(len(row)) > budget {
			break
		}
		heap.Pop(q)
		l.Frontier++
		l.Examined += int64(len(row))
		last := l.Examined >= budget
		for _, arc := range row {
			t := add(top.distance, arc.Weight)
			if t >= s.distances[arc.To] {
				continue
			}
			s.distances[arc.To], s.parents[arc.To] = t, top.vertex
			l.Found++
			if *q = append(*q, reachedVertex[uint32]{arc.To, t}); !last {
				heap.Fix(q, len(*q)-1)
			}
		}
		if last { // the queue is a heap no more
			break
		}
	}
	s.leaveNear()
	return l
}

// leaveNear turns the queue into paused vertices.
func (s *bounded) leaveNear() {
	least := uint32(engine.InfiniteBits)
	w := &s.workers[0]
	for _, v := range s.near.queue {
		if v.distance == s.distances[v.vertex] {
			least = min(least, v.distance)
			w.paused.push(pausedRow[uint32]{next: v.distance, distance: v.distance, vertex: v.vertex})
		}
	}
	s.least = math.Float32frombits(least)
	s.bound = s.least
}

// postponeRoot leaves the arcs of the root to the pushes and to expandRoot. No other vertex
// is reached, so the least distance that is not expanded is that over its lightest arc.
func (s *bounded) postponeRoot(root engine.Label, row []graph.Arc) engine.Level {
	s.rootRow = row
	s.least = row[0].Weight
	s.bound = s.least
	s.workers[0].paused.push(pausedRow[uint32]{next: math.Float32bits(s.least), vertex: root})
	return engine.Level{}
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
