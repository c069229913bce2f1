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

// exchangeImprovements sends the leaving improvements to the owners of their vertices, and
// lowers the distances of the own vertices to those received. It reports whether a rank has
// sent any or is active. Improvements at the bound or above it are logged as beyond.
func (s *bounded) exchangeImprovements(ctx context.Context, active bool, bound uint32) (bool, error) {
	s.sortLeaving()
	received, active, err := s.incoming.ExchangeActive(ctx, active, s.outgoing...)
	if err != nil {
		return false, err
	}
	return active, s.lowerAll(ctx, received, bound)
}

// sortLeaving sorts the leaving improvements that are still the best by the owners of their
// vertices.
func (s *bounded) sortLeaving() {
	leaving := 0
	for i := range s.workers {
		leaving += len(s.workers[i].leaving)
	}
	sort := func(worker int) {
		w, parts := &s.workers[worker], s.outgoing[worker]
		for r := range parts {
			parts[r] = parts[r][:0]
		}
		for _, x := range w.leaving {
			if s.distances[x.vertex] == x.distance {
				r := s.ranges.Owner(x.vertex)
				parts[r] = append(parts[r], x)
			}
		}
		w.leaving = w.leaving[:0]
	}
	if leaving > s.limits.serialPush {
		s.team.Run(sort)
		return
	}
	for worker := range s.workers {
		sort(worker)
	}
}

// lowerAll lowers the distances of own vertices and logs the improvements.
func (s *bounded) lowerAll(ctx context.Context, received []improvement[uint32], bound uint32) error {
	lowerPart := func(worker, lo, hi int) {
		w := &s.workers[worker]
		for _, x := range received[lo:hi] {
			if lower(s.distances, x) {
				w.record(x, bound)
			}
		}
	}
	if len(received) > s.limits.serialPush {
		return s.team.For(ctx, len(received), 1024, lowerPart)
	}
	lowerPart(0, 0, len(received))
	return nil
}

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
func (s *bounded) exchangeSettled(ctx context.Context) error {
	if s.alone() {
		return nil
	}
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
func (s *bounded) listSettled() int64 {
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
