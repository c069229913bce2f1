package cpu

import (
	"slices"
	"sync/atomic"

	"graph500/engine"
	"graph500/parallel"
)

const (
	// longRow is the number of arcs from which a row is cut into pieces that
	// several workers share.
	longRow = 4096
	// alone is the number of arcs up to which one worker expands a level by
	// itself: waking the others would take longer.
	alone = 4096
	// rangesEach is the number of label ranges for each worker when a level is
	// split by what its arcs lead to, and rangeArcs the mean number of arcs
	// that a row must have in a range for that to pay.
	rangesEach = 4
	rangeArcs  = 32
)

// piece is a part of a long row.
type piece struct {
	v      engine.Local
	lo, hi uint64
}

// A topDown is one worker's share of the top-down levels.
type topDown struct {
	found []engine.Local // newly reached, not yet in the queue
	long  []piece        // long rows met while measuring
	arcs  uint64
	_     [64]byte
}

// frontierArcs adds up the degrees of the queue and notes its long rows. It
// gives up, and returns a larger number, once the sum exceeds limit.
func (s *hybrid) frontierArcs(limit uint64) uint64 {
	s.pieces = s.pieces[:0]
	if len(s.queue) <= 2048 {
		t := s.top[0]
		s.measure(t, s.queue, limit)
		s.cut(t)
		return t.arcs
	}
	var sum atomic.Uint64
	var next atomic.Int64
	s.team.Run(func(worker int) {
		t := s.top[worker]
		for sum.Load() <= limit {
			lo := int(next.Add(512)) - 512
			if lo >= len(s.queue) {
				return
			}
			t.arcs = 0
			s.measureMore(t, s.queue[lo:min(lo+512, len(s.queue))])
			sum.Add(t.arcs)
		}
	})
	for _, t := range s.top {
		s.cut(t)
	}
	return sum.Load()
}

func (s *hybrid) measure(t *topDown, queue []engine.Local, limit uint64) {
	t.arcs = 0
	for len(queue) > 0 && t.arcs <= limit {
		n := min(len(queue), 64)
		s.measureMore(t, queue[:n])
		queue = queue[n:]
	}
}

func (s *hybrid) measureMore(t *topDown, queue []engine.Local) {
	offsets := s.g.Offsets
	for _, v := range queue {
		r := s.g.Row(v)
		lo, hi := offsets[r], offsets[r+1]
		t.arcs += hi - lo
		if hi-lo > longRow {
			t.long = append(t.long, piece{v, lo, hi})
		}
	}
}

// cut moves a worker's long rows to the common list, in pieces.
func (s *hybrid) cut(t *topDown) {
	for _, p := range t.long {
		for lo := p.lo; lo < p.hi; lo += longRow {
			s.pieces = append(s.pieces, piece{p.v, lo, min(lo+longRow, p.hi)})
		}
	}
	t.long = t.long[:0]
}

// expand visits the neighbours of the queue and makes those newly reached the
// next queue. With few long rows, as behind most roots of a Kronecker graph,
// every worker takes the arcs into label ranges of its own; otherwise it takes
// rows and pieces of long ones and has to claim vertices by atomic operations,
// which cost several times as much.
func (s *hybrid) expand(arcs uint64) {
	s.reserved.Store(0)
	s.next.Store(0)
	s.nextPiece.Store(0)
	ranges := rangesEach * s.team.Size()
	switch {
	case arcs <= alone || s.team.Size() == 1:
		t := s.top[0]
		for _, v := range s.queue {
			r := s.g.Row(v)
			s.visitOwn(t, v, s.g.Neighbors[s.g.Offsets[r]:s.g.Offsets[r+1]])
		}
		s.flush(t)
	case arcs >= uint64(len(s.queue)*ranges*rangeArcs):
		s.team.Run(func(worker int) { s.expandRanges(worker, ranges) })
	default:
		s.team.Run(s.expandShare)
	}
	n := s.reserved.Load()
	s.queue, s.spare = s.spare[:n], s.queue[:0]
}

// expandRanges follows the arcs of the queue into whole ranges of labels.
// Rows are sorted, so the arcs into a range stand together.
func (s *hybrid) expandRanges(worker, ranges int) {
	t := s.top[worker]
	g := s.g
	for {
		i := int(s.next.Add(1)) - 1
		if i >= ranges {
			break
		}
		lo, hi := parallel.Split(len(s.visited), ranges, i)
		for _, v := range s.queue {
			r := g.Row(v)
			row := g.Neighbors[g.Offsets[r]:g.Offsets[r+1]]
			from, _ := slices.BinarySearch(row, engine.Local(lo<<6))
			row = row[from:]
			if hi < len(s.visited) {
				to, _ := slices.BinarySearch(row, engine.Local(hi<<6))
				row = row[:to]
			}
			s.visitOwn(t, v, row)
		}
	}
	s.flush(t)
}

func (s *hybrid) expandShare(worker int) {
	t := s.top[worker]
	g := s.g
	for {
		i := int(s.nextPiece.Add(1)) - 1
		if i >= len(s.pieces) {
			break
		}
		p := s.pieces[i]
		s.visit(t, p.v, g.Neighbors[p.lo:p.hi])
	}
	for {
		lo := int(s.next.Add(64)) - 64
		if lo >= len(s.queue) {
			break
		}
		for _, v := range s.queue[lo:min(lo+64, len(s.queue))] {
			r := g.Row(v)
			if row := g.Neighbors[g.Offsets[r]:g.Offsets[r+1]]; len(row) <= longRow {
				s.visit(t, v, row)
			}
		}
	}
	s.flush(t)
}

// visitOwn visits neighbours that no other worker can reach at this time.
func (s *hybrid) visitOwn(t *topDown, v engine.Local, neighbors []engine.Local) {
	visited, parents := s.visited, s.parents
	for len(neighbors) > 0 {
		found := t.found
		part := neighbors[:min(len(neighbors), longRow)]
		neighbors = neighbors[len(part):]
		for _, w := range part {
			word, bit := visited[w>>6], uint64(1)<<(w&63)
			if word&bit == 0 {
				visited[w>>6] = word | bit
				parents[w] = v
				found = append(found, w)
			}
		}
		if t.found = found; len(found) >= longRow {
			s.flush(t)
		}
	}
}

// visit claims the unvisited among the neighbours of v.
func (s *hybrid) visit(t *topDown, v engine.Local, neighbors []engine.Local) {
	visited, parents := s.visited, s.parents
	for _, w := range neighbors {
		word, bit := &visited[w>>6], uint64(1)<<(w&63)
		if atomic.LoadUint64(word)&bit != 0 { // a test first: the atomic OR costs twice as much
			continue
		}
		if atomic.OrUint64(word, bit)&bit != 0 {
			continue
		}
		parents[w] = v
		t.found = append(t.found, w)
	}
	if len(t.found) >= longRow {
		s.flush(t)
	}
}

// flush appends what the worker found to the next queue.
func (s *hybrid) flush(t *topDown) {
	if n := len(t.found); n > 0 {
		end := int(s.reserved.Add(int64(n)))
		copy(s.spare[end-n:end], t.found)
		t.found = t.found[:0]
	}
}
