package cpu

import (
	"context"
	"sync/atomic"

	"graph500/engine"
	"graph500/graph"
)

// late finds what the dense pass has left. Two levels examine all of it: vertices of the dense
// pass can be in their frontiers, which no list holds. After them the levels go top-down from the
// vertices that the last one has found. So each neighbour is examined at most three times,
// however many levels there are.
func (s *byHubs) late(ctx context.Context) {
	left := s.remaining[:s.reserved.Load()]
	s.reserved.Store(int64(s.tail))
	start := s.tail
	for _, find := range []func(id uint32) (engine.Label, bool, int){s.findInDense, s.findBefore} {
		start = s.tail
		examined := s.findLeft(left, find)
		s.settle(start)
		s.record(engine.BottomUp, examined)
		if len(left) == 0 {
			break
		}
	}
	for start < s.tail && ctx.Err() == nil {
		end := s.tail
		examined := s.expandLate(s.queue[start:end])
		s.record(engine.TopDown, examined)
		start = end
	}
	if ctx.Err() == nil {
		s.dropLeft(left)
	}
}

// isLeft reports whether a row or a hub that the dense pass has left is still unvisited.
func (s *byHubs) isLeft(id uint32) bool {
	if id&graph.HubBit != 0 {
		h := id &^ graph.HubBit
		return s.hubsAfter[h>>6]>>(h&63)&1 == 0
	}
	return rowBit(s.left, id)
}

// findLeft looks for parents of the vertices that are left and appends those that have one to the
// queue. They stay unvisited until settle.
func (s *byHubs) findLeft(left []uint32, find func(id uint32) (engine.Label, bool, int)) int64 {
	var sum atomic.Int64
	s.parallelFor(len(left), func(w *hubWorker, lo, hi int) {
		examined := 0
		for _, id := range left[lo:hi] {
			if !s.isLeft(id) {
				continue
			}
			parent, ok, n := find(id)
			examined += n
			if ok {
				s.parents[s.labelOf(id)] = parent
				w.ids = append(w.ids, id)
			}
		}
		s.flush(w, s.queue)
		sum.Add(int64(examined))
	})
	s.tail = int(s.reserved.Load())
	return sum.Load()
}

// settle makes the vertices of the queue from start on visited.
func (s *byHubs) settle(start int) {
	found := s.queue[start:s.tail]
	s.parallelFor(len(found), func(_ *hubWorker, lo, hi int) {
		for _, id := range found[lo:hi] {
			s.claimLate(id)
		}
	})
}

// claimLate makes a vertex that the dense pass has left visited. It returns false if it is
// already.
func (s *byHubs) claimLate(id uint32) bool {
	if id&graph.HubBit != 0 {
		h := id &^ graph.HubBit
		return claimBit(&s.hubsAfter[h>>6], 1<<(h&63))
	}
	word, bit := &s.left[id>>6], uint64(1)<<(id&63)
	return atomic.LoadUint64(word)&bit != 0 && atomic.AndUint64(word, ^bit)&bit != 0
}

// neighborsOf returns the neighbours of a vertex but its leaves: hubs in two parts, and rows.
func (s *byHubs) neighborsOf(id uint32) (first [5]uint16, further []uint16, rows []uint32) {
	if id&graph.HubBit != 0 {
		h := &s.g.Hubs[id&^graph.HubBit]
		return [5]uint16{graph.NoHub}, s.g.HubsOf(h), s.g.RowsOf(h)
	}
	list := s.g.ListOf(id)
	return s.firstHubs(id), list.Further, list.Rows
}

// find looks for a visited neighbour of a vertex. isVisited says which rows are visited.
func (s *byHubs) find(id uint32, isVisited func(row uint32) bool) (parent engine.Label, ok bool, examined int) {
	first, further, rows := s.neighborsOf(id)
	for _, h := range first {
		if h == graph.NoHub {
			break
		}
		if examined++; s.hubsAfter[h>>6]>>(h&63)&1 != 0 {
			return s.hubLabels[h], true, examined
		}
	}
	for i, h := range further {
		if s.hubsAfter[h>>6]>>(h&63)&1 != 0 {
			return s.hubLabels[h], true, examined + i + 1
		}
	}
	examined += len(further)
	for i, q := range rows {
		if isVisited(q) {
			return s.g.LabelOf(q), true, examined + i + 1
		}
	}
	return 0, false, examined + len(rows)
}

// findInDense is find in the first level after the dense pass. Rows that the dense pass gave to
// the same level, because the hub pass found their first hub, are not visited for it.
func (s *byHubs) findInDense(id uint32) (parent engine.Label, ok bool, examined int) {
	return s.find(id, func(q uint32) bool {
		return s.before[s.g.Records[q].Hub] != 0 || rowBit(s.found, q) || rowBit(s.visited, q)
	})
}

// findBefore is find in the second level after the dense pass.
func (s *byHubs) findBefore(id uint32) (parent engine.Label, ok bool, examined int) {
	return s.find(id, func(q uint32) bool { return !rowBit(s.left, q) })
}

// expandLate visits the neighbours of a late frontier.
func (s *byHubs) expandLate(frontier []uint32) int64 {
	var sum atomic.Int64
	s.parallelFor(len(frontier), func(w *hubWorker, lo, hi int) {
		examined := 0
		for _, id := range frontier[lo:hi] {
			label := s.labelOf(id)
			first, further, rows := s.neighborsOf(id)
			for _, h := range first {
				if h == graph.NoHub {
					break
				}
				s.visitLate(w, graph.HubBit|uint32(h), label)
				examined++
			}
			for _, h := range further {
				s.visitLate(w, graph.HubBit|uint32(h), label)
			}
			for _, q := range rows {
				s.visitLate(w, q, label)
			}
			examined += len(further) + len(rows)
		}
		s.flush(w, s.queue)
		sum.Add(int64(examined))
	})
	s.tail = int(s.reserved.Load())
	return sum.Load()
}

// visitLate claims a vertex if it is unvisited.
func (s *byHubs) visitLate(w *hubWorker, id uint32, parent engine.Label) {
	if s.claimLate(id) {
		s.parents[s.labelOf(id)] = parent
		if w.ids = append(w.ids, id); len(w.ids) >= longRow {
			s.flush(w, s.queue)
		}
	}
}

// dropLeft clears the parents of the vertices that were left and not found, and of their leaves.
func (s *byHubs) dropLeft(left []uint32) {
	s.parallelFor(len(left), func(_ *hubWorker, lo, hi int) {
		for _, id := range left[lo:hi] {
			if !s.isLeft(id) {
				continue
			}
			s.parents[s.labelOf(id)] = engine.None
			for _, leaf := range s.leavesOf(id) {
				s.parents[leaf] = engine.None
			}
		}
	})
}
