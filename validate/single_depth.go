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
// the parents, in narrow. What a walk finds is kept in depth for the vertices
// that have children, so that each vertex is walked over at most once by each
// worker, even on a path through all vertices. Two workers that meet on a way
// write the same depths.
//
// At scale 20 this takes 7 ms on one core. Passes over all vertices that settle
// one level each took 29 ms, and are quadratic on a path; keeping the depths of
// leaves too took 1 ms more, for the stores that the other cores wait for.
func (c *single) findDepths(ctx context.Context, parents []engine.Local, root engine.Local) error {
	depth, narrow := c.depth, c.narrow
	if err := c.team.For(ctx, len(depth), vertexGrain, func(_, lo, hi int) {
		clear(depth[lo:hi])
	}); err != nil {
		return err
	}
	depth[root] = 1
	return c.team.For(ctx, len(parents), vertexGrain, func(number, lo, hi int) {
		w := &c.workers[number]
		visited, deepest := 0, max(w.deepest, 1)
		for first := lo; first < hi; first += 64 {
			mark := uint64(0)
			for i, p := range parents[first:min(first+64, hi)] {
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
						w.entry = min(w.entry, int64(v))
					}
					continue
				}
				d := atomic.LoadUint32(&depth[p])
				if d == 0 {
					if d = c.walk(ctx, parents, p); d == 0 {
						return // the context has ended
					}
				}
				if d == lost {
					w.path = min(w.path, int64(v))
					continue
				}
				mark |= 1 << i
				d++
				deepest = max(deepest, d)
				narrow[v] = uint8(d) // not used if the tree is deeper than it can hold
			}
			visited += bits.OnesCount64(mark)
			c.marks[first/64] = mark
		}
		w.visited += int64(visited)
		w.deepest = deepest
	})
}

// fillDepths sets depth for the leaves too, after findDepths.
func (c *single) fillDepths(ctx context.Context, parents []engine.Local) error {
	return c.team.For(ctx, len(parents), vertexGrain, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			if p := parents[v]; p != engine.None && c.depth[v] == 0 {
				c.depth[v] = c.depth[p] + 1 // p is no leaf: nobody writes it here
			}
		}
	})
}

// walk follows the parents from v to a vertex with a known depth, then does it
// again and sets the depths of all vertices on the way. If the way ends
// outside the tree or in a cycle, they are lost. It returns the depth+1 of v,
// or 0 if ctx ends first.
func (c *single) walk(ctx context.Context, parents []engine.Local, v engine.Local) uint32 {
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
