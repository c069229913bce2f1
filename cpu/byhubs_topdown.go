package cpu

import (
	"context"
	"slices"
	"sync/atomic"

	"graph500/engine"
	"graph500/graph"
)

const (
	// serialIDs is the largest number of vertices of a frontier that one worker expands alone.
	serialIDs = 64
	// rangesPerWorker is the number of ranges of rows per worker when a level is divided by the
	// targets of its arcs. minRangeArcs is the mean number of arcs of a hub in one range above
	// which this is faster.
	rangesPerWorker = 4
	minRangeArcs    = 32
)

// topDown runs top-down levels until the frontier has many arcs of hubs, or nothing more is
// found. It returns the begin of the frontier in the queue, its end if it is empty.
func (s *byHubs) topDown(ctx context.Context) (start int, err error) {
	start = 0
	for start < s.tail {
		if err := context.Cause(ctx); err != nil {
			return start, err
		}
		hubs := s.frontierHubs(start)
		arcs := uint64(0)
		for _, id := range hubs {
			arcs += s.g.Hubs[id&^graph.HubBit].Degree()
		}
		if arcs > max(uint64(max(0, s.arcs))/s.rule.alpha, s.rule.arcs) {
			return start, nil
		}
		end := s.tail
		rows := s.queue[start : end-len(hubs)]
		s.reserved.Store(int64(s.tail))
		examined := int64(0)
		if len(s.workers) == 1 || arcs <= serialArcs && len(rows) <= serialIDs {
			examined = s.expandAlone(rows, hubs)
		} else {
			examined = s.expandTogether(rows, hubs, arcs)
		}
		s.tail = int(s.reserved.Load())
		s.appendHubs()
		s.arcs -= examined
		s.record(engine.TopDown, examined)
		start = end
	}
	return start, nil
}

// frontierHubs returns the hubs at the end of the queue.
func (s *byHubs) frontierHubs(start int) []uint32 {
	i := s.tail
	for i > start && s.queue[i-1]&graph.HubBit != 0 {
		i--
	}
	return s.queue[i:s.tail]
}

// appendHubs appends the hubs that the workers have found to the queue, behind the rows.
func (s *byHubs) appendHubs() {
	for _, w := range s.workers {
		s.tail += copy(s.queue[s.tail:], w.hubs)
		w.hubs = w.hubs[:0]
	}
}

// expandAlone visits the neighbours of rows and hubs with one worker.
func (s *byHubs) expandAlone(rows, hubs []uint32) (examined int64) {
	w := s.workers[0]
	for _, id := range hubs {
		h := &s.g.Hubs[id&^graph.HubBit]
		s.claimHubs(w, s.g.HubsOf(h), h.Label)
		s.claimRows(w, s.g.RowsOf(h), h.Label)
		examined += int64(h.Degree())
	}
	for _, row := range rows {
		label, l := s.g.LabelOf(row), s.g.ListOf(row)
		first := s.firstHubs(row)
		for _, h := range first {
			if h == graph.NoHub {
				break
			}
			s.claimHub(w, h, label)
			examined++
		}
		s.claimHubs(w, l.Further, label)
		s.claimRows(w, l.Rows, label)
		examined += int64(len(l.Further) + len(l.Rows) + len(l.Leaves))
	}
	s.flush(w, s.queue)
	return examined
}

// firstHubs returns the first five hubs among the neighbours of a row, graph.NoHub behind the last.
func (s *byHubs) firstHubs(row uint32) [5]uint16 {
	r := &s.g.Records[row]
	if r.List&graph.SeveralHubs == 0 {
		return [5]uint16{r.Hub, graph.NoHub}
	}
	n := r.Next
	return [5]uint16{r.Hub, uint16(n), uint16(n >> 16), uint16(n >> 32), uint16(n >> 48)}
}

// claimRows visits rows that no other worker visits at the same time.
func (s *byHubs) claimRows(w *hubWorker, rows []uint32, parent engine.Label) {
	visited, parents := s.visited, s.rowParents
	for len(rows) > 0 {
		ids := w.ids
		part := rows[:min(len(rows), longRow)]
		rows = rows[len(part):]
		for _, r := range part {
			word, bit := visited[r>>6], uint64(1)<<(r&63)
			if word&bit == 0 {
				visited[r>>6] = word | bit
				parents[r] = parent
				ids = append(ids, r)
			}
		}
		if w.ids = ids; len(ids) >= longRow {
			s.flush(w, s.queue)
		}
	}
}

