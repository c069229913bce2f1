package cpu

import (
	"sync/atomic"

	"graph500/engine"
)

const (
	// longRow is the largest number of arcs in a row that one worker expands.
	// Longer rows are split into segments for several workers.
	longRow = 4096
	// serialArcs is the largest number of arcs in a level that one worker
	// expands alone: waking the others would take longer.
	serialArcs = 4096
)

// rowSegment is arcs lo..hi-1 of vertex v.
type rowSegment struct {
	v      engine.Label
	lo, hi uint64
}

// A topDown is the state of one worker in top-down levels.
type topDown struct {
	found    []engine.Label // newly reached vertices, not yet in the queue
	longRows []rowSegment   // whole rows, found by addArcs
	arcs     uint64
	_        [64]byte
}

// frontierArcs returns the sum of the degrees of the queue and collects its
// long rows. It stops early, with a result above limit, when the sum exceeds
// limit.
func (s *hybrid) frontierArcs(limit uint64) uint64 {
	s.segments = s.segments[:0]
	if len(s.queue) <= 2048 {
		t := s.topDown[0]
		s.countArcs(t, s.queue, limit)
		s.splitLongRows(t)
		return t.arcs
	}
	var sum atomic.Uint64
	var next atomic.Int64
	s.team.Run(func(worker int) {
		t := s.topDown[worker]
		for sum.Load() <= limit {
			lo := int(next.Add(512)) - 512
			if lo >= len(s.queue) {
				return
			}
			t.arcs = 0
			s.addArcs(t, s.queue[lo:min(lo+512, len(s.queue))])
			sum.Add(t.arcs)
		}
	})
	for _, t := range s.topDown {
		s.splitLongRows(t)
	}
	return sum.Load()
}

// countArcs sets t.arcs to the sum of the degrees of queue. It stops early when
// the sum exceeds limit.
func (s *hybrid) countArcs(t *topDown, queue []engine.Label, limit uint64) {
	t.arcs = 0
	for len(queue) > 0 && t.arcs <= limit {
		n := min(len(queue), 64)
		s.addArcs(t, queue[:n])
		queue = queue[n:]
	}
}

// addArcs adds the degrees of queue to t.arcs.
func (s *hybrid) addArcs(t *topDown, queue []engine.Label) {
	offsets := s.g.Offsets
	for _, v := range queue {
		r := s.g.Row(v)
		lo, hi := offsets[r], offsets[r+1]
		t.arcs += hi - lo
		if hi-lo > longRow {
			t.longRows = append(t.longRows, rowSegment{v, lo, hi})
		}
	}
}

// splitLongRows splits the long rows of a worker into the shared list of
// segments.
func (s *hybrid) splitLongRows(t *topDown) {
	for _, p := range t.longRows {
		for lo := p.lo; lo < p.hi; lo += longRow {
			s.segments = append(s.segments, rowSegment{p.v, lo, min(lo+longRow, p.hi)})
		}
	}
	t.longRows = t.longRows[:0]
}

// expandRows calls visit with the neighbours of segments of long rows, then of short
// rows.
func (s *hybrid) expandRows(worker int, visit func(t *topDown, v engine.Label, neighbors []engine.Label)) {
	t := s.topDown[worker]
	g := s.g
	for {
		i := int(s.nextSegment.Add(1)) - 1
		if i >= len(s.segments) {
			break
		}
		p := s.segments[i]
		visit(t, p.v, g.Neighbors[p.lo:p.hi])
	}
	for {
		lo := int(s.next.Add(64)) - 64
		if lo >= len(s.queue) {
			break
		}
		for _, v := range s.queue[lo:min(lo+64, len(s.queue))] {
			r := g.Row(v)
			if row := g.Neighbors[g.Offsets[r]:g.Offsets[r+1]]; len(row) <= longRow {
				visit(t, v, row)
			}
		}
	}
	s.flush(t)
}

// flush appends the found vertices of a worker to the next queue.
func (s *hybrid) flush(t *topDown) {
	if n := len(t.found); n > 0 {
		end := int(s.queueTail.Add(int64(n)))
		copy(s.nextQueue[end-n:end], t.found)
		t.found = t.found[:0]
	}
}
