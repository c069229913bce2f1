package validate

import (
	"context"
	"fmt"
	"sync/atomic"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
)

// ranks checks searches of a graph whose tuples and results are distributed over
// ranks, one at a time. Each rank examines its own tuples. It knows the depths of all vertices, for SSSP
// also their distances, and asks the owner of a vertex whether the other end of a tuple is
// its parent. All ranks make the same calls and get the same facts and errors.
//
// The entry of a vertex is depth+1 in the low bits, 0 outside the tree, and low bits of
// its parent's label in the high bits. They show for most tuples that neither end is the
// parent of the other.
type ranks struct {
	world   *cluster.World
	team    *parallel.Team
	kernel  engine.Kernel
	ranges  partition.Ranges
	bounds  []int        // of the ranks' vertices in entries
	tuple   uint64       // index of the first own tuple
	first   engine.Label // first own vertex
	entries []uint16     // of all vertices
	own     []uint16     // of the own vertices
	marks   []uint64     // own vertices of the tree that no tuple has joined to their parents yet, for SSSP as rule Tight demands

	distances, ownDistances []float32 // of SSSP, of all vertices and of the own ones

	held memory.Group // these arrays

	workers []rankWorker
	pairs   *cluster.Exchanger[uint64]
	search  Search // that is being checked; its arrays are those of the own vertices
}

// rankWorker holds the counts of one worker, the smallest indices of tuples that it has
// found, and for each rank pairs of a vertex, in the upper half, and its possible parent.
type rankWorker struct {
	edges, loops int64
	tuple        int64 // breaks rule Level or Relaxed
	outside      int64 // has an end out of range
	weight       int64 // has an invalid weight
	pairs        [][]uint64
	buffer       []engine.Edge // of tuples with labels of 48 bits
	_            [64]byte
}

const (
	entryDepthBits = 12
	entryDepth     = 1<<entryDepthBits - 1 // mask; also the largest depth+1
)

// rankTuples is the number of tuples that a rank examines between two exchanges.
const rankTuples = 1 << 20

// entryOf returns the entry of a vertex.
func entryOf(parent engine.Label, code uint16) uint16 { return uint16(parent)<<entryDepthBits | code }

func newRanks(team *parallel.Team, of Config) (c *ranks, err error) {
	w, ranges, kernel := of.World, of.Ranges, of.Kernel
	first, _ := ranges.Range(w.Rank())
	c = &ranks{
		world: w, team: team, kernel: kernel, ranges: ranges, tuple: of.First, first: engine.Label(first),
		workers: make([]rankWorker, team.Size()), pairs: cluster.NewExchanger[uint64](w),
	}
	for i := range c.workers {
		c.workers[i].pairs = make([][]uint64, w.Size())
	}
	c.bounds, c.held = ranges.Bounds(), c.arrays(of)
	if err := c.held.Alloc(); err != nil {
		return nil, err
	}
	return c, nil
}

// arrays declares the memory of ranks, with the buffers of the exchange: without a world, of the rank
// with most vertices.
func (c *ranks) arrays(of Config) memory.Group {
	name, words := of.name(), uint64(of.Ranges.MostWords())
	if of.World != nil {
		words = uint64(of.Ranges.Words(of.World.Rank()))
	}
	own, all := 64*words, 64*partition.Words(of.Ranges.Vertices())
	g := of.group(memory.Of(&c.entries, name, all), memory.Of(&c.own, name, own), memory.Of(&c.marks, name, words),
		memory.Grown(name, 3*8*rankTuples))
	if of.Kernel == engine.SSSP {
		g.Arrays = append(g.Arrays, memory.Of(&c.distances, name, all), memory.Of(&c.ownDistances, name, own))
	}
	return g
}

// close frees the memory. close of nil does nothing.
func (c *ranks) close() error {
	if c == nil {
		return nil
	}
	return c.held.Free()
}

// check checks a search like Checker.Check.
func (c *ranks) check(ctx context.Context, tuples engine.Tuples, s Search) (tree engine.Tree, err error) {
	c.search = s
	if err := c.checkSizes(ctx, tuples, false); err != nil {
		return engine.Tree{}, err
	}
	if err := c.checkEntries(ctx); err != nil {
		return engine.Tree{}, err
	}
	if tree.Depth, tree.Visited, err = c.findDepths(ctx); err != nil {
		return engine.Tree{}, err
	}
	if c.kernel == engine.SSSP {
		if tree.MaxDistance, err = c.checkDistances(ctx); err != nil {
			return engine.Tree{}, err
		}
	}
	if err := c.examineTuples(ctx, tuples); err != nil {
		return engine.Tree{}, err
	}
	if err := c.checkJoined(ctx, tuples); err != nil {
		return engine.Tree{}, err
	}
	if tree.Edges, tree.SelfLoops, err = c.checkTuples(ctx, tuples); err != nil {
		return engine.Tree{}, err
	}
	return tree, nil
}

