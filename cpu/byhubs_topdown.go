package cpu

import (
	"context"
	"slices"
	"sync/atomic"

	"graph500/engine"
	"graph500/graph"
)

const (
	// longRow is the largest number of neighbours that one worker visits of a long list, and that
	// it collects before it appends them to a list of all.
	longRow = 4096
	// serialArcs is the largest number of arcs in a level that one worker expands alone: waking the
	// others would take longer.
	serialArcs = 4096
	// serialIDs is the largest number of vertices of a frontier that one worker expands alone.
	serialIDs = 64
	// rangesPerWorker is the largest number of ranges of rows per worker when a level is divided by
	// the targets of its arcs. minRangeArcs is the least mean number of arcs of a hub in one range.
	rangesPerWorker = 2
	minRangeArcs    = 8
)

// topDown runs top-down levels until the hubs of the frontier have many arcs, or nothing more is
// found. It returns whether they have, and the frontier is that of the dense pass.
func (s *byHubs) topDown(ctx context.Context) (dense bool, err error) {
	for len(s.hubs) > 0 || s.rowsOfAll > 0 {
		if err := context.Cause(ctx); err != nil {
			return false, err
		}
		limit := max(uint64(max(0, s.arcs))/s.rule.alpha, s.rule.arcs)
		arcs := uint64(0)
		for _, id := range s.hubs {
			if arcs += uint64(s.hubDegrees[id&^graph.HubBit]); arcs > limit {
				return true, nil
			}
		}
		if err := s.topDownLevel(ctx); err != nil {
			return false, err
		}
	}
	return false, nil
}

// topDownLevel visits the neighbours of the frontier and makes what is found the frontier.
func (s *byHubs) topDownLevel(ctx context.Context) error {
	s.reserved.Store(int64(s.tail))
	arcs, examined := uint64(0), int64(0)
	for _, id := range s.hubs {
		arcs += uint64(s.hubArcs[id&^graph.HubBit])
	}
	if len(s.workers) == 1 || arcs <= serialArcs && len(s.rows) <= serialIDs {
		examined = s.expandAlone(s.rows, s.hubs)
	} else {
		examined = s.expandTogether(s.rows, s.hubs, arcs)
	}
	if s.rowsOfAll > 0 { // of hubs nothing goes to other ranks
		if err := s.exchangeClaims(ctx, s.claimReached); err != nil {
			return err
		}
	}
	s.takeFound()
	all, err := s.endLevel(ctx, engine.TopDown, &s.hubsBefore, examined)
	s.arcs -= all
	return err
}

// takeFound makes the own vertices that the workers have found the frontier: the rows of the queue
// behind its tail, then hubs.
func (s *byHubs) takeFound() {
	start := s.tail
	s.tail = int(s.reserved.Load())
	s.rows = s.queue[start:s.tail]
	s.ownHubsFound = s.queue[s.tail:s.tail]
	for _, w := range s.workers {
		s.ownHubsFound = append(s.ownHubsFound, w.hubs...)
		w.hubs = w.hubs[:0]
	}
	s.tail += len(s.ownHubsFound)
	s.reserved.Store(int64(s.tail))
}

// endLevel ends a level in which this rank has examined so many neighbours: it makes the hubs that
// all ranks have found visited, and part of the frontier. It returns the number of neighbours that
// all ranks have examined.
func (s *byHubs) endLevel(ctx context.Context, d engine.Direction, visited *[hubWords]uint64, examined int64) (all int64, err error) {
	sums := []int64{int64(len(s.rows)), examined}
	hubs, err := s.sum(ctx, s.ownHubsFound, sums)
	if err != nil {
		return 0, err
	}
	if !s.isAlone() { // else they are marked
		for _, id := range hubs {
			h := id &^ graph.HubBit
			visited[h>>6] |= 1 << (h & 63)
		}
	}
	s.hubs, s.rowsOfAll = hubs, sums[0]
	s.record(d, examined)
	return sums[1], nil
}

// claimReached visits a row or a hub that another rank has reached.
func (s *byHubs) claimReached(w *hubWorker, id uint32, parent engine.Label) {
	if id&graph.HubBit != 0 {
		s.visitHub(w, uint16(id), parent)
		return
	}
	row := [1]uint32{id}
	s.visitRows(w, row[:], parent)
}

