package validate

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// single checks one search of any depth and finds the first rule that it breaks.
type single struct {
	*part
	team     *parallel.Team
	kernel   engine.Kernel
	integers bool // Config.Integers

	// marks has a bit for each vertex of the tree but the root for which no tuple has
	// been found yet that joins it to its parent, for SSSP as rule Tight demands. Those of
	// other ranks' vertices are set, unless an own tuple joins them.
	marks []uint64
	// Both arrays hold depth+1, 0 for a vertex outside the tree. narrow is small
	// enough for the caches, 1 MB at scale 20, which speeds up the random accesses
	// of the pass over the tuples.
	depth  []uint32
	narrow []uint8

	// of several ranks, by vertex of all
	parents   []engine.Label
	distances []float32 // of SSSP
	exchanger *cluster.Exchanger[uint64]
	atATime   int // markWords

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
	tuple                 int64 // index in the list of a tuple that breaks rule Level or Relaxed
	outside               int64 // tuple with an end out of range
	weight                int64 // tuple with an invalid weight
}

// arrays declares the results of all vertices, for several ranks.
func (c *single) arrays(of Config, name string) []memory.Declared {
	arrays := []memory.Declared{memory.Of(&c.parents, name, of.Ranges.Vertices())}
	if of.Kernel == engine.SSSP {
		arrays = append(arrays, memory.Of(&c.distances, name, of.Ranges.Vertices()))
	}
	return arrays
}

