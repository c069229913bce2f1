package graph

import (
	"context"
	"math/bits"
	"slices"

	"graph500/engine"
)

// samplePairs is the largest number of pairs in the sample of bothWays. The hash
// table has twice as many entries of 9 bytes.
const samplePairs = 1 << 16

// bothWays returns the share of the edges that occur in both directions, 0 to 1,
// not counting self loops and repetitions.
//
// If there are more than samplePairs edges, it samples the pairs of vertices with
// a small hash, about samplePairs of them. An edge is in the sample if its reverse
// is, so the share is unbiased, and it is the same in every run. The cost is
// 1.2 MiB and one hash per edge outside the sample, a tenth of the time to read
// its line.
func bothWays(ctx context.Context, edges []engine.Edge) (float64, error) {
	s := newSample(len(edges), samplePairs)
	for part := range slices.Chunk(edges, block) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		s.add(part)
	}
	return s.share(), nil
}

// sample is a hash table of pairs of vertices with the directions of their edges.
type sample struct {
	zeroBits   uint // a pair is in the sample if this number of upper bits of its hash are 0
	bits       uint // log2 of the table size
	pairs      []uint64
	directions []uint8 // bit 0: to the higher label, bit 1: to the lower label
	free       int     // pairs that can still be added
}

func newSample(edges, capacity int) *sample {
	s := &sample{free: capacity}
	for n := edges; n > capacity; n /= 2 {
		s.zeroBits++
	}
	s.bits = uint(bits.Len(uint(2 * min(edges, capacity)))) // more than the capacity: the table never fills up
	s.pairs, s.directions = make([]uint64, 1<<s.bits), make([]uint8, 1<<s.bits)
	return s
}

// pairHash returns the same hash for both directions of an edge. Its upper bits
// depend on all bits of the two labels (Knuth, The Art of Computer Programming 3,
// 6.4). It does not compare the labels: the processor would mispredict the branch
// for every other edge.
func pairHash(e engine.Edge) uint64 {
	u, v := uint64(e.U), uint64(e.V)
	return (u+v)*0x9e3779b97f4a7c15 + u*v*0xd6e8feb86659fd93
}

// add adds edges to the sample. When the sample is full, it ignores new pairs in
// both directions. This happens if the hash selects too many pairs of a list.
func (s *sample) add(edges []engine.Edge) {
	zeroMask := ^(^uint64(0) >> s.zeroBits)
	for _, e := range edges {
		hash := pairHash(e)
		if hash&zeroMask != 0 || e.U == e.V {
			continue
		}
		pair := uint64(min(e.U, e.V))<<32 | uint64(max(e.U, e.V)) // not 0, because the ends differ
		at := hash << s.zeroBits >> (64 - s.bits)
		for s.pairs[at] != pair && s.pairs[at] != 0 {
			at = (at + 1) & (1<<s.bits - 1)
		}
		if s.pairs[at] == 0 {
			if s.free == 0 {
				continue
			}
			s.free--
			s.pairs[at] = pair
		}
		if e.U < e.V {
			s.directions[at] |= 1
		} else {
			s.directions[at] |= 2
		}
	}
}

// share returns the share of the edges in the sample whose reverse is in it too.
func (s *sample) share() float64 {
	all, both := 0, 0
	for _, w := range s.directions {
		all += bits.OnesCount8(w)
		both += int(w / 3 * 2)
	}
	return float64(both) / float64(max(all, 1))
}
