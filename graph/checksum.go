package graph

import (
	"context"
	"math"
	"sync/atomic"

	"graph500/engine"
	"graph500/parallel"
)

// Checksum identifies a list of tuples, with their weights if there are some. It does not
// depend on the order of the tuples or of the two ends of one, so that the same graph has one
// checksum in every format. That of a list is the sum, modulo 2^64, of those of its parts.
func Checksum(ctx context.Context, team *parallel.Team, t engine.Tuples) (uint64, error) {
	const piece = 1 << 16
	var sum atomic.Uint64
	err := team.For(ctx, len(t.Edges), piece, func(_, lo, hi int) {
		var part uint64
		for i, e := range t.Edges[lo:hi] {
			h := mixed(uint64(min(e.U, e.V))<<32 | uint64(max(e.U, e.V)))
			if t.Weights != nil {
				h = mixed(h + uint64(math.Float32bits(t.Weights[lo+i])) + 1)
			}
			part += h
		}
		sum.Add(part)
	})
	return sum.Load(), err
}

// mixed is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom
// Number Generators, 2014): each bit of the result depends on all bits of x.
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