// expandAlone visits the neighbours of rows and hubs with one worker.
func (s *byHubs) expandAlone(rows, hubs []uint32) (examined int64) {
	w := s.workers[0]
	for _, id := range hubs {
		h := &s.g.Hubs[id&^graph.HubBit]
		s.claimHubs(w, s.g.HubsOf(h), h.Label)
		s.claimRows(w, s.g.RowsOf(h), h.Label)
		examined += int64(h.OwnArcs())
	}
	for _, row := range rows {
		label, l := s.g.LabelOf(row), s.g.ListOf(row)
		first, _ := s.g.HubsOfRow(row)
		n := 0
		for n < len(first) && first[n] != graph.NoHub {
			n++
		}
		s.claimHubs(w, first[:n], label)
		s.claimHubs(w, l.Further, label)
		s.claimRows(w, l.Rows, label)
		examined += int64(n + len(l.Further) + len(l.Rows) + len(l.Leaves))
	}
	s.flush(w, s.queue)
	return examined
}

// claimRows visits rows that no other worker visits at the same time. Those of a list differ, so that
// the unvisited ones can be collected before any is marked.
func (s *byHubs) claimRows(w *hubWorker, rows []uint32, parent engine.Label) {
	visited, parents := s.visited, s.rowParents
	for len(rows) > 0 {
		part := rows[:min(len(rows), longRow)]
		rows = rows[len(part):]
		n := len(w.ids)
		found := w.ids[n:cap(w.ids)]
		found = found[:unvisited(s.form, found, part, visited, 0)]
		for _, r := range found {
			visited[r>>6] |= 1 << (r & 63)
		}
		found = s.sendRows(w, found, parent)
		for _, own := range found {
			parents[own] = parent
		}
		if w.ids = w.ids[:n+len(found)]; len(w.ids) >= longRow {
			s.flush(w, s.queue)
		}
	}
}

// claimHubs visits hubs that no other worker visits at the same time, as claimRows does rows.
func (s *byHubs) claimHubs(w *hubWorker, hubs []uint16, parent engine.Label) {
	visited, parents := &s.hubsBefore, (*[1 << 16]engine.Label)(s.hubParents)
	n := len(w.hubs)
	found := w.hubs[n:cap(w.hubs)]
	found = found[:unvisited(s.form, found, hubs, visited[:], graph.HubBit)]
	for _, id := range found {
		h := uint16(id)
		visited[h>>6] |= 1 << (h & 63)
		parents[h] = parent // of hubs of other ranks it has no use
	}
	w.hubs = w.hubs[:n+len(s.sendHubs(w, found, parent))]
}

// unvisitedGo writes those members of a list, with a flag, whose bits are not set in a bitmap, and
// returns their number. Up to lanes entries behind them are arbitrary.
func unvisitedGo[T uint16 | uint32](to []uint32, list []T, bitmap []uint64, flag uint32) int {
	n := 0
	for _, x := range list { // without branches, which no processor predicts
		to[n] = uint32(x) | flag
		n += int(bitmap[x>>6]>>(x&63)&1 ^ 1)
	}
	return n
}

// foundHub stores the parent of a hub that is visited now.
func (s *byHubs) foundHub(w *hubWorker, h uint32, parent engine.Label) {
	if !s.sendHub(w, h, parent) {
		s.hubParents[h] = parent
		w.hubs = append(w.hubs, graph.HubBit|h)
	}
}

// A hubSegment is a part of the list of a hub: from entry lo to hi-1 of its hubs, and of its rows.
type hubSegment struct {
	hub    uint32
	lo, hi int
}

// expandTogether visits the neighbours of rows and of hubs, which have so many own arcs, with all
// workers. If the hubs are few and their lists long, each worker takes the neighbours in its own ranges
// of rows and hubs. Otherwise the workers take parts of lists and claim vertices by atomic operations,
// which cost several times as much.
func (s *byHubs) expandTogether(rows, hubs []uint32, arcs uint64) (examined int64) {
	chunks := len(s.g.Chunks) - 1
	ranges := min(rangesPerWorker*len(s.workers), chunks, int(arcs/uint64(max(1, len(hubs))*minRangeArcs)))
	if ranges >= len(s.workers) {
		s.expandRanges(hubs, ranges)
	} else {
		s.expandSegments(hubs)
	}
	examined = int64(arcs)
	if len(rows) == 0 {
		return examined
	}
	var sum atomic.Int64
	s.parallelFor(len(rows), func(w *hubWorker, lo, hi int) {
		n := 0
		for _, row := range rows[lo:hi] {
			label, l := s.g.LabelOf(row), s.g.ListOf(row)
			first, _ := s.g.HubsOfRow(row)
			for _, h := range first {
				if h == graph.NoHub {
					break
				}
				s.visitHub(w, h, label)
				n++
			}
			for _, h := range l.Further {
				s.visitHub(w, h, label)
			}
			s.visitRows(w, l.Rows, label)
			n += len(l.Further) + len(l.Rows) + len(l.Leaves)
		}
		s.flush(w, s.queue)
		sum.Add(int64(n))
	})
	return examined + sum.Load()
}

