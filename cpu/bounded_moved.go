package cpu

import (
	"context"
	"sync/atomic"

	"graph500/cluster"
	"graph500/engine"
)

// movedArc is a kept arc that has moved to the owner of the vertex that it comes from.
type movedArc struct {
	keptArc
	best uint32 // bits of a distance: less is an improvement of the vertex that it leads to
}

// movedArcs holds the kept arcs from the own vertices.
type movedArcs struct {
	arcs     []movedArc
	outgoing [][][]movedArc // by worker and rank
	incoming *cluster.Exchanger[movedArc]
}

// moveKept moves the kept arcs of all ranks to the owners of the vertices that they come
// from.
func (s *bounded) moveKept(ctx context.Context) error {
	m := &s.moved
	s.team.Run(func(worker int) {
		parts := m.outgoing[worker]
		for r := range parts {
			parts[r] = parts[r][:0]
		}
		for _, arc := range s.pulls[worker].kept {
			r := s.ranges.Owner(arc.from)
			parts[r] = append(parts[r], movedArc{arc, s.distances[arc.to]})
		}
	})
	received, err := m.incoming.Exchange(ctx, m.outgoing...)
	if err != nil {
		return err
	}
	m.arcs = received // valid until the next exchange of them
	return nil
}

// sweepMoved lets the workers relax the moved arcs from own vertices that the previous sweep has
// changed, or all, and sends the improvements to the owners of their vertices. It reports whether a
// rank has improved a distance.
func (s *bounded) sweepMoved(ctx context.Context, all bool) (found, examined int64, more bool, err error) {
	before := s.pushedArcs()
	if err = s.team.For(ctx, len(s.moved.arcs), 1024, func(worker, lo, hi int) {
		s.relaxMoved(&s.workers[worker], s.moved.arcs[lo:hi], all)
	}); err != nil {
		return 0, 0, false, err
	}
	if more, err = s.exchangeImprovements(ctx, s.hasNew(), engine.UnreachedBits); err != nil {
		return 0, 0, false, err
	}
	return s.markChanged(), s.pushedArcs() - before, more, nil
}

// hasNew reports whether the logs have gained improvements that are not taken yet.
func (s *bounded) hasNew() bool {
	for i := range s.workers {
		if len(s.workers[i].log) > s.workers[i].taken {
			return true
		}
	}
	return false
}

// relaxMoved relaxes the arcs from vertices that the previous sweep has changed, or all.
func (s *bounded) relaxMoved(w *pushWorker, arcs []movedArc, all bool) {
	for i := range arcs {
		arc := &arcs[i]
		own := arc.from - s.first
		if !all && s.changed[own>>6]>>(own&63)&1 == 0 {
			continue
		}
		w.arcs++
		d := atomic.LoadUint32(&s.distances[arc.from])
		if d >= engine.InfiniteBits {
			continue
		}
		if t := add(d, arc.weight); t < arc.best {
			arc.best = t
			w.relaxed = append(w.relaxed, improvement[uint32]{arc.to, arc.from, t})
		}
	}
	s.relax(w, engine.UnreachedBits)
}

// markChanged makes the vertices that the log has gained the changed ones, and returns
// their number.
func (s *bounded) markChanged() (found int64) {
	clear(s.changed)
	for i := range s.workers {
		w := &s.workers[i]
		for _, x := range w.log[w.taken:] {
			own := x.vertex - s.first
			s.changed[own>>6] |= 1 << (own & 63)
		}
		found += int64(len(w.log) - w.taken)
		w.taken = len(w.log)
	}
	return found
}