// use sets everything but the arrays that it declares.
func (c *single) use(team *parallel.Team, of Config, part *part, marks []uint64, depth []uint32, narrow []uint8) {
	c.part, c.team, c.kernel, c.integers = part, team, of.Kernel, of.Integers
	c.marks, c.depth, c.narrow = marks, depth, narrow
	c.exchanger, c.atATime, c.workers = cluster.NewExchanger[uint64](of.World), markWords, make([]singleWorker, team.Size())
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

// sum adds up the counts of the workers of all ranks and takes the minimum of their vertices
// and tuples, so that the result does not depend on the number of workers.
func (c *single) sum(ctx context.Context) (counts singleCounts, first singleFirst, err error) {
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
	sums := []int64{counts.visited, counts.edges, counts.loops}
	most := []int64{int64(counts.deepest), int64(counts.farthest)}
	least := []int64{first.entry, first.path, first.distance, first.apart, first.tuple, first.outside, first.weight}
	err = cmp.Or(c.world.Sum(ctx, sums), c.world.Max(ctx, most), c.world.Min(ctx, least))
	return singleCounts{sums[0], sums[1], sums[2], uint32(most[0]), uint64(most[1])},
		singleFirst{least[0], least[1], least[2], least[3], least[4], least[5], least[6]}, err
}

// check returns the facts of the tree, or an *Error with its first broken rule.
func (c *single) check(ctx context.Context, tuples engine.Tuples, s Search) (engine.Tree, error) {
	s, err := c.complete(ctx, s)
	if err != nil {
		return engine.Tree{}, err
	}
	if err := s.checkRoot(len(c.depth)); err != nil {
		return engine.Tree{}, err
	}
	c.reset()
	checkKernel := c.checkLevels
	if c.kernel == engine.SSSP {
		checkKernel = c.checkDistances
	}
	deepest, err := c.checkPaths(ctx, s)
	if err != nil {
		return engine.Tree{}, err
	}
	counts, err := checkKernel(ctx, tuples, s, deepest)
	if err != nil {
		return engine.Tree{}, err
	}
	tree := engine.Tree{Visited: counts.visited, Edges: counts.edges, SelfLoops: counts.loops, Depth: int64(counts.deepest) - 1}
	if c.integers {
		tree.MaxExact, tree.MaxDistance = counts.farthest, float32(counts.farthest)
	} else {
		tree.MaxDistance = math.Float32frombits(uint32(counts.farthest))
	}
	return tree, nil
}

// complete checks the rule Size, and returns the search with the results of the vertices of all ranks.
func (c *single) complete(ctx context.Context, s Search) (Search, error) {
	if err := c.checkSize(ctx, s.Root, "parents", s.size()); err != nil {
		return s, err
	}
	if c.kernel == engine.SSSP {
		distances := len(s.Distances)
		if c.integers {
			distances = len(s.Exact)
		}
		if err := c.checkSize(ctx, s.Root, "distances", distances); err != nil {
			return s, err
		}
	}
	if c.isAll() {
		return s, nil
	}
	if err := cluster.Gather(ctx, c.world, s.Parents, c.parents, c.bounds); err != nil {
		return s, err
	}
	if c.kernel == engine.SSSP {
		if err := cluster.Gather(ctx, c.world, s.Distances, c.distances, c.bounds); err != nil {
			return s, err
		}
	}
	s.Parents, s.Distances = c.parents, c.distances
	return s, nil
}

// checkRoot checks the rule Root in a graph of n vertices.
func (s Search) checkRoot(n int) error {
	switch {
	case uint64(s.Root) >= uint64(n):
		return RootError(s.Root, engine.None, n)
	case engine.Vertex(s.parent(engine.Label(s.Root))) != s.Root:
		return RootError(s.Root, s.parent(engine.Label(s.Root)), n)
	}
	return nil
}

// checkPaths checks the rules Entry and Path. It returns the largest depth+1.
func (c *single) checkPaths(ctx context.Context, s Search) (deepest uint32, err error) {
	if err := c.findDepths(ctx, s.Parents, engine.Label(s.Root)); err != nil {
		return 0, err
	}
	counts, first, err := c.sum(ctx)
	switch {
	case err != nil:
		return 0, err
	case first.entry != never:
		v := engine.Vertex(first.entry)
		return 0, EntryError(s.Root, v, s.Parents[v], len(s.Parents))
	case first.path != never:
		return 0, PathError(s.Root, engine.Vertex(first.path), s.Parents)
	}
	return counts.deepest, nil
}

// checkLevels checks the rules Edge and Level, after checkPaths.
func (c *single) checkLevels(ctx context.Context, tuples engine.Tuples, s Search, deepest uint32) (counts singleCounts, err error) {
	if deepest <= maxNarrow {
		err = checkTuples(ctx, c, c.narrow, tuples, s.Parents)
	} else if err = c.fillDepths(ctx, s.Parents); err == nil {
		err = checkTuples(ctx, c, c.depth, tuples, s.Parents)
	}
	if err == nil {
		err = c.findUnjoined(ctx)
	}
	if err != nil {
		return counts, err
	}
	counts, first, err := c.sum(ctx)
	if err != nil {
		return counts, err
	}
	if err := c.checkInput(ctx, tuples, first.outside, first.weight); err != nil {
		return counts, err
	}
	switch {
	case first.apart != never:
		v := engine.Vertex(first.apart)
		return counts, EdgeError(s.Root, v, s.Parents[v])
	case first.tuple != never:
		ends, _, err := tupleAt[float32](ctx, c.part, tuples, first.tuple)
		if err != nil {
			return counts, err
		}
		levels := [2]int64{level(s.Parents, ends.U), level(s.Parents, ends.V)}
		return counts, LevelError(s.Root, first.tuple, ends, levels)
	}
	return counts, nil
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

// findUnjoined finds the smallest own vertex that no tuple of any rank joins to its parent.
func (c *single) findUnjoined(ctx context.Context) error {
	marks, err := c.ownMarks(ctx)
	if err != nil {
		return err
	}
	return c.team.For(ctx, len(marks), vertexGrain/64, func(number, lo, hi int) {
		for i := lo; i < hi; i++ {
			if word := marks[i]; word != 0 {
				first := &c.workers[number].first
				first.apart = min(first.apart, int64(c.first+i*64+bits.TrailingZeros64(word)))
				return
			}
		}
	})
}

// ownMarks returns the marks of the own vertices, without those that another rank has cleared.
func (c *single) ownMarks(ctx context.Context) ([]uint64, error) {
	of := make([][]uint64, c.world.Size())
	for r := range of {
		of[r] = c.marks[wordsOf(c.bounds[r]):wordsOf(c.bounds[r+1])]
	}
	own := of[c.world.Rank()]
	if c.isAll() {
		return own, nil
	}
	longest := 0
	for _, marks := range of {
		longest = max(longest, len(marks))
	}
	step := max(1, c.atATime/len(of))
	pieces := make([][]uint64, len(of))
	for lo := 0; lo < longest; lo += step {
		for r, marks := range of {
			pieces[r] = marks[min(lo, len(marks)):min(lo+step, len(marks))]
		}
		received, err := c.exchanger.Exchange(ctx, pieces)
		if err != nil {
			return nil, err
		}
		piece := own[min(lo, len(own)):min(lo+step, len(own))]
		for ; len(received) > 0; received = received[len(piece):] {
			for i := range piece {
				piece[i] &= received[i]
			}
		}
	}
	return own, nil
}

// markWords is the largest number of words of marks that a rank sends or receives at a time, because the messages of a
// rank that owns most vertices would be too long otherwise.
const markWords = 1 << 22

// join clears the mark of v: a tuple joins it to its parent. The load before the
// atomic operation avoids moving the cache line between cores if a vertex has many
// such tuples.
func (c *single) join(v engine.Label) {
	word, bit := &c.marks[v/64], uint64(1)<<(v%64)
	if atomic.LoadUint64(word)&bit != 0 {
		atomic.AndUint64(word, ^bit)
	}
}
