package validate

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
	"graph500/parallel"
)

// single checks one search of any depth and finds the first rule that it breaks.
type single struct {
	team     *parallel.Team
	kernel   engine.Kernel
	integers bool // Config.Integers

	// marks has a bit for each vertex of the tree but the root for which no tuple has
	// been found yet that joins it to its parent, for SSSP as rule Tight demands.
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
	counts singleCounts
	first  singleFirst

	edges    []engine.Edge // of tuples with labels of 48 bits
	adjacent [block]engine.Edge
	children [block]engine.Label
	tight    [2 * block]engine.Edge // parent and child
	_        [64]byte
}

// singleCounts holds the facts of a tree.
type singleCounts struct {
	visited, edges, loops int64
	deepest               uint32 // largest depth+1
	farthest              uint64 // the largest distance: its bits, or with whole numbers itself
}

// singleFirst holds the smallest vertices and tuple indices that break a rule.
type singleFirst struct {
	entry, path, distance int64 // vertices that break these rules
	apart                 int64 // vertex that breaks rule Edge or Tight
	tuple                 int64 // tuple that breaks rule Level or Relaxed
	outside               int64 // tuple with an end out of range
	weight                int64 // tuple with an invalid weight
}

func newSingle(team *parallel.Team, of Config, marks []uint64, depth []uint32, narrow []uint8) single {
	return single{team: team, kernel: of.Kernel, integers: of.Integers, marks: marks, depth: depth, narrow: narrow, workers: make([]singleWorker, team.Size())}
}

// noneBroken returns the state before any place has been found.
func noneBroken() singleFirst {
	return singleFirst{never, never, never, never, never, never, never}
}

func (c *single) reset() {
	for i := range c.workers {
		c.workers[i].counts, c.workers[i].first = singleCounts{}, noneBroken()
	}
}

// sum adds up the counts of the workers and takes the minimum of their vertices
// and tuples, so that the result does not depend on the number of workers.
func (c *single) sum() (counts singleCounts, first singleFirst) {
	first = noneBroken()
	for i := range c.workers {
		n, f := &c.workers[i].counts, &c.workers[i].first
		counts.visited += n.visited
		counts.edges += n.edges
		counts.loops += n.loops
		counts.deepest = max(counts.deepest, n.deepest)
		counts.farthest = max(counts.farthest, n.farthest)
		first.entry = min(first.entry, f.entry)
		first.path = min(first.path, f.path)
		first.distance = min(first.distance, f.distance)
		first.apart = min(first.apart, f.apart)
		first.tuple = min(first.tuple, f.tuple)
		first.outside = min(first.outside, f.outside)
		first.weight = min(first.weight, f.weight)
	}
	return counts, first
}

// check returns the facts of the tree, or an *Error with its first broken rule.
func (c *single) check(ctx context.Context, tuples engine.Tuples, s Search) (engine.Tree, error) {
	if err := s.checkRoot(c.kernel, len(c.depth), c.integers); err != nil {
		return engine.Tree{}, err
	}
	c.reset()
	if err := c.checkPaths(ctx, s); err != nil {
		return engine.Tree{}, err
	}
	checkKernel := c.checkLevels
	if c.kernel == engine.SSSP {
		checkKernel = c.checkDistances
	}
	if err := checkKernel(ctx, tuples, s); err != nil {
		return engine.Tree{}, err
	}
	counts, _ := c.sum()
	tree := engine.Tree{Visited: counts.visited, Edges: counts.edges, SelfLoops: counts.loops, Depth: int64(counts.deepest) - 1}
	if c.integers {
		tree.MaxExact, tree.MaxDistance = counts.farthest, float32(counts.farthest)
	} else {
		tree.MaxDistance = math.Float32frombits(uint32(counts.farthest))
	}
	return tree, nil
}

// checkRoot checks the rules Size and Root in a graph of n vertices.
func (s Search) checkRoot(kernel engine.Kernel, n int, integers bool) error {
	distances := len(s.Distances)
	if integers {
		distances = len(s.Exact)
	}
	switch {
	case s.size() != n:
		return SizeError(s.Root, "parents", s.size(), n)
	case kernel == engine.SSSP && distances != n:
		return SizeError(s.Root, "distances", distances, n)
	case uint64(s.Root) >= uint64(n):
		return RootError(s.Root, engine.None, n)
	case engine.Vertex(s.parent(engine.Label(s.Root))) != s.Root:
		return RootError(s.Root, s.parent(engine.Label(s.Root)), n)
	}
	return nil
}

// checkPaths checks the rules Entry and Path.
func (c *single) checkPaths(ctx context.Context, s Search) error {
	if err := c.findDepths(ctx, s.Parents, engine.Label(s.Root)); err != nil {
		return err
	}
	switch _, first := c.sum(); {
	case first.entry != never:
		v := engine.Vertex(first.entry)
		return EntryError(s.Root, v, s.Parents[v], len(s.Parents))
	case first.path != never:
		return PathError(s.Root, engine.Vertex(first.path), s.Parents)
	}
	return nil
}

// checkLevels checks the rules Edge and Level, after checkPaths.
func (c *single) checkLevels(ctx context.Context, tuples engine.Tuples, s Search) error {
	var err error
	if counts, _ := c.sum(); counts.deepest <= maxNarrow {
		err = checkTuples(ctx, c, c.narrow, tuples, s.Parents)
	} else if err = c.fillDepths(ctx, s.Parents); err == nil {
		err = checkTuples(ctx, c, c.depth, tuples, s.Parents)
	}
	if err == nil {
		err = c.findUnjoined(ctx)
	}
	if err != nil {
		return err
	}
	switch _, first := c.sum(); {
	case first.outside != never:
		return OutsideError(first.outside, tuples.At(int(first.outside)), len(s.Parents))
	case first.apart != never:
		v := engine.Vertex(first.apart)
		return EdgeError(s.Root, v, s.Parents[v])
	case first.tuple != never:
		ends := tuples.At(int(first.tuple))
		levels := [2]int64{level(s.Parents, ends.U), level(s.Parents, ends.V)}
		return LevelError(s.Root, first.tuple, ends, levels)
	}
	return nil
}

// level returns the distance of v from the root along the parents, which must
// satisfy rule Path, or -1 outside the tree.
func level(parents []engine.Label, v engine.Label) int64 {
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
				first := &c.workers[number].first
				first.apart = min(first.apart, int64(i*64+bits.TrailingZeros64(word)))
				return
			}
		}
	})
}

// join clears the mark of v: a tuple joins it to its parent. The load before the
// atomic operation avoids moving the cache line between cores if a vertex has many
// such tuples.
func (c *single) join(v engine.Label) {
	word, bit := &c.marks[v/64], uint64(1)<<(v%64)
	if atomic.LoadUint64(word)&bit != 0 {
		atomic.AndUint64(word, ^bit)
	}
}
