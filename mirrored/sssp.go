package mirrored

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/memory"
	"graph500/proxies"
)

// SSSP finds shortest paths in steps with a growing bound. In a step, ranks relax the arcs of
// proxies whose distances are at most the bound until none of theirs is left; then mirrors send
// what they have improved to their masters, and masters to their mirrors with arcs. The step ends
// when nothing is left on any rank.
//
// A parent changes only with a smaller distance, so that arcs of weight 0 make no cycle.
type SSSP struct {
	*Part
	tentative []uint64 // by local number: bits of the distance, above the label of the parent
	active    []uint64 // bits of proxies whose arcs are to be relaxed
	improved  []uint64 // bits of proxies whose other proxies do not know the distance
	step      float32  // by which the bound grows
	profile   engine.Profile
}

// unreached is the bits of the distance of a vertex that no path has reached.
const unreached = engine.InfiniteBits

// NewSSSP returns a search of a part with weights.
func NewSSSP(ctx context.Context, p *Part) (s *SSSP, err error) {
	s = &SSSP{Part: p}
	var errs [3]error
	s.tentative, errs[0] = memory.Alloc[uint64](p.Proxies())
	s.active, errs[1] = memory.Alloc[uint64](p.words())
	s.improved, errs[2] = memory.Alloc[uint64](p.words())
	err = errors.Join(errs[:]...)
	if err == nil {
		err = s.chooseStep(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// chooseStep sets the step to about the weight of the lightest four arcs of a mean vertex, if
// weights are evenly distributed.
func (s *SSSP) chooseStep(ctx context.Context) error {
	sum := 0.0
	for _, w := range s.Weights {
		sum += float64(w)
	}
	largest, err := s.world.MaxSeconds(ctx, sum/max(1, float64(len(s.Weights))))
	s.step = float32(8 * largest * float64(s.Info.Connected) / max(1, float64(s.Info.Arcs)))
	return err
}

// Close frees the memory of the search.
func (s *SSSP) Close() error {
	return errors.Join(memory.Free(s.tentative), memory.Free(s.active), memory.Free(s.improved))
}

// Profile returns the rounds of the last search, with the counts of all ranks.
func (s *SSSP) Profile() engine.Profile { return s.profile }

// Search finds the distance from the root to each vertex, and a parent.
func (s *SSSP) Search(ctx context.Context, root engine.Label) error {
	start := time.Now()
	s.profile.Reset()
	for i := range s.tentative {
		s.tentative[i] = unreached<<32 | uint64(engine.None)
	}
	clear(s.active)
	clear(s.improved)
	if i, own := s.find(root); own {
		s.lower(i, 0, root)
	}
	bound := float32(0)
	for {
		counts, least, err := s.round(ctx, bound)
		if err != nil {
			return err
		}
		now := time.Now()
		s.profile.Add(engine.Level{Step: "push", Frontier: counts[0], Examined: counts[1], Found: counts[2], Seconds: now.Sub(start).Seconds()})
		start = now
		if math.IsInf(float64(least), 1) {
			return nil
		}
		if least > bound {
			bound = least + s.step
		}
	}
}

// round relaxes all arcs of proxies within the bound on this rank, and exchanges improvements. It
// returns the numbers of vertices relaxed, arcs and improved masters of all ranks, and the least
// distance of an active proxy.
func (s *SSSP) round(ctx context.Context, bound float32) (counts []int64, least float32, err error) {
	var relaxed, arcs atomic.Int64
	for more := true; more; {
		before := relaxed.Load()
		if err := s.team.For(ctx, len(s.active), 16, func(_, lo, hi int) {
			for w := lo; w < hi; w++ {
				n, m := s.relaxWord(w, bound)
				relaxed.Add(n)
				arcs.Add(m)
			}
		}); err != nil {
			return nil, 0, err
		}
		more = relaxed.Load() > before
	}
	if err := s.exchange(ctx); err != nil {
		return nil, 0, err
	}
	found := int64(0)
	for w := range (s.Masters + 63) / 64 {
		found += int64(bits.OnesCount64(s.improved[w]))
	}
	clear(s.improved)
	counts = []int64{relaxed.Load(), arcs.Load(), found}
	if err := s.world.Sum(ctx, counts); err != nil {
		return nil, 0, err
	}
	nearest := []int64{unreached} // bits of distances are in their order
	for w, x := range s.active {
		for ; x != 0; x &= x - 1 {
			nearest[0] = min(nearest[0], int64(s.tentative[64*w+bits.TrailingZeros64(x)]>>32))
		}
	}
	err = s.world.Min(ctx, nearest)
	return counts, math.Float32frombits(uint32(nearest[0])), err
}

// relaxWord relaxes the arcs of the active proxies of a word within the bound. It returns the
// numbers of proxies and arcs.
func (s *SSSP) relaxWord(w int, bound float32) (vertices, arcs int64) {
	for x := atomic.LoadUint64(&s.active[w]); x != 0; x &= x - 1 {
		i := uint32(64*w + bits.TrailingZeros64(x))
		if math.Float32frombits(uint32(atomic.LoadUint64(&s.tentative[i])>>32)) > bound {
			continue
		}
		atomic.AndUint64(&s.active[w], ^(x & -x)) // before the distance is read
		distance := math.Float32frombits(uint32(atomic.LoadUint64(&s.tentative[i]) >> 32))
		label, weights := s.Labels[i], s.Weights[s.Offsets[i]:s.Offsets[i+1]]
		for k, u := range s.Neighbors[s.Offsets[i]:s.Offsets[i+1]] {
			s.lower(u, distance+weights[k], label)
		}
		vertices++
		arcs += int64(len(weights))
	}
	return vertices, arcs
}

// lower sets distance and parent of a proxy if the distance is smaller than before.
func (s *SSSP) lower(i uint32, distance float32, parent engine.Label) {
	next := uint64(math.Float32bits(distance))<<32 | uint64(parent)
	for {
		now := atomic.LoadUint64(&s.tentative[i])
		if next>>32 >= now>>32 {
			return
		}
		if atomic.CompareAndSwapUint64(&s.tentative[i], now, next) {
			break
		}
	}
	set(s.improved, i)
	if s.reads(i) {
		set(s.active, i)
	}
}

// exchange brings improvements of mirrors to their masters, and those of masters to their mirrors
// with arcs.
func (s *SSSP) exchange(ctx context.Context) error {
	get := func(local uint32) [2]uint32 {
		t := s.tentative[local]
		return [2]uint32{uint32(t >> 32), uint32(t)}
	}
	if err := s.sync.Reduce(ctx, s.improved, proxies.Values{Width: 2, Get: get, Set: func(master uint32, v []uint32) {
		s.lower(master, math.Float32frombits(v[0]), v[1])
	}}); err != nil {
		return err
	}
	return s.sync.Broadcast(ctx, s.improved, true, proxies.Values{Width: 1, Get: get, Set: func(mirror uint32, v []uint32) {
		s.lower(mirror, math.Float32frombits(v[0]), engine.None)
	}})
}

// Results calls yield with each of the masters lo..hi-1 that the last search reached.
func (s *SSSP) Results(lo, hi int, yield func(master int, parent engine.Label, distance float32)) {
	for i, t := range s.tentative[lo:hi] {
		if t>>32 < unreached {
			yield(lo+i, engine.Label(t), math.Float32frombits(uint32(t>>32)))
		}
	}
}
