package validate

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
)

// RankChecker validates searches with BFS of a graph whose tuples and results are
// distributed over ranks. Each rank examines its own tuples. It knows the depths of all
// vertices, and asks the owner of a vertex whether the other end of a tuple is its
// parent. All ranks make the same calls and get the same facts and errors.
//
// The entry of a vertex is depth+1 in the low bits, 0 outside the tree, and low bits of
// its parent's label in the high bits. They show for most tuples that neither end is the
// parent of the other.
type RankChecker struct {
	world   *cluster.World
	team    *parallel.Team
	ranges  partition.Ranges
	first   engine.Local // first own vertex
	entries []uint16     // of all vertices
	own     []uint16     // of the own vertices
	marks   []uint64     // own vertices of the tree that no tuple has joined to their parents yet
	workers []rankWorker
	pairs   *cluster.Exchanger[uint64]
	search  rankSearch // that is being checked
}

// rankSearch is the own part of a search.
type rankSearch struct {
	root    engine.Vertex
	parents []engine.Local // of the own vertices
}

// rankWorker holds the counts of one worker, and for each rank pairs of a vertex, in the
// upper half, and its possible parent.
type rankWorker struct {
	edges, loops int64
	tuple        int64 // smallest index of a tuple that breaks rule Level
	pairs        [][]uint64
	_            [64]byte
}

const (
	entryDepthBits = 12
	entryDepth     = 1<<entryDepthBits - 1 // mask; also the largest depth+1
)

// rankTuples is the number of tuples that a rank examines between two exchanges.
const rankTuples = 1 << 20

// entryOf returns the entry of a vertex.
func entryOf(parent engine.Local, code uint16) uint16 { return uint16(parent)<<entryDepthBits | code }

