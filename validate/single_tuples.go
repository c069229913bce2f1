package validate

import (
	"context"

	"graph500/engine"
)

// checkTuples examines every own tuple once, for the rules Edge and Level and for the
// counts. depth holds depth+1, 0 outside the tree, of the own vertices.
//
// The work is done in stages without branches on the depths, so that many loads
// are in flight at the same time: 50 ms at scale 20 on one core. A loop with
// branches on the depths took twice as long. Testing marks, or low bits of the
// parents packed with the depths, before looking up the parents cost more than it
// saved.
func checkTuples[D uint8 | uint32](ctx context.Context, c *single, depth []D, tuples engine.Tuples, parents []engine.Label) error {
	if err := share(ctx, c.part, depth); err != nil {
		return err
	}
	return c.team.For(ctx, tuples.Len(), tupleGrain, func(number, lo, hi int) {
		w := &c.workers[number]
		edges, first := tuples.View(lo, hi, &w.edges)
		for lo < hi {
			part := edges[lo-first : min(lo+block, hi)-first]
			passed, adjacent := scan(depth, part, &w.adjacent)
			w.counts.edges += int64(passed)
			for _, v := range w.children[:findChildren(parents, w.adjacent[:adjacent], &w.children)] {
				c.join(v)
			}
			lo += passed
			if passed < len(part) {
				classify(w, depth, c.tuple+int64(lo), part[passed])
				lo++
			}
		}
	})
}

// scan examines tuples up to the first one whose ends are equal, not both in the
// tree or more than one level apart. It returns the number of tuples before it,
// and stores those with ends one level apart in adjacent, U the deeper one; found is their number.
func scan[D uint8 | uint32](depth []D, tuples []engine.Edge, adjacent *[block]engine.Edge) (passed, found int) {
	for i, e := range tuples {
		if uint64(e.U) >= uint64(len(depth)) || uint64(e.V) >= uint64(len(depth)) {
			return i, found
		}
		a, b := int64(depth[e.U]), int64(depth[e.V])
		difference := a - b
		if uint64(difference+1) > 2 || e.U == e.V || a == 0 || b == 0 {
			return i, found
		}
		swap := (e.U ^ e.V) & engine.Label(difference>>63)
		adjacent[found&(block-1)] = engine.Edge{U: e.U ^ swap, V: e.V ^ swap}
		found += int(difference & 1)
	}
	return len(tuples), found
}

// findChildren stores the deeper ends whose parent is the other end in children and
// returns their number.
func findChildren(parents []engine.Label, tuples []engine.Edge, children *[block]engine.Label) int {
	found := 0
	for _, e := range tuples {
		isChild := 0
		if parents[e.U] == e.V {
			isChild = 1
		}
		children[found&(block-1)] = e.U
		found += isChild
	}
	return found
}

// classify handles the tuple with the given index in the list, at which scan stopped.
func classify[D uint8 | uint32](w *singleWorker, depth []D, index int64, e engine.Edge) {
	if uint64(e.U) >= uint64(len(depth)) || uint64(e.V) >= uint64(len(depth)) {
		w.first.outside = min(w.first.outside, index)
		return
	}
	switch a, b := depth[e.U], depth[e.V]; {
	case a == 0 && b == 0: // another component
	case e.U == e.V:
		w.counts.loops++
	default:
		w.first.tuple = min(w.first.tuple, index)
	}
}
