package cpu

import (
	"context"
	"math"
	"sync/atomic"

	"graph500/engine"
)

// tail relaxes the kept arcs until none changes a distance.
func (s *bounded) tail(ctx context.Context) (engine.Level, error) {
	l := engine.Level{}
	var segments []keptSegment
	for _, w := range s.pulls {
		segments = append(segments, w.segments...)
	}
	clear(s.changed)
	clear(s.newChanged)
	for sweep := 0; ; sweep++ {
		if sweep == s.limits.maxSweeps {
			return l, s.pushChanged(ctx)
		}
		var found, examined atomic.Int64
		err := s.team.For(ctx, len(segments), 4, func(worker, lo, hi int) {
			for _, g := range segments[lo:hi] {
				n, all := s.sweep(s.pulls[worker], g.worker.kept[g.from:g.to], sweep == 0)
				found.Add(n)
				examined.Add(all)
			}
		})
		l.Found += found.Load()
		l.Examined += examined.Load()
		if err != nil || found.Load() == 0 {
			return l, err
		}
		s.changed, s.newChanged = s.newChanged, s.changed
		clear(s.newChanged)
	}
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

// pushChanged pushes from the vertices that the last sweep has changed, with all their
// arcs, until no distance changes. It ends a tail that does not end soon by itself.
func (s *bounded) pushChanged(ctx context.Context) error {
	s.resumeChanged()
	_, err := s.push(ctx)
	return err
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
