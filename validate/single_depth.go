package validate

import (
	"context"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
)

const (
	// noPath marks a vertex whose parents do not lead to the root.
	noPath = 1<<32 - 1
	// maxNarrow is the largest depth+1 that narrow can hold.
	maxNarrow = 1<<8 - 1
	// walkSteps is the number of steps along parents between two tests of the
	// context: a millisecond to a few milliseconds.
	walkSteps = 1 << 16
)

// findDepths stores the distance of every own vertex of the tree from the root in
// narrow. The walks along the parents store the depths of vertices with children
// in depth, so that each worker walks over each vertex at most once, even on a
// path through all vertices. Two workers on the same path store the same depths.
//
// At scale 20 this takes 7 ms on one core. One pass over all vertices per level
// took 29 ms and is quadratic on a path. Storing the depths of leaves in depth too
// took 1 ms more, because of stores that other cores wait for.
func (c *single) findDepths(ctx context.Context, parents []engine.Label, root engine.Label) error {
	depth, narrow := c.depth, c.narrow
	if err := c.team.For(ctx, len(depth), vertexGrain, func(_, lo, hi int) {
		clear(depth[lo:hi])
	}); err != nil {
		return err
	}
	depth[root] = 1
	for i := range c.marks {
		c.marks[i] = ^uint64(0)
	}
	return c.team.For(ctx, c.end-c.first, vertexGrain, func(number, lo, hi int) {
		w := &c.workers[number]
		visited, deepest := 0, max(w.counts.deepest, 1)
		end := c.first + hi
		for first := c.first + lo; first < end; first += 64 {
			mark := uint64(0)
			for i, p := range parents[first:min(first+64, end)] {
				v := first + i
				if p == engine.None {
					narrow[v] = 0
					continue
				}
				if uint64(p) >= uint64(len(depth)) || int(p) == v {
					if p == root {
						narrow[v] = 1
						visited++
					} else {
						w.first.entry = min(w.first.entry, int64(v))
					}
					continue
				}
				d := atomic.LoadUint32(&depth[p])
				if d == 0 {
					if d = c.walk(ctx, parents, p); d == 0 {
						return // the context has ended
					}
				}
				if d == noPath {
					w.first.path = min(w.first.path, int64(v))
					continue
				}
				mark |= 1 << i
				d++
				deepest = max(deepest, d)
				narrow[v] = uint8(d) // unused if the tree is deeper than maxNarrow allows
			}
			visited += bits.OnesCount64(mark)
			c.marks[first/64] = mark
		}
		w.counts.visited += int64(visited)
		w.counts.deepest = deepest
	})
}

// fillDepths sets depth for the own leaves, after findDepths.
func (c *single) fillDepths(ctx context.Context, parents []engine.Label) error {
	return c.team.For(ctx, c.end-c.first, vertexGrain, func(_, lo, hi int) {
		for v := c.first + lo; v < c.first+hi; v++ {
			if p := parents[v]; p != engine.None && c.depth[v] == 0 {
				c.depth[v] = c.depth[p] + 1 // p is not a leaf: no worker writes its depth here
			}
		}
	})
}

// walk follows the parents from v to a vertex with a known depth. It then follows
// them again and sets the depths of all vertices on this path, to noPath if the
// path ends outside the tree or in a cycle. It returns depth+1 of v, or 0 if ctx
// ends.
func (c *single) walk(ctx context.Context, parents []engine.Label, v engine.Label) uint32 {
	// Cycles are detected by Brent's method (An improved Monte Carlo factorization
	// algorithm, BIT 20, 1980): hare walks, and tortoise jumps to hare after each
	// power of two of steps. The walk is at most three times as long as the path
	// into the cycle and once around it.
	hare, tortoise := v, v
	base := uint32(0)
	steps, jump := uint64(0), uint64(1)
	for {
		hare = parents[hare]
		steps++
		if uint64(hare) >= uint64(len(parents)) || hare == tortoise {
			base = noPath
			break
		}
		if base = atomic.LoadUint32(&c.depth[hare]); base != 0 {
			break
		}
		if steps == jump {
			tortoise = hare
			jump *= 2
		}
		if steps%walkSteps == 0 && ctx.Err() != nil {
			return 0
		}
	}
	first := uint32(noPath)
	if base != noPath {
		first = base + uint32(steps)
	}
	d := first
	for u := v; steps > 0; steps-- {
		atomic.StoreUint32(&c.depth[u], d)
		if d != noPath {
			d--
		}
		u = parents[u]
		if steps%walkSteps == 0 && ctx.Err() != nil {
			return 0
		}
	}
	return first
}
