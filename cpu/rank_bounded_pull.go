package cpu

import (
	"context"
	"math"
	"sync/atomic"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// settledPiece is the number of settled vertices that a rank sends to all others at a time.
const settledPiece = 1 << 16

// noSettled fills up the piece of a rank that has fewer vertices.
const noSettled = uint64(engine.None) << 32

// settledExchange holds pairs of a settled vertex, in the upper half, and the bits of its
// distance.
type settledExchange struct {
	own      [][]uint64 // by worker
	piece    []uint64   // of own
	gathered []uint64   // pieces of all ranks

	worker, taken int // lists, and pairs of the next one, that were in a piece
}

// arrays declares the arrays, and the lists of the workers.
func (x *settledExchange) arrays(z size) []memory.Declared {
	const name = "settled vertices"
	return []memory.Declared{
		memory.Of(&x.piece, name, settledPiece), memory.Of(&x.gathered, name, settledPiece*z.ranks()),
		memory.Grown(name, 8*(z.owned/4)),
	}
}

// next copies the next n pairs to the piece and returns it. It fills up the last piece.
func (x *settledExchange) next(n int) []uint64 {
	piece, at := x.piece[:n], 0
	for ; x.worker < len(x.own); x.worker, x.taken = x.worker+1, 0 {
		taken := copy(piece[at:], x.own[x.worker][x.taken:])
		at, x.taken = at+taken, x.taken+taken
		if at == n {
			return piece
		}
	}
	for ; at < n; at++ {
		piece[at] = noSettled
	}
	return piece
}

// exchangeSettled gives all ranks the distances below the bound.
func (s *rankedBounded) exchangeSettled(ctx context.Context) error {
	most := []int64{s.listSettled()}
	if err := s.world.Max(ctx, most); err != nil {
		return err
	}
	for left := int(most[0]); left > 0; left -= len(s.settled.piece) {
		n := min(len(s.settled.piece), left)
		gathered := s.settled.gathered[:n*s.world.Size()]
		if err := cluster.Allgather(ctx, s.world, s.settled.next(n), gathered); err != nil {
			return err
		}
		if err := s.team.For(ctx, len(gathered), 4096, func(_, lo, hi int) {
			for _, pair := range gathered[lo:hi] {
				if v := engine.Label(pair >> 32); v != engine.None {
					s.distances[v] = uint32(pair)
				}
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// listSettled lists the own vertices below the bound and returns their number.
func (s *rankedBounded) listSettled() int64 {
	own, bound := s.distances[s.first:][:len(s.parents)], math.Float32bits(s.bound)
	s.settled.worker, s.settled.taken = 0, 0
	var n atomic.Int64
	s.team.Run(func(worker int) {
		list := s.settled.own[worker][:0]
		lo, hi := parallel.Split(len(own), s.team.Size(), worker)
		for i, d := range own[lo:hi] {
			if d < bound {
				list = append(list, uint64(s.first+engine.Label(lo+i))<<32|uint64(d))
			}
		}
		s.settled.own[worker] = list
		n.Add(int64(len(list)))
	})
	return n.Load()
}

// pullAndTail runs the last two steps.
func (s *rankedBounded) pullAndTail(ctx context.Context) error {
	l, err := s.pull(ctx)
	if err != nil {
		return err
	}
	l.Step = "pull"
	if err := s.recordOwn(ctx, l); err != nil {
		return err
	}
	if err := s.moveKept(ctx); err != nil {
		return err
	}
	return s.tail(ctx)
}

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

func newMovedArcs(w *cluster.World, workers int) movedArcs {
	m := movedArcs{incoming: cluster.NewExchanger[movedArc](w)}
	for range workers {
		m.outgoing = append(m.outgoing, make([][]movedArc, w.Size()))
	}
	return m
}

// moveKept moves the kept arcs of all ranks to the owners of the vertices that they come
// from.
func (s *rankedBounded) moveKept(ctx context.Context) error {
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

// tail relaxes the moved arcs until none changes a distance, in sweeps with all ranks. It
// records the step.
func (s *rankedBounded) tail(ctx context.Context) error {
	l := engine.Level{Step: "tail"}
	more := true
	for sweep := 0; sweep < s.limits.maxSweeps && more; sweep++ {
		before := s.pushedArcs()
		err := s.team.For(ctx, len(s.moved.arcs), 1024, func(worker, lo, hi int) {
			s.sweepMoved(&s.workers[worker], s.moved.arcs[lo:hi], sweep == 0)
		})
		if err != nil {
			return err
		}
		l.Examined += s.pushedArcs() - before
		if more, err = s.exchangeImprovements(ctx, s.hasNew(), engine.UnreachedBits); err != nil {
			return err
		}
		l.Found += s.markChanged()
	}
	s.finishPush(s.improved())
	if err := s.recordOwn(ctx, l); err != nil || !more {
		return err
	}
	s.resumeChanged()
	return s.push(ctx)
}

// hasNew reports whether the logs have gained improvements that are not taken yet.
func (s *rankedBounded) hasNew() bool {
	for i := range s.workers {
		if len(s.workers[i].log) > s.workers[i].taken {
			return true
		}
	}
	return false
}

// sweepMoved relaxes the arcs from vertices that the previous sweep has changed, or all.
func (s *rankedBounded) sweepMoved(w *pushWorker, arcs []movedArc, all bool) {
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
