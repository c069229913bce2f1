package graph

import (
	"errors"
	"fmt"
	"math"

	"graph500/engine"
)

// bothEnds compares the entries of lists of neighbours that must hold each edge at both of its
// ends, with the same weight. It keeps sums of hashes of the entries to larger and to smaller
// vertices, which are equal if the entries are. Others have the same sums with a
// probability of 2^-64.
type bothEnds struct {
	up, down, loops uint64 // number of entries to larger vertices, to smaller ones and to the vertex itself
	upSum, downSum  uint64
}

// add takes an entry v in the list of u. It reports whether the entry stands for the edge: the
// one in the list of the smaller end, and each self loop.
func (b *bothEnds) add(u, v engine.Label, weight float32) bool {
	hash := pairHash(engine.Edge{U: u, V: v}) + uint64(math.Float32bits(weight))*0xc2b2ae3d27d4eb4f
	hash = (hash ^ hash>>29) * 0xbf58476d1ce4e5b9
	hash ^= hash >> 32
	switch {
	case u < v:
		b.up++
		b.upSum += hash
		return true
	case u > v:
		b.down++
		b.downSum += hash
		return false
	}
	b.loops++
	return true
}

// check returns an error if an edge is in the list of one end only.
func (b *bothEnds) check() error {
	if b.up != b.down {
		return fmt.Errorf("%d neighbours have larger numbers than the vertex, %d smaller ones: each edge must be in the lists of both its ends", b.up, b.down)
	}
	if b.upSum != b.downSum {
		return errors.New("an edge is in the list of one of its ends only, or with another weight: each edge must be in the lists of both its ends")
	}
	return nil
}
