package cpu

import (
	"context"
	"math"
	"sync/atomic"

	"graph500/engine"
)

// tail relaxes the kept arcs until none changes a distance, in sweeps with all ranks. It records the
// step. A tail that does not end soon by itself ends by a push from the vertices that the last sweep
// has changed, with all their arcs.
func (s *bounded) tail(ctx context.Context) error {
	sweep := s.sweepKept
	if !s.alone() {
		sweep = s.sweepMoved
		if err := s.moveKept(ctx); err != nil {
			return err
		}
	}
	l := engine.Level{Step: "tail"}
	more := true
	for n := 0; n < s.limits.maxSweeps && more; n++ {
		var found, examined int64
		var err error
		if found, examined, more, err = sweep(ctx, n == 0); err != nil {
			return err
		}
		l.Found += found
		l.Examined += examined
	}
	s.finishPush(s.improved())
	if err := s.record(ctx, l); err != nil || !more {
		return err
	}
	s.resumeChanged()
	return s.push(ctx)
}

// sweepKept lets the workers relax the kept arcs from vertices that the previous sweep has changed,
// or all, where they are. It reports whether that has improved a distance.
func (s *bounded) sweepKept(ctx context.Context, all bool) (found, examined int64, more bool, err error) {
	if all {
		s.segments = s.segments[:0]
		for _, w := range s.pulls {
			s.segments = append(s.segments, w.segments...)
		}
	}
	clear(s.newChanged)
	var improved, relaxed atomic.Int64
	err = s.team.For(ctx, len(s.segments), 4, func(worker, lo, hi int) {
		for _, g := range s.segments[lo:hi] {
			n, arcs := s.sweep(s.pulls[worker], g.worker.kept[g.from:g.to], all)
			improved.Add(n)
			relaxed.Add(arcs)
		}
	})
	s.changed, s.newChanged = s.newChanged, s.changed
	return improved.Load(), relaxed.Load(), improved.Load() > 0, err
}

// sweepBatch is the number of kept arcs that the vector form relaxes at a time.
const sweepBatch = 1024

// sweepGo relaxes the arcs from vertices that the previous sweep has changed, or all. It
// returns the numbers of improvements and of relaxed arcs.
func (s *bounded) sweepGo(kept []keptArc, all bool) (found, examined int64) {
	distances := s.distances
	for _, arc := range kept {
		if !all && s.changed[arc.from>>6]>>(arc.from&63)&1 == 0 {
			continue
		}
		examined++
		d := atomic.LoadUint32(&distances[arc.from])
		if d >= engine.InfiniteBits {
			continue
		}
		// No other worker writes this distance, nor the bits of the same word.
		if t := add(d, arc.weight); t < distances[arc.to] {
			atomic.StoreUint32(&distances[arc.to], t)
			s.parents[arc.to] = arc.from
			s.newChanged[arc.to>>6] |= 1 << (arc.to & 63)
			found++
		}
	}
	return found, examined
}

// resumeChanged makes the vertices that the last sweep has changed the rows of the next
// round, without a bound.
func (s *bounded) resumeChanged() {
	s.bound = float32(math.Inf(1))
	w := &s.workers[0]
	for i := range s.workers {
		s.workers[i].paused.reset()
	}
	for word, m := range s.changed {
		for bit := range 64 {
			if m>>bit&1 != 0 {
				v := s.first + engine.Label(word<<6+bit)
				w.resumed = append(w.resumed, pausedRow[uint32]{0, s.distances[v], v, 0})
			}
		}
	}
}