// expandRanges visits the neighbours of hubs by ranges of hubs, and of rows, which are whole chunks.
func (s *byHubs) expandRanges(hubs []uint32, ranges int) {
	hubRanges := max(4, len(s.workers))
	// Hubs of low numbers have more arcs.
	hubsUpTo := func(i int) int { return min(len(s.g.Hubs), (len(s.g.Hubs)*i*i/(hubRanges*hubRanges)+63)&^63) }
	chunks := len(s.g.Chunks) - 1
	s.next.Store(0)
	s.resetParts()
	s.team.Run(func(worker int) {
		w := s.workers[worker]
		for i := int(s.next.Add(1)) - 1; i < hubRanges; i = int(s.next.Add(1)) - 1 {
			lo, hi := hubsUpTo(i), hubsUpTo(i+1)
			for _, id := range hubs {
				h := &s.g.Hubs[id&^graph.HubBit]
				list := s.g.HubsOf(h)
				from, _ := slices.BinarySearch(list, uint16(lo))
				to, _ := slices.BinarySearch(list[from:], uint16(hi))
				s.claimHubs(w, list[from:from+to], h.Label)
			}
		}
		s.eachPart(worker, ranges, 1, func(i, end int) {
			lo, hi := s.g.FirstRow+s.g.Chunks[i*chunks/ranges].Row, s.g.FirstRow+s.g.Chunks[end*chunks/ranges].Row
			for _, id := range hubs {
				h := &s.g.Hubs[id&^graph.HubBit]
				rows := s.g.RowsOf(h)
				from, _ := slices.BinarySearch(rows, lo)
				to, _ := slices.BinarySearch(rows[from:], hi)
				s.claimRows(w, rows[from:from+to], h.Label)
			}
		})
		s.flush(w, s.queue)
	})
}

// expandSegments visits the neighbours of hubs by parts of their lists.
func (s *byHubs) expandSegments(hubs []uint32) {
	s.segments = s.segments[:0]
	for _, id := range hubs {
		h := id &^ graph.HubBit
		longest := int(max(s.g.Hubs[h].Hubs, s.g.Hubs[h].Rows))
		for lo := 0; lo < longest; lo += longRow {
			s.segments = append(s.segments, hubSegment{h, lo, lo + longRow})
		}
	}
	s.next.Store(0)
	s.team.Run(func(worker int) {
		const grain = 16
		w := s.workers[worker]
		for {
			i := int(s.next.Add(grain)) - grain
			if i >= len(s.segments) {
				break
			}
			for _, p := range s.segments[i:min(i+grain, len(s.segments))] {
				h := &s.g.Hubs[p.hub]
				for _, x := range part(s.g.HubsOf(h), p.lo, p.hi) {
					s.visitHub(w, x, h.Label)
				}
				s.visitRows(w, part(s.g.RowsOf(h), p.lo, p.hi), h.Label)
			}
		}
		s.flush(w, s.queue)
	})
}

// part returns those of the entries lo to hi-1 that a list has.
func part[T any](list []T, lo, hi int) []T {
	return list[min(lo, len(list)):min(hi, len(list))]
}

// visitHub claims a hub by an atomic operation if it is unvisited.
func (s *byHubs) visitHub(w *hubWorker, h uint16, parent engine.Label) {
	if claimBit(&s.hubsBefore[h>>6], uint64(1)<<(h&63)) {
		s.foundHub(w, uint32(h), parent)
	}
}

// visitRows claims the unvisited of the rows by atomic operations.
func (s *byHubs) visitRows(w *hubWorker, rows []uint32, parent engine.Label) {
	for _, r := range rows {
		if claimBit(&s.visited[r>>6], uint64(1)<<(r&63)) {
			if own := r - s.g.FirstRow; uint64(own) < uint64(len(s.g.Records)) {
				s.rowParents[own] = parent
				w.ids = append(w.ids, own)
			} else {
				s.sendRow(w, r, parent)
			}
		}
		if len(w.ids) >= longRow {
			s.flush(w, s.queue)
		}
	}
}