// checkSizes checks the rule Size, and that SSSP has weights. Counts need parents only.
func (c *ranks) checkSizes(ctx context.Context, tuples engine.Tuples, counts bool) error {
	_, owned := c.ranges.Range(c.world.Rank())
	s := &c.search
	sums := []int64{int64(len(s.Parents)), int64(len(s.Distances)), int64(tuples.Len()), int64(len(tuples.Weights)), 0, 0, 0}
	for i, wrong := range []bool{len(s.Parents) != int(owned), len(s.Distances) != int(owned), len(tuples.Weights) != tuples.Len()} {
		if wrong && (i == 0 || c.kernel == engine.SSSP && !counts) {
			sums[4+i] = 1
		}
	}
	if err := c.world.Sum(ctx, sums); err != nil {
		return err
	}
	n := int(c.ranges.Vertices())
	switch {
	case sums[6] > 0:
		return fmt.Errorf("validate: %d weights for %d tuples", sums[3], sums[2])
	case sums[4] > 0:
		return SizeError(s.Root, "parents", int(sums[0]), n)
	case sums[5] > 0:
		return SizeError(s.Root, "distances", int(sums[1]), n)
	}
	return nil
}

// parentOf returns the parent of a vertex of any rank.
func (c *ranks) parentOf(ctx context.Context, v engine.Label) (engine.Label, error) {
	parent := []int64{-1}
	if c.ranges.Owner(v) == c.world.Rank() {
		parent[0] = int64(c.search.Parents[v-c.first])
	}
	err := c.world.Max(ctx, parent)
	return engine.Label(parent[0]), err
}

// least returns the smallest of the vertices or indices of all ranks; never if there is
// none.
func (c *ranks) least(ctx context.Context, own int64) (int64, error) {
	value := []int64{own}
	err := c.world.Min(ctx, value)
	return value[0], err
}

// checkEntries checks the rules Root and Entry.
func (c *ranks) checkEntries(ctx context.Context) error {
	n, root, parents := int(c.ranges.Vertices()), c.search.Root, c.search.Parents
	if uint64(root) >= uint64(n) {
		return RootError(root, engine.None, n)
	}
	parent, err := c.parentOf(ctx, engine.Label(root))
	if err != nil {
		return err
	}
	if engine.Vertex(parent) != root {
		return RootError(root, parent, n)
	}
	wrong := int64(never)
	for i, p := range parents {
		v := c.first + engine.Label(i)
		if p != engine.None && (uint64(p) >= uint64(n) || p == v && engine.Vertex(v) != root) {
			wrong = int64(v)
			break
		}
	}
	wrong, err = c.least(ctx, wrong)
	if wrong == never || err != nil {
		return err
	}
	if parent, err = c.parentOf(ctx, engine.Label(wrong)); err != nil {
		return err
	}
	return EntryError(root, engine.Vertex(wrong), parent, n)
}

// findDepths checks the rule Path. It fills the entries level by level and marks the own
// vertices of the tree except the root. It returns the depth and size of the tree.
func (c *ranks) findDepths(ctx context.Context) (depth, visited int64, err error) {
	clear(c.own)
	clear(c.marks)
	root := engine.Label(c.search.Root)
	if c.ranges.Owner(root) == c.world.Rank() {
		c.own[root-c.first] = entryOf(root, 1)
	}
	found := int64(1)
	for depth = 0; ; depth++ {
		if err := cluster.Gather(ctx, c.world, c.own, c.entries, c.bounds); err != nil {
			return 0, 0, err
		}
		visited += found
		if depth == entryDepth-1 {
			return 0, 0, fmt.Errorf("validate: the tree of root %d is deeper than the %d levels that can be checked over ranks", root, depth)
		}
		if found, err = c.nextDepth(ctx, uint16(depth)+1); err != nil {
			return 0, 0, err
		}
		if found == 0 {
			return depth, visited, c.checkPaths(ctx)
		}
	}
}

// nextDepth sets the entries of the own vertices whose parents have the given code, and
// returns their number on all ranks.
func (c *ranks) nextDepth(ctx context.Context, code uint16) (int64, error) {
	var found atomic.Int64
	err := c.team.For(ctx, len(c.search.Parents), vertexGrain, func(_, lo, hi int) {
		n := int64(0)
		for i := lo; i < hi; i++ {
			p := c.search.Parents[i]
			if p == engine.None || c.own[i] != 0 || c.entries[p]&entryDepth != code {
				continue
			}
			c.own[i] = entryOf(p, code+1)
			c.marks[i/64] |= 1 << (i % 64) // no other worker has this word: vertexGrain is a multiple of 64
			n++
		}
		found.Add(n)
	})
	sums := []int64{found.Load()}
	if err == nil {
		err = c.world.Sum(ctx, sums)
	}
	return sums[0], err
}

// checkPaths returns an error if a vertex has a parent, but no depth.
func (c *ranks) checkPaths(ctx context.Context) error {
	wrong := int64(never)
	for i, p := range c.search.Parents {
		if p != engine.None && c.own[i] == 0 {
			wrong = int64(c.first) + int64(i)
			break
		}
	}
	wrong, err := c.least(ctx, wrong)
	if wrong == never || err != nil {
		return err
	}
	// Brent's method, see walk.
	hare, tortoise := engine.Label(wrong), engine.Label(wrong)
	for steps, jump := 1, 1; ; steps++ {
		next, err := c.parentOf(ctx, hare)
		switch {
		case err != nil:
			return err
		case next == engine.None:
			return pathError(c.search.Root, engine.Vertex(wrong), hare, false)
		case next == tortoise:
			return pathError(c.search.Root, engine.Vertex(wrong), next, true)
		}
		hare = next
		if steps == jump {
			tortoise, jump = hare, 2*jump
		}
	}
}
