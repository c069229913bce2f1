package validate

import (
	"context"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
	"graph500/parallel"
)

// single checks one tree of any depth and finds the first rule that it breaks.
type single struct {
	team *parallel.Team

	// marks has a bit for each vertex of the tree for which no tuple has been
	// found yet that joins it to its parent.
	marks []uint64
	// Both arrays hold depth+1, 0 for a vertex outside the tree. narrow is small
	// enough for the caches, 1 MB at scale 20, which speeds up the random accesses
	// of the pass over the tuples.
	depth  []uint32
	narrow []uint8

	workers []singleWorker
}

// singleWorker holds the results and buffers of one worker.
type singleWorker struct {
	visited  int64
	deepest  uint32 // largest depth+1
	entry    int64  // smallest vertex that breaks rule Entry
	path     int64  // smallest vertex that breaks rule Path
	edge     int64  // smallest vertex that breaks rule Edge
	level    int64  // smallest index of a tuple that breaks rule Level
	outside  int64  // smallest index of a tuple with an end out of range
	edges    int64
	loops    int64
	adjacent [block]engine.Edge
	children [block]engine.Local
	_        [64]byte
}

func newSingle(team *parallel.Team, marks []uint64, depth []uint32, narrow []uint8) single {
	return single{team: team, marks: marks, depth: depth, narrow: narrow, workers: make([]singleWorker, team.Size())}
}

func (c *single) reset() {
	for i := range c.workers {
		w := &c.workers[i]
		w.visited, w.deepest, w.edges, w.loops = 0, 0, 0, 0
		w.entry, w.path, w.edge, w.level, w.outside = never, never, never, never, never
	}
}

// sum adds up the counts of the workers and takes the minimum of their vertices
// and tuples, so that the result does not depend on the number of workers.
func (c *single) sum() singleWorker {
	total := singleWorker{entry: never, path: never, edge: never, level: never, outside: never}
	for i := range c.workers {
		w := &c.workers[i]
		total.visited += w.visited
		total.edges += w.edges
		total.loops += w.loops
		total.deepest = max(total.deepest, w.deepest)
		total.entry = min(total.entry, w.entry)
		total.path = min(total.path, w.path)
		total.edge = min(total.edge, w.edge)
		total.level = min(total.level, w.level)
		total.outside = min(total.outside, w.outside)
	}
	return total
}

// check returns the facts of the tree, or an *Error with its first broken rule.
func (c *single) check(ctx context.Context, tuples []engine.Edge, s Search) (engine.Tree, error) {
	parents, root := s.Parents, s.Root
	if err := s.checkRoot(len(c.depth)); err != nil {
		return engine.Tree{}, err
	}
	c.reset()
	if err := c.findDepths(ctx, parents, engine.Local(root)); err != nil {
		return engine.Tree{}, err
	}
	found := c.sum()
	if found.entry != never {
		v := engine.Vertex(found.entry)
		return engine.Tree{}, EntryError(root, v, parents[v], len(parents))
	}
	if found.path != never {
		return engine.Tree{}, PathError(root, engine.Vertex(found.path), parents)
	}

	var err error
	if found.deepest <= maxNarrow {
		err = checkTuples(ctx, c, c.narrow, tuples, parents)
	} else if err = c.fillDepths(ctx, parents); err == nil {
		err = checkTuples(ctx, c, c.depth, tuples, parents)
	}
	if err == nil {
		err = c.findUnjoined(ctx)
	}
	if err != nil {
		return engine.Tree{}, err
	}
	found = c.sum()
	if found.outside != never {
		return engine.Tree{}, OutsideError(found.outside, tuples[found.outside], len(parents))
	}
	if found.edge != never {
		v := engine.Vertex(found.edge)
		return engine.Tree{}, EdgeError(root, v, parents[v])
	}
	if found.level != never {
		ends := tuples[found.level]
		levels := [2]int64{level(parents, ends.U), level(parents, ends.V)}
		return engine.Tree{}, LevelError(root, found.level, ends, levels)
	}
	return engine.Tree{
		Visited:   found.visited,
		Edges:     found.edges,
		SelfLoops: found.loops,
		Depth:     int64(found.deepest) - 1,
	}, nil
}

// checkRoot checks the rules Size and Root in a graph of n vertices.
func (s Search) checkRoot(n int) error {
	switch {
	case len(s.Parents) != n:
		return SizeError(s.Root, len(s.Parents), n)
	case uint64(s.Root) >= uint64(n):
		return RootError(s.Root, engine.None, n)
	case engine.Vertex(s.Parents[s.Root]) != s.Root:
		return RootError(s.Root, s.Parents[s.Root], n)
	}
	return nil
}

// level returns the distance of v from the root along the parents, which must
// satisfy rule Path, or -1 outside the tree.
func level(parents []engine.Local, v engine.Local) int64 {
	if parents[v] == engine.None {
		return -1
	}
	steps := int64(0)
	for ; parents[v] != v; v = parents[v] {
		steps++
	}
	return steps
}

// findUnjoined finds the smallest vertex that no tuple joins to its parent.
func (c *single) findUnjoined(ctx context.Context) error {
	return c.team.For(ctx, len(c.marks), vertexGrain/64, func(number, lo, hi int) {
		for i := lo; i < hi; i++ {
			if word := c.marks[i]; word != 0 {
				w := &c.workers[number]
				w.edge = min(w.edge, int64(i*64+bits.TrailingZeros64(word)))
				return
			}
		}
	})
}

// join clears the mark of v: a tuple joins it to its parent. The load before the
// atomic operation avoids moving the cache line between cores if a vertex has many
// such tuples.
func (c *single) join(v engine.Local) {
	word, bit := &c.marks[v/64], uint64(1)<<(v%64)
	if atomic.LoadUint64(word)&bit != 0 {
		atomic.AndUint64(word, ^bit)
	}
}
