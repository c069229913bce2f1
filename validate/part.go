package validate

import (
	"context"
	"math"
	"slices"
	"unsafe"

	"graph500/cluster"
	"graph500/engine"
)

// part says which of the results and tuples this rank has. In a world of one these are all.
type part struct {
	world      *cluster.World
	bounds     []int // first vertex of each rank, a multiple of 64 unless it has none, and the number of vertices
	first, end int   // the own vertices
	tuple      int64 // index of the first own tuple in the list
}

func partOf(c Config) part {
	p := part{world: c.World, tuple: int64(c.First)}
	for rank := range c.Ranges.Ranks() {
		first, _ := c.Ranges.Range(rank)
		p.bounds = append(p.bounds, int(first))
	}
	p.bounds = append(p.bounds, int(c.Ranges.Vertices()))
	p.first, p.end = p.bounds[p.world.Rank()], p.bounds[p.world.Rank()+1]
	return p
}

// isAll reports whether there is no other rank.
func (p *part) isAll() bool { return p.world.Size() == 1 }

// checkSize checks the rule Size. Each rank has that many entries.
func (p *part) checkSize(ctx context.Context, root engine.Vertex, what string, entries int) error {
	sums := []int64{int64(entries), 0}
	if entries != p.end-p.first {
		sums[1] = 1
	}
	if err := p.world.Sum(ctx, sums); err != nil || sums[1] == 0 {
		return err
	}
	return SizeError(root, what, int(sums[0]), p.bounds[p.world.Size()])
}

// share sets the entries of the other ranks in an array by vertex, in which each rank has set its own.
func share[T any](ctx context.Context, p *part, all []T) error {
	if p.isAll() {
		return nil
	}
	return cluster.Gather(ctx, p.world, slices.Clone(all[p.first:p.end]), all, p.bounds)
}

// checkInput returns an error if a tuple of any rank has an end out of range or an invalid weight. outside and weight are
// the indices of the first such tuples, or never.
func (p *part) checkInput(ctx context.Context, tuples engine.Tuples, outside, weight int64) error {
	index := outside
	if index == never {
		index = weight
	}
	if index == never {
		return nil
	}
	ends, w, err := tupleAt[float32](ctx, p, tuples, index)
	switch {
	case err != nil:
		return err
	case outside != never:
		return OutsideError(index, ends, p.bounds[p.world.Size()])
	}
	return WeightError(index, w)
}

// tupleAt returns the ends and the weight of the tuple of any rank with an index in the list. Without
// weights its weight is 0.
func tupleAt[W float32 | uint32](ctx context.Context, p *part, tuples engine.Tuples, index int64) (ends engine.Edge, weight W, err error) {
	values := []int64{0, 0, 0}
	if i := index - p.tuple; i >= 0 && i < int64(tuples.Len()) {
		e := tuples.At(int(i))
		values[0], values[1] = int64(e.U), int64(e.V)
		if tuples.Weights != nil {
			values[2] = int64(math.Float32bits(tuples.Weights[i]))
		}
	}
	err = p.world.Sum(ctx, values)
	bits := uint32(values[2])
	return engine.Edge{U: engine.Label(values[0]), V: engine.Label(values[1])}, *(*W)(unsafe.Pointer(&bits)), err
}
