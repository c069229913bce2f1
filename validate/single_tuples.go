package validate

import (
	"context"

	"graph500/engine"
)

// checkTuples looks at every tuple once, for rules Edge and Level and for the
// counts. depth holds the depths plus one, 0 outside the tree.
//
// The work is done in stages without a branch on the depths, so that the
// processor keeps many look-ups on their way at once: 50 ms at scale 20 on one
// core. A loop that branches on them took twice as long. A look at the parents' low
// bits, packed beside the depths, or at marks before the parents are looked up
// saved less than it cost.
func checkTuples[D uint8 | uint32](ctx context.Context, c *single, depth []D, tuples []engine.Edge, parents []engine.Local) error {
	return c.team.For(ctx, len(tuples), tupleGrain, func(number, lo, hi int) {
		w := &c.workers[number]
		for lo < hi {
			part := tuples[lo:min(lo+block, hi)]
			passed, adjacent := scan(depth, part, &w.adjacent)
			w.edges += int64(passed)
			for _, v := range w.children[:findChildren(parents, w.adjacent[:adjacent], &w.children)] {
				c.join(v)
			}
			lo += passed
			if passed < len(part) {
				classify(w, depth, lo, part[passed])
				lo++
			}
		}
	})
}

// scan goes over tuples as long as both ends are in the tree, at most one
// level apart and not the same, and returns how many these are. It collects
// those with ends one level apart and returns their number.
func scan[D uint8 | uint32](depth []D, tuples []engine.Edge, adjacent *[block]engine.Edge) (passed, found int) {
	for i, e := range tuples {
		if uint64(e.U) >= uint64(len(depth)) || uint64(e.V) >= uint64(len(depth)) {
			return i, found
		}
		a, b := int64(depth[e.U]), int64(depth[e.V])
		apart := a - b
		if uint64(apart+1) > 2 || e.U == e.V || a == 0 || b == 0 {
			return i, found
		}
		adjacent[found&(block-1)] = e
		found += int(apart & 1)
	}
	return len(tuples), found
}

// findChildren collects the ends whose parent is the other end and returns
// their number.
func findChildren(parents []engine.Local, tuples []engine.Edge, children *[block]engine.Local) int {
	found := 0
	for _, e := range tuples {
		ofU, ofV := parents[e.U], parents[e.V]
		child, isChild := e.V, 0
		if ofV == e.U {
			isChild = 1
		}
		if ofU == e.V {
			child, isChild = e.U, 1
		}
		children[found&(block-1)] = child
		found += isChild
	}
	return found
}

// classify judges the tuple with the given index, one that scan does not pass.
func classify[D uint8 | uint32](w *singleWorker, depth []D, index int, e engine.Edge) {
	if uint64(e.U) >= uint64(len(depth)) || uint64(e.V) >= uint64(len(depth)) {
		w.outside = min(w.outside, int64(index))
		return
	}
	switch a, b := depth[e.U], depth[e.V]; {
	case a == 0 && b == 0: // another component
	case e.U == e.V:
		w.loops++
	default:
		w.level = min(w.level, int64(index))
	}
}