// claimHubs visits hubs that no other worker visits at the same time.
func (s *byHubs) claimHubs(w *hubWorker, hubs []uint16, parent engine.Label) {
	for _, h := range hubs {
		s.claimHub(w, h, parent)
	}
}

func (s *byHubs) claimHub(w *hubWorker, h uint16, parent engine.Label) {
	word, bit := &s.hubsBefore[h>>6], uint64(1)<<(h&63)
	if *word&bit == 0 {
		*word |= bit
		s.hubParents[h] = parent
		w.hubs = append(w.hubs, graph.HubBit|uint32(h))
	}
}

// A hubSegment is a part of the list of a hub: from entry lo to hi-1 of its hubs, and of its rows.
type hubSegment struct {
	hub    uint32
	lo, hi int
}

// expandTogether visits the neighbours of rows and hubs with all workers. If the hubs are few and
// their lists long, each worker takes the neighbours in its own ranges of rows and hubs.
// Otherwise the workers take parts of lists and claim vertices by atomic operations, which cost
// several times as much.
func (s *byHubs) expandTogether(rows, hubs []uint32, arcs uint64) (examined int64) {
	chunks := len(s.g.Chunks) - 1
	ranges := min(rangesPerWorker*len(s.workers), chunks)
	if arcs >= uint64(len(hubs)*ranges*minRangeArcs) {
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
			for _, h := range s.firstHubs(row) {
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

// expandRanges visits the neighbours of hubs by ranges of rows, which are whole chunks, and of hubs.
func (s *byHubs) expandRanges(hubs []uint32, ranges int) {
	const hubRanges = 4
	chunks := len(s.g.Chunks) - 1
	s.next.Store(0)
	s.team.Run(func(worker int) {
		w := s.workers[worker]
		for {
			i := int(s.next.Add(1)) - 1
			switch {
			case i < ranges:
				lo, hi := s.g.Chunks[i*chunks/ranges].Row, s.g.Chunks[(i+1)*chunks/ranges].Row
				for _, id := range hubs {
					h := &s.g.Hubs[id&^graph.HubBit]
					rows := s.g.RowsOf(h)
					from, _ := slices.BinarySearch(rows, lo)
					to, _ := slices.BinarySearch(rows[from:], hi)
					s.claimRows(w, rows[from:from+to], h.Label)
				}
			case i < ranges+hubRanges:
				i -= ranges // hubs of low numbers have more arcs
				lo, hi := len(s.g.Hubs)*i*i/(hubRanges*hubRanges)&^63, len(s.g.Hubs)*(i+1)*(i+1)/(hubRanges*hubRanges)&^63
				if i == hubRanges-1 {
					hi = len(s.g.Hubs)
				}
				for _, id := range hubs {
					h := &s.g.Hubs[id&^graph.HubBit]
					list := s.g.HubsOf(h)
					from, _ := slices.BinarySearch(list, uint16(lo))
					to, _ := slices.BinarySearch(list[from:], uint16(hi))
					s.claimHubs(w, list[from:from+to], h.Label)
				}
			default:
				s.flush(w, s.queue)
				return
			}
		}
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
		s.hubParents[h] = parent
		w.hubs = append(w.hubs, graph.HubBit|uint32(h))
	}
}

// visitRows claims the unvisited of the rows by atomic operations.
func (s *byHubs) visitRows(w *hubWorker, rows []uint32, parent engine.Label) {
	for _, r := range rows {
		if claimBit(&s.visited[r>>6], uint64(1)<<(r&63)) {
			s.rowParents[r] = parent
			w.ids = append(w.ids, r)
		}
		if len(w.ids) >= longRow {
			s.flush(w, s.queue)
		}
	}
}

// claimBit sets a bit. It returns false if it was set already.
func claimBit(word *uint64, bit uint64) bool {
	// The load avoids the atomic OR, which costs twice as much.
	return atomic.LoadUint64(word)&bit == 0 && atomic.OrUint64(word, bit)&bit == 0
}
