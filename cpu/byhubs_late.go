package cpu

import (
	"context"
	"sync/atomic"
	"unsafe"

	"graph500/engine"
	"graph500/graph"
)

// late finds what the dense pass has left. Two levels examine all of it: vertices of the dense
// pass can be in their frontiers, which no list holds. After them the levels go top-down from the
// vertices that the last one has found. So each neighbour is examined at most three times,
// however many levels there are.
func (s *byHubs) late(ctx context.Context) error {
	left := s.remaining[:s.reserved.Load()]
	s.reserved.Store(int64(s.tail))
	sums := []int64{int64(len(left))}
	if _, err := s.sum(ctx, nil, sums); err != nil {
		return err
	}
	if sums[0] == 0 && len(s.leftHubs) == 0 { // on all ranks
		s.record(engine.BottomUp, 0)
		return nil
	}
	for range 2 {
		if err := s.lateLevel(ctx, left); err != nil {
			return err
		}
		unvisited := s.unvisited[s.g.FirstRow>>6:]
		s.parallelFor(len(s.g.ChunkOf), func(_ *hubWorker, lo, hi int) { copy(unvisited[lo:hi], s.left[lo:hi]) })
	}
	for len(s.hubs) > 0 || s.rowsOfAll > 0 {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		examined := s.expandLate()
		if err := s.exchangeClaims(ctx, s.visitLate); err != nil {
			return err
		}
		s.takeFound()
		if _, err := s.endLevel(ctx, engine.TopDown, &s.hubsAfter, examined); err != nil {
			return err
		}
	}
	return s.dropLeft(ctx, left)
}

// lateLevel looks for parents of the own rows and of the hubs that are left.
func (s *byHubs) lateLevel(ctx context.Context, left []uint32) error {
	if err := s.gatherRows(ctx, s.unvisited); err != nil {
		return err
	}
	s.lateHubs = [hubWords]uint64{}
	examined := s.findLeft(left) + s.findLeft(s.leftHubs)
	if len(s.leftHubs) > 0 {
		if err := s.exchangeClaims(ctx, s.foundLeft); err != nil {
			return err
		}
	}
	start := s.tail
	s.takeFound()
	s.settle(start)
	_, err := s.endLevel(ctx, engine.BottomUp, &s.hubsAfter, examined)
	return err
}

// A leftPair is a vertex that is left and a neighbour that was visited before.
type leftPair struct{ id, neighbor uint32 }

// isLeft reports whether an own row or a hub that the dense pass has left is still unvisited.
func (s *byHubs) isLeft(id uint32) bool {
	if id&graph.HubBit != 0 {
		h := id &^ graph.HubBit
		return s.hubsAfter[h>>6]>>(h&63)&1 == 0
	}
	return rowBit(s.left, id)
}

// findLeft looks for parents of the vertices that are left and appends those that have one to the
// queue. They stay unvisited until settle.
func (s *byHubs) findLeft(left []uint32) int64 {
	var sum atomic.Int64
	s.parallelFor(len(left), func(w *hubWorker, lo, hi int) {
		examined := 0
		w.pairs = w.pairs[:0]
		for i, id := range left[lo:hi] {
			s.prefetchLeft(left[lo:hi], i)
			if !s.isLeft(id) {
				continue
			}
			neighbor, ok, n := s.find(id)
			examined += n
			if ok {
				s.prefetchLabel(neighbor)
				w.pairs = append(w.pairs, leftPair{id, neighbor})
			}
		}
		for _, p := range w.pairs {
			s.foundLeft(w, p.id, s.labelOfAny(p.neighbor))
		}
		s.flush(w, s.queue)
		sum.Add(int64(examined))
	})
	return sum.Load()
}

// prefetchLeft begins to load what find reads of rows behind row i: the record, then the list.
func (s *byHubs) prefetchLeft(ids []uint32, i int) {
	const records, lists = 16, 8 // ahead
	if i+records < len(ids) {
		if id := ids[i+records]; id&graph.HubBit == 0 {
			prefetch(unsafe.Pointer(&s.g.Records[id]))
		}
	}
	if i+lists < len(ids) {
		if id := ids[i+lists]; id&graph.HubBit == 0 {
			prefetch(unsafe.Pointer(s.g.PlaceOf(id)))
		}
	}
}