// NewRankChecker returns a checker for graphs with the given ranges of vertices. It
// allocates RankBytes until Close.
func NewRankChecker(w *cluster.World, team *parallel.Team, ranges partition.Ranges) (c *RankChecker, err error) {
	first, _ := ranges.Range(w.Rank())
	c = &RankChecker{world: w, team: team, ranges: ranges, first: engine.Local(first), workers: make([]rankWorker, team.Size()), pairs: cluster.NewExchanger[uint64](w)}
	for i := range c.workers {
		c.workers[i].pairs = make([][]uint64, w.Size())
	}
	words := ranges.Words()
	var errs [3]error
	c.entries, errs[0] = memory.Alloc[uint16](64 * words * w.Size())
	c.own, errs[1] = memory.Alloc[uint16](64 * words)
	c.marks, errs[2] = memory.Alloc[uint64](words)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// RankBytes returns the memory of a RankChecker, in bytes, including exchange buffers.
func RankBytes(ranges partition.Ranges) uint64 {
	words := uint64(ranges.Words())
	return 2*64*words*uint64(ranges.Ranks()+1) + 8*words + 3*8*rankTuples
}

// Close frees the memory.
func (c *RankChecker) Close() error {
	return errors.Join(memory.Free(c.entries), memory.Free(c.own), memory.Free(c.marks))
}

// Check checks a search from root like Checker.Check. tuples are the own tuples, the
// first of which has index first; parents are those of the own vertices.
func (c *RankChecker) Check(ctx context.Context, tuples []engine.Edge, first uint64, root engine.Vertex, parents []engine.Local) (engine.Tree, error) {
	c.search = rankSearch{root, parents}
	if err := c.checkEntries(ctx); err != nil {
		return engine.Tree{}, err
	}
	depth, visited, err := c.findDepths(ctx)
	if err != nil {
		return engine.Tree{}, err
	}
	if err := c.examineTuples(ctx, tuples, first); err != nil {
		return engine.Tree{}, err
	}
	if err := c.checkJoined(ctx); err != nil {
		return engine.Tree{}, err
	}
	edges, loops, err := c.checkLevels(ctx, tuples, first)
	if err != nil {
		return engine.Tree{}, err
	}
	return engine.Tree{Visited: visited, Edges: edges, SelfLoops: loops, Depth: depth}, nil
}

// parentOf returns the parent of a vertex of any rank.
func (c *RankChecker) parentOf(ctx context.Context, v engine.Local) (engine.Local, error) {
	parent := []int64{-1}
	if c.ranges.Owner(v) == c.world.Rank() {
		parent[0] = int64(c.search.parents[v-c.first])
	}
	err := c.world.Max(ctx, parent)
	return engine.Local(parent[0]), err
}

// least returns the smallest of the vertices or indices of all ranks; never if there is
// none.
func (c *RankChecker) least(ctx context.Context, own int64) (int64, error) {
	value := []int64{own}
	err := c.world.Min(ctx, value)
	return value[0], err
}

// checkEntries checks the rules Size, Root and Entry.
func (c *RankChecker) checkEntries(ctx context.Context) error {
	n, root, parents := int(c.ranges.Vertices()), c.search.root, c.search.parents
	if uint64(root) >= uint64(n) {
		return RootError(root, engine.None, n)
	}
	if _, owned := c.ranges.Range(c.world.Rank()); uint64(len(parents)) != owned {
		return fmt.Errorf("validate: %d parents for %d own vertices", len(parents), owned)
	}
	parent, err := c.parentOf(ctx, engine.Local(root))
	if err != nil {
		return err
	}
	if engine.Vertex(parent) != root {
		return RootError(root, parent, n)
	}
	wrong := int64(never)
	for i, p := range parents {
		v := c.first + engine.Local(i)
		if p != engine.None && (uint64(p) >= uint64(n) || p == v && engine.Vertex(v) != root) {
			wrong = int64(v)
			break
		}
	}
	wrong, err = c.least(ctx, wrong)
	if wrong == never || err != nil {
		return err
	}
	if parent, err = c.parentOf(ctx, engine.Local(wrong)); err != nil {
		return err
	}
	return EntryError(root, engine.Vertex(wrong), parent, n)
}

// findDepths checks the rule Path. It fills the entries level by level and marks the own
// vertices of the tree except the root. It returns the depth and size of the tree.
func (c *RankChecker) findDepths(ctx context.Context) (depth, visited int64, err error) {
	clear(c.own)
	clear(c.marks)
	root := engine.Local(c.search.root)
	if c.ranges.Owner(root) == c.world.Rank() {
		c.own[root-c.first] = entryOf(root, 1)
	}
	found := int64(1)
	for depth = 0; ; depth++ {
		if err := cluster.Allgather(ctx, c.world, c.own, c.entries); err != nil {
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
func (c *RankChecker) nextDepth(ctx context.Context, code uint16) (int64, error) {
	var found atomic.Int64
	err := c.team.For(ctx, len(c.search.parents), vertexGrain, func(_, lo, hi int) {
		n := int64(0)
		for i := lo; i < hi; i++ {
			p := c.search.parents[i]
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
func (c *RankChecker) checkPaths(ctx context.Context) error {
	wrong := int64(never)
	for i, p := range c.search.parents {
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
	hare, tortoise := engine.Local(wrong), engine.Local(wrong)
	for steps, jump := 1, 1; ; steps++ {
		next, err := c.parentOf(ctx, hare)
		switch {
		case err != nil:
			return err
		case next == engine.None:
			return pathError(c.search.root, engine.Vertex(wrong), hare, false)
		case next == tortoise:
			return pathError(c.search.root, engine.Vertex(wrong), next, true)
		}
		hare = next
		if steps == jump {
			tortoise, jump = hare, 2*jump
		}
	}
}

// examineTuples examines the own tuples, and removes the marks of the vertices that a
// tuple of any rank joins to their parents.
func (c *RankChecker) examineTuples(ctx context.Context, tuples []engine.Edge, first uint64) error {
	for i := range c.workers {
		w := &c.workers[i]
		w.edges, w.loops, w.tuple = 0, 0, never
	}
	rounds := []int64{int64(len(tuples)+rankTuples-1) / rankTuples}
	if err := c.world.Max(ctx, rounds); err != nil {
		return err
	}
	parts := make([][][]uint64, len(c.workers))
	for round := range int(rounds[0]) {
		for i := range c.workers {
			parts[i] = c.workers[i].pairs
			for r := range parts[i] {
				parts[i][r] = parts[i][r][:0]
			}
		}
		lo := min(round*rankTuples, len(tuples))
		part := tuples[lo:min(lo+rankTuples, len(tuples))]
		if err := c.team.For(ctx, len(part), tupleGrain, func(worker, from, to int) {
			c.examine(&c.workers[worker], part[from:to], int64(first)+int64(lo+from))
		}); err != nil {
			return err
		}
		pairs, err := c.pairs.Exchange(ctx, parts...)
		if err != nil {
			return err
		}
		if err := c.join(ctx, pairs); err != nil {
			return err
		}
	}
	return nil
}

// examine counts tuples, the first of which has the given index, and lists the pairs of
// ends one level apart that can be vertex and parent.
func (c *RankChecker) examine(w *rankWorker, tuples []engine.Edge, index int64) {
	entries := c.entries
	for i, e := range tuples {
		a, b := entries[e.U], entries[e.V]
		ofU, ofV := int(a&entryDepth), int(b&entryDepth)
		if uint(ofU-ofV+1) > 2 || ofU == 0 || ofV == 0 {
			if ofU|ofV != 0 {
				w.tuple = min(w.tuple, index+int64(i))
			}
			continue
		}
		switch {
		case e.U == e.V:
			w.loops++
			continue
		case ofU > ofV && a>>entryDepthBits == uint16(e.V)&(1<<(16-entryDepthBits)-1):
			r := c.ranges.Owner(e.U)
			w.pairs[r] = append(w.pairs[r], uint64(e.U)<<32|uint64(e.V))
		case ofU < ofV && b>>entryDepthBits == uint16(e.U)&(1<<(16-entryDepthBits)-1):
			r := c.ranges.Owner(e.V)
			w.pairs[r] = append(w.pairs[r], uint64(e.V)<<32|uint64(e.U))
		}
		w.edges++
	}
}

// join removes the marks of the own vertices whose parents are the other ends of pairs.
func (c *RankChecker) join(ctx context.Context, pairs []uint64) error {
	return c.team.For(ctx, len(pairs), tupleGrain, func(_, lo, hi int) {
		for _, pair := range pairs[lo:hi] {
			own := engine.Local(pair>>32) - c.first
			if c.search.parents[own] != engine.Local(pair) {
				continue
			}
			word, bit := &c.marks[own/64], uint64(1)<<(own%64)
			if atomic.LoadUint64(word)&bit != 0 {
				atomic.AndUint64(word, ^bit)
			}
		}
	})
}

// checkJoined checks the rule Edge: no mark is left.
func (c *RankChecker) checkJoined(ctx context.Context) error {
	wrong := int64(never)
	for i, word := range c.marks {
		if word != 0 {
			wrong = int64(c.first) + int64(64*i+bits.TrailingZeros64(word))
			break
		}
	}
	wrong, err := c.least(ctx, wrong)
	if wrong == never || err != nil {
		return err
	}
	parent, err := c.parentOf(ctx, engine.Local(wrong))
	if err != nil {
		return err
	}
	return EdgeError(c.search.root, engine.Vertex(wrong), parent)
}

// checkLevels checks the rule Level after examineTuples and returns the counts of all
// ranks.
func (c *RankChecker) checkLevels(ctx context.Context, tuples []engine.Edge, first uint64) (edges, loops int64, err error) {
	own, sums := int64(never), make([]int64, 2)
	for i := range c.workers {
		w := &c.workers[i]
		own = min(own, w.tuple)
		sums[0] += w.edges
		sums[1] += w.loops
	}
	if err := c.world.Sum(ctx, sums); err != nil {
		return 0, 0, err
	}
	wrong, err := c.least(ctx, own)
	if wrong == never || err != nil {
		return sums[0], sums[1], err
	}
	ends := []int64{-1, -1}
	if wrong == own {
		e := tuples[uint64(wrong)-first]
		ends[0], ends[1] = int64(e.U), int64(e.V)
	}
	if err := c.world.Max(ctx, ends); err != nil {
		return 0, 0, err
	}
	levelOf := func(v int64) int64 { return int64(c.entries[v]&entryDepth) - 1 }
	return 0, 0, LevelError(c.search.root, wrong, engine.Edge{U: engine.Local(ends[0]), V: engine.Local(ends[1])},
		[2]int64{levelOf(ends[0]), levelOf(ends[1])})
}

// CountEdges returns the facts of a search without validation, like Checker.CountEdges.
func (c *RankChecker) CountEdges(ctx context.Context, tuples []engine.Edge, parents []engine.Local) (engine.Tree, error) {
	var visited, edges, loops atomic.Int64
	clear(c.own)
	for i, p := range parents {
		if p != engine.None {
			c.own[i] = 1
			visited.Add(1)
		}
	}
	if err := cluster.Allgather(ctx, c.world, c.own, c.entries); err != nil {
		return engine.Tree{}, err
	}
	if err := c.team.For(ctx, len(tuples), tupleGrain, func(_, lo, hi int) {
		var inside, same int64
		for _, e := range tuples[lo:hi] {
			if c.entries[e.U]&c.entries[e.V] != 0 {
				inside++
				if e.U == e.V {
					same++
				}
			}
		}
		edges.Add(inside - same)
		loops.Add(same)
	}); err != nil {
		return engine.Tree{}, err
	}
	sums := []int64{visited.Load(), edges.Load(), loops.Load()}
	err := c.world.Sum(ctx, sums)
	return engine.Tree{Visited: sums[0], Edges: sums[1], SelfLoops: sums[2]}, err
}
