package cpu

import (
	"context"
	"slices"
	"sync/atomic"

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
	if err := s.gatherRows(ctx, s.unvisited); err != nil {
		return err
	}
	left, err := s.lateLevel(ctx, left, s.unvisited)
	if err != nil {
		return err
	}
	for _, row := range left { // by one worker, because atomic operations would wait for one miss after the other
		s.left[row>>6] |= 1 << (row & 63)
	}
	unvisited, err := s.shareLeft(ctx)
	if err != nil {
		return err
	}
	if left, err = s.lateLevel(ctx, left, unvisited); err != nil {
		return err
	}
	for _, row := range s.rows {
		s.left[row>>6] &^= 1 << (row & 63)
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

// shareLeft returns a bitmap of the rows of all ranks that a late level has left.
func (s *byHubs) shareLeft(ctx context.Context) ([]uint64, error) {
	if s.isAlone() {
		return s.left, nil
	}
	copy(s.unvisited[s.g.FirstRow>>6:], s.left[:len(s.g.ChunkOf)])
	return s.unvisited, s.gatherRows(ctx, s.unvisited)
}

// lateLevel looks for parents of the own rows and of the hubs that are left, among the hubs that are
// visited and the rows that are not in a bitmap of unvisited ones. It returns the rows that it leaves,
// in the memory of left.
func (s *byHubs) lateLevel(ctx context.Context, left []uint32, unvisited []uint64) ([]uint32, error) {
	s.lateHubs = [hubWords]uint64{}
	left, examined := s.findRows(left, unvisited)
	examined += s.findLateHubs(unvisited)
	if len(s.leftHubs) > 0 {
		if err := s.exchangeClaims(ctx, s.foundLeft); err != nil {
			return nil, err
		}
	}
	s.takeFound()
	for _, id := range s.ownHubsFound {
		s.claimLate(id)
	}
	_, err := s.endLevel(ctx, engine.BottomUp, &s.hubsAfter, examined)
	return left, err
}

// isLeft reports whether an own row or a hub that the dense pass has left is still unvisited.
func (s *byHubs) isLeft(id uint32) bool {
	if id&graph.HubBit != 0 {
		h := id &^ graph.HubBit
		return s.hubsAfter[h>>6]>>(h&63)&1 == 0
	}
	return rowBit(s.left, id)
}

// noRow is no number of a row.
const noRow = ^uint32(0)

// findRows looks for parents of own rows. It appends those that have one to the queue, and returns the
// others, in the same memory, and the number of neighbours that it has examined.
func (s *byHubs) findRows(rows []uint32, unvisited []uint64) (rest []uint32, examined int64) {
	var sum atomic.Int64
	s.parallelFor(len(rows), func(w *hubWorker, lo, hi int) {
		part := rows[lo:hi]
		kept, examined := 0, 0
		for at := 0; at < len(part); {
			n := s.inOneChunk(part[at:])
			rest, m := s.findInChunk(w, part[at:at+n], unvisited)
			at += n
			examined += m
			kept += copy(part[kept:], rest)
		}
		s.flush(w, s.queue)
		for i := range part[kept:] {
			part[kept+i] = noRow
		}
		sum.Add(int64(examined))
	})
	return slices.DeleteFunc(rows, func(row uint32) bool { return row == noRow }), sum.Load()
}

// inOneChunk returns how many rows at the begin of a list, which has some, are of one chunk.
func (s *byHubs) inOneChunk(rows []uint32) int {
	n := 1
	for n < len(rows) && s.g.ChunkOf[rows[n]>>6] == s.g.ChunkOf[rows[0]>>6] {
		n++
	}
	return n
}

// findInChunk is findRows for rows of one chunk, by one worker. Nearly all of them are found among the
// first rows of their lists. The result is valid until the next call.
func (s *byHubs) findInChunk(w *hubWorker, rows []uint32, unvisited []uint64) (rest []uint32, examined int) {
	c := s.g.ChunkOf[rows[0]>>6]
	l, label := &w.lists, s.g.FirstLabel+c<<s.g.ChunkBits
	hits, left := s.tryRows(l, copy(l.open[:], rows), s.g.Lists[s.g.Chunks[c].List:], rowSet{unvisited, ^uint64(0)})
	for i, parent := range l.parent[:hits] {
		const ahead = 8
		s.prefetchLabel(l.parent[min(i+ahead, hits-1)])
		s.setParent(label+uint32(s.g.Records[l.row[i]].Place), s.g.LabelOfAny(parent))
	}
	w.ids = append(w.ids, l.row[:hits]...)
	rest, examined = l.open[:0], triedRows*len(rows)
	for _, row := range l.open[:left] {
		neighbor, ok, n := s.find(row, unvisited)
		examined += n
		if ok {
			s.setParent(label+uint32(s.g.Records[row].Place), s.labelOfAny(neighbor))
			w.ids = append(w.ids, row)
		} else {
			rest = append(rest, row)
		}
	}
	return rest, examined
}

// findLateHubs looks for parents of the hubs that are left among their own neighbours.
func (s *byHubs) findLateHubs(unvisited []uint64) int64 {
	var sum atomic.Int64
	s.parallelFor(len(s.leftHubs), func(w *hubWorker, lo, hi int) {
		for _, id := range s.leftHubs[lo:hi] {
			if !s.isLeft(id) {
				continue
			}
			neighbor, ok, n := s.find(id, unvisited)
			if ok {
				s.foundLeft(w, id, s.labelOfAny(neighbor))
			}
			sum.Add(int64(n))
		}
	})
	return sum.Load()
}

// foundLeft appends a hub that is left to the list of its rank, once. It stays unvisited until the
// end of the level.
func (s *byHubs) foundLeft(w *hubWorker, id uint32, parent engine.Label) {
	h := id &^ graph.HubBit
	if s.sendHub(w, h, parent) || !claimBit(&s.lateHubs[h>>6], 1<<(h&63)) {
		return
	}
	s.setParent(s.labelOf(id), parent)
	w.hubs = append(w.hubs, id)
}

// list lists an own vertex that was found late.
func (s *byHubs) list(w *hubWorker, id uint32) {
	if id&graph.HubBit != 0 {
		w.hubs = append(w.hubs, id)
	} else if w.ids = append(w.ids, id); len(w.ids) >= longRow {
		s.flush(w, s.queue)
	}
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
func (s *byHubs) find(id uint32, unvisited []uint64) (neighbor uint32, ok bool, examined int) {
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
		if !rowBit(unvisited, q) {
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
