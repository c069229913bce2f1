package cpu

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
)

// settledPiece is the number of settled vertices that a rank sends to all others at a time.
const settledPiece = 1 << 16

// noSettled fills up the piece of a rank that has fewer vertices.
const noSettled = uint64(engine.None) << 32

// settledExchange holds pairs of a settled vertex, in the upper half, and the bits of its
// distance.
type settledExchange struct {
	own      []uint64
	piece    []uint64 // of own
	gathered []uint64 // pieces of all ranks
}

func (x *settledExchange) allocate(ranks int) error {
	var errs [2]error
	x.piece, errs[0] = memory.Alloc[uint64](settledPiece)
	x.gathered, errs[1] = memory.Alloc[uint64](settledPiece * ranks)
	return errors.Join(errs[:]...)
}

func (x *settledExchange) close() error {
	return errors.Join(memory.Free(x.piece), memory.Free(x.gathered))
}

// exchangeSettled gives all ranks the distances below the bound.
func (s *rankedBounded) exchangeSettled(ctx context.Context) error {
	x := &s.settled
	x.own = x.own[:0]
	bound := math.Float32bits(s.bound)
	for i, d := range s.distances[s.first:][:len(s.parents)] {
		if d < bound {
			x.own = append(x.own, uint64(s.first+engine.Local(i))<<32|uint64(d))
		}
	}
	most := []int64{int64(len(x.own))}
	if err := s.world.Max(ctx, most); err != nil {
		return err
	}
	for lo := 0; lo < int(most[0]); lo += settledPiece {
		n := min(settledPiece, int(most[0])-lo)
		piece := x.piece[:n]
		for i := copy(piece, x.own[min(lo, len(x.own)):]); i < n; i++ {
			piece[i] = noSettled
		}
		gathered := x.gathered[:n*s.world.Size()]
		if err := cluster.Allgather(ctx, s.world, piece, gathered); err != nil {
			return err
		}
		if err := s.team.For(ctx, len(gathered), 4096, func(_, lo, hi int) {
			for _, pair := range gathered[lo:hi] {
				if v := engine.Local(pair >> 32); v != engine.None {
					s.distances[v] = uint32(pair)
				}
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// pullAndTail runs the last two steps.
func (s *rankedBounded) pullAndTail(ctx context.Context) error {
	l, err := s.pull(ctx)
	if err != nil {
		return err
	}
	if _, err := s.record(ctx, "pull", l); err != nil {
		return err
	}
	if err := s.moveKept(ctx); err != nil {
		return err
	}
	return s.tail(ctx)
}

// movedArc is a kept arc that moves to the owner of the vertex that it comes from.
type movedArc struct {
	keptArc
	best uint32 // bits of the distance of the vertex that it leads to
}

// movedArcs holds the kept arcs from the own vertices.
type movedArcs struct {
	arcs     []keptArc
	outgoing [][]movedArc // by rank
	incoming *cluster.Exchanger[movedArc]
}

func newMovedArcs(w *cluster.World) movedArcs {
	return movedArcs{outgoing: make([][]movedArc, w.Size()), incoming: cluster.NewExchanger[movedArc](w)}
}

// moveKept moves the kept arcs of all ranks to the owners of the vertices that they come
// from.
func (s *rankedBounded) moveKept(ctx context.Context) error {
	m := &s.moved
	m.arcs = m.arcs[:0]
	for r := range m.outgoing {
		m.outgoing[r] = m.outgoing[r][:0]
	}
	for _, w := range s.pulls {
		for _, arc := range w.kept {
			r := s.ranges.Owner(arc.from)
			if r == s.world.Rank() {
				m.arcs = append(m.arcs, arc)
			} else {
				m.outgoing[r] = append(m.outgoing[r], movedArc{arc, s.distances[arc.to]})
			}
		}
	}
	received, err := m.incoming.Exchange(ctx, m.outgoing)
	if err != nil {
		return err
	}
	m.arcs = slices.Grow(m.arcs, len(received))
	for _, x := range received {
		s.distances[x.to] = min(s.distances[x.to], x.best)
		m.arcs = append(m.arcs, x.keptArc)
	}
	return nil
}

// tail relaxes the moved arcs until none changes a distance, in sweeps with all ranks. It
// records the step.
func (s *rankedBounded) tail(ctx context.Context) error {
	l := engine.Level{}
	clear(s.changed)
	for sweep := 0; sweep < s.limits.maxSweeps; sweep++ {
		before := s.pushedArcs()
		if err := s.team.For(ctx, len(s.moved.arcs), 1024, func(worker, lo, hi int) {
			s.sweepMoved(&s.workers[worker], s.moved.arcs[lo:hi], sweep == 0)
		}); err != nil {
			return err
		}
		l.Examined += s.pushedArcs() - before
		if _, err := s.exchangeImprovements(ctx); err != nil {
			return err
		}
		found := []int64{s.markChanged()}
		l.Found += found[0]
		if err := s.world.Sum(ctx, found); err != nil {
			return err
		}
		if found[0] == 0 {
			s.finishPush(s.improved())
			_, err := s.record(ctx, "tail", l)
			return err
		}
	}
	s.finishPush(s.improved())
	if _, err := s.record(ctx, "tail", l); err != nil {
		return err
	}
	s.resumeChanged()
	return s.push(ctx)
}

// sweepMoved relaxes the arcs from vertices that the previous sweep has changed, or all.
func (s *rankedBounded) sweepMoved(w *pushWorker, arcs []keptArc, all bool) {
	for _, arc := range arcs {
		own := arc.from - s.first
		if !all && s.changed[own>>6]>>(own&63)&1 == 0 {
			continue
		}
		w.arcs++
		d := atomic.LoadUint32(&s.distances[arc.from])
		if d >= infiniteBits {
			continue
		}
		if t := add(d, arc.weight); t < infiniteBits {
			w.relaxed = append(w.relaxed, improvement{arc.to, arc.from, t})
		}
	}
	s.relax(w)
}

// markChanged makes the vertices that the log has gained the changed ones, and returns
// their number.
func (s *rankedBounded) markChanged() (found int64) {
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