// foundLeft appends a vertex that is left to the queue, a hub to that of its rank, once.
func (s *byHubs) foundLeft(w *hubWorker, id uint32, parent engine.Label) {
	if id&graph.HubBit != 0 {
		h := id &^ graph.HubBit
		if s.sendHub(w, h, parent) || !claimBit(&s.lateHubs[h>>6], 1<<(h&63)) {
			return
		}
	}
	s.setParent(s.labelOf(id), parent)
	s.list(w, id)
}

// list lists an own vertex that was found late.
func (s *byHubs) list(w *hubWorker, id uint32) {
	if id&graph.HubBit != 0 {
		w.hubs = append(w.hubs, id)
	} else if w.ids = append(w.ids, id); len(w.ids) >= longRow {
		s.flush(w, s.queue)
	}
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

// claimLate makes an own row or a hub that the dense pass has left visited. It returns false if it
// is already.
func (s *byHubs) claimLate(id uint32) bool {
	if id&graph.HubBit != 0 {
		h := id &^ graph.HubBit
		return claimBit(&s.hubsAfter[h>>6], 1<<(h&63))
	}
	return clearBit(&s.left[id>>6], 1<<(id&63))
}

// clearBit clears a bit. It returns false if it was clear already.
func clearBit(word *uint64, bit uint64) bool {
	return atomic.LoadUint64(word)&bit != 0 && atomic.AndUint64(word, ^bit)&bit != 0
}

// neighborsOf returns the neighbours of an own row, or the own ones of a hub, but leaves: hubs in two
// parts, and rows.
func (s *byHubs) neighborsOf(id uint32) (first [5]uint16, further []uint16, rows []uint32) {
	if id&graph.HubBit != 0 {
		h := &s.g.Hubs[id&^graph.HubBit]
		return [5]uint16{graph.NoHub}, s.g.HubsOf(h), s.g.RowsOf(h)
	}
	first, further = s.g.HubsOfRow(id)
	return first, further, s.g.ListOf(id).Rows
}

// find looks for a neighbour of an own row, or among the own ones of a hub, that was visited before
// this late level: a row of any rank, or graph.HubBit and a hub.
func (s *byHubs) find(id uint32) (neighbor uint32, ok bool, examined int) {
	first, further, rows := s.neighborsOf(id)
	for _, h := range first {
		if h == graph.NoHub {
			break
		}
		if examined++; s.hubsAfter[h>>6]>>(h&63)&1 != 0 {
			return graph.HubBit | uint32(h), true, examined
		}
	}
	for i, h := range further {
		if s.hubsAfter[h>>6]>>(h&63)&1 != 0 {
			return graph.HubBit | uint32(h), true, examined + i + 1
		}
	}
	examined += len(further)
	for i, q := range rows {
		if !rowBit(s.unvisited, q) {
			return q, true, examined + i + 1
		}
	}
	return 0, false, examined + len(rows)
}

// expandLate visits the neighbours of a late frontier.
func (s *byHubs) expandLate() int64 {
	var sum atomic.Int64
	for _, frontier := range [][]uint32{s.rows, s.hubs} {
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
	}
	return sum.Load()
}

// visitLate claims a hub, or the row with a number of the whole graph, if it is unvisited.
func (s *byHubs) visitLate(w *hubWorker, id uint32, parent engine.Label) {
	if id&graph.HubBit == 0 {
		own := id - s.g.FirstRow
		if uint64(own) >= uint64(len(s.g.Records)) {
			if clearBit(&s.unvisited[id>>6], 1<<(id&63)) {
				s.sendRow(w, id, parent)
			}
			return
		}
		id = own
	}
	if !s.claimLate(id) || id&graph.HubBit != 0 && s.sendHub(w, id&^graph.HubBit, parent) {
		return
	}
	s.setParent(s.labelOf(id), parent)
	s.list(w, id)
}

// dropLeft clears the parents of the own vertices that were left and not found, and of their leaves.
func (s *byHubs) dropLeft(ctx context.Context, left []uint32) error {
	for _, ids := range [][]uint32{left, s.leftHubs} {
		s.parallelFor(len(ids), func(w *hubWorker, lo, hi int) {
			for _, id := range ids[lo:hi] {
				if s.isLeft(id) {
					s.setParent(s.labelOf(id), engine.None)
					s.setLeaves(w, id, engine.None)
				}
			}
		})
	}
	return s.exchangeParents(ctx)
}
