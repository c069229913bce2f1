package validate

import (
	"context"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
)

const (
	// lost marks a vertex whose parents do not lead to the root.
	lost = 1<<32 - 1
	// narrowest is the largest depth+1 that fits narrow.
	narrowest = 1<<8 - 1
	// walkPause is the number of steps along parents between two looks at the
	// context: a millisecond or a few.
	walkPause = 1 << 16
)

// findDepths gives every vertex of the tree its distance from the root along
// the parents. Every depth found is kept, so that each vertex is walked over
// at most once by each worker, even on a path through all vertices. Two
// workers that meet on a path write the same depths.
//
// One pass of such walks took a third of the time of sweeps that settle one
// level each, at scale 20, and has no bad case.
func (c *Checker) findDepths(ctx context.Context, parents []engine.Vertex, root engine.Vertex) error {
	depth, narrow := c.depth, c.narrow
	if err := c.team.For(ctx, len(depth), vertexGrain, func(_, lo, hi int) {
		clear(depth[lo:hi])
	}); err != nil {
		return err
	}
	depth[root] = 1
	return c.team.For(ctx, len(parents), vertexGrain, func(number, lo, hi int) {
		w := &c.workers[number]
		visited, deepest := 0, w.deepest
		for first := lo; first < hi; first += 64 {
			mark := uint64(0)
			for i, p := range parents[first:min(first+64, hi)] {
				v := first + i
				if p == engine.None {
					narrow[v] = 0
					continue
				}
				if uint64(p) >= uint64(len(parents)) || (int(p) == v && p != root) {
					w.entry = min(w.entry, int64(v))
					continue
				}
				mark |= 1 << i
				d := atomic.LoadUint32(&depth[v])
				if d == 0 {
					if d = atomic.LoadUint32(&depth[p]); d == 0 || d == lost {
						d = c.walk(ctx, parents, engine.Vertex(v))
						if d == 0 {
							return // the context has ended
						}
					} else {
						d++
						atomic.StoreUint32(&depth[v], d)
					}
				}
				if d == lost {
					w.path = min(w.path, int64(v))
					continue
				}
				deepest = max(deepest, d)
				narrow[v] = uint8(min(d, narrowest))
			}
			visited += bits.OnesCount64(mark)
			c.marks[first/64] = mark
		}
		if uint64(root) >= uint64(lo) && uint64(root) < uint64(hi) {
			c.marks[root/64] &^= 1 << (root % 64) // needs no edge
		}
		w.visited += int64(visited)
		w.deepest = deepest
	})
}

// walk follows the parents from v to a vertex with a known depth, then does it
// again and sets the depths of all vertices on the way. If the way ends
// outside the tree or in a cycle, they are lost. It returns the depth+1 of v,
// or 0 if ctx ends first.
func (c *Checker) walk(ctx context.Context, parents []engine.Vertex, v engine.Vertex) uint32 {
	// Cycles are found by Brent's method (An improved Monte Carlo factorization
	// algorithm, BIT 20, 1980): hare walks, tortoise jumps to it at every power
	// of two. The walk is at most three times as long as the way into the cycle
	// and around it.
	hare, tortoise := v, v
	base := uint32(0)
	steps, jump := uint64(0), uint64(1)
	for {
		hare = parents[hare]
		steps++
		if uint64(hare) >= uint64(len(parents)) || hare == tortoise {
			base = lost
			break
		}
		if base = atomic.LoadUint32(&c.depth[hare]); base != 0 {
			break
		}
		if steps == jump {
			tortoise = hare
			jump *= 2
		}
		if steps%walkPause == 0 && ctx.Err() != nil {
			return 0
		}
	}
	first := uint32(lost)
	if base != lost {
		first = base + uint32(steps)
	}
	d := first
	for u := v; steps > 0; steps-- {
		atomic.StoreUint32(&c.depth[u], d)
		if d != lost {
			d--
		}
		u = parents[u]
		if steps%walkPause == 0 && ctx.Err() != nil {
			return 0
		}
	}
	return first
}
