package validate

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"graph500/cluster"
	"graph500/engine"
)

// examineTuples examines the own tuples, and removes the marks of the vertices that a
// tuple of any rank joins to their parents.
func (c *ranks) examineTuples(ctx context.Context, tuples engine.Tuples) error {
	c.resetWorkers()
	rounds := []int64{int64(tuples.Len()+rankTuples-1) / rankTuples}
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
		lo := min(round*rankTuples, tuples.Len())
		n := min(rankTuples, tuples.Len()-lo)
		if err := c.team.For(ctx, n, tupleGrain, func(worker, from, to int) {
			c.examine(&c.workers[worker], tuples, lo+from, lo+to)
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

// resetWorkers empties the workers for a pass over the tuples.
func (c *ranks) resetWorkers() {
	for i := range c.workers {
		w := &c.workers[i]
		*w = rankWorker{tuple: never, outside: never, weight: never, pairs: w.pairs, buffer: w.buffer}
	}
}

// examine examines tuples lo..hi-1 of the own ones.
func (c *ranks) examine(w *rankWorker, tuples engine.Tuples, lo, hi int) {
	first := int64(c.tuple)
	view, from := tuples.View(lo, hi, &w.buffer)
	edges := view[lo-from : hi-from]
	if c.kernel == engine.SSSP {
		c.examineDistances(w, engine.Tuples{Edges: edges, Weights: tuples.Weights[lo:hi]}, first+int64(lo))
		return
	}
	c.examineLevels(w, edges, first+int64(lo))
}

// examineLevels counts tuples, the first of which has the given index, and lists the pairs
// of ends one level apart that can be vertex and parent.
func (c *ranks) examineLevels(w *rankWorker, tuples []engine.Edge, index int64) {
	entries, n := c.entries, c.ranges.Vertices()
	for i, e := range tuples {
		if uint64(e.U) >= n || uint64(e.V) >= n {
			w.outside = min(w.outside, index+int64(i))
			continue
		}
		ofU, ofV := int(entries[e.U]&entryDepth), int(entries[e.V]&entryDepth)
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
		case ofU > ofV:
			c.propose(w, e.U, e.V)
		case ofU < ofV:
			c.propose(w, e.V, e.U)
		}
		w.edges++
	}
}

// propose lists a vertex and its possible parent for the owner of the vertex, unless the
// low bits in the entry show that it has another parent.
func (c *ranks) propose(w *rankWorker, v, parent engine.Label) {
	if c.entries[v]>>entryDepthBits == uint16(parent)&(1<<(16-entryDepthBits)-1) {
		r := c.ranges.Owner(v)
		w.pairs[r] = append(w.pairs[r], uint64(v)<<32|uint64(parent))
	}
}

// join removes the marks of the own vertices whose parents are the other ends of pairs.
func (c *ranks) join(ctx context.Context, pairs []uint64) error {
	return c.team.For(ctx, len(pairs), tupleGrain, func(_, lo, hi int) {
		for _, pair := range pairs[lo:hi] {
			own := engine.Label(pair>>32) - c.first
			if c.search.Parents[own] != engine.Label(pair) {
				continue
			}
			word, bit := &c.marks[own/64], uint64(1)<<(own%64)
			if atomic.LoadUint64(word)&bit != 0 {
				atomic.AndUint64(word, ^bit)
			}
		}
	})
}

// checkJoined checks the rule Edge or Tight: no mark is left. Before, it checks that the
// tuples are valid.
func (c *ranks) checkJoined(ctx context.Context, tuples engine.Tuples) error {
	if err := c.checkInput(ctx, tuples); err != nil {
		return err
	}
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
	parent, err := c.parentOf(ctx, engine.Label(wrong))
	if err != nil {
		return err
	}
	if c.kernel == engine.SSSP {
		return c.tightError(ctx, tuples, engine.Label(wrong), parent)
	}
	return EdgeError(c.search.Root, engine.Vertex(wrong), parent)
}

// checkInput returns an error if a tuple of any rank has an end out of range or an invalid
// weight.
func (c *ranks) checkInput(ctx context.Context, tuples engine.Tuples) error {
	least := []int64{never, never}
	for i := range c.workers {
		least[0], least[1] = min(least[0], c.workers[i].outside), min(least[1], c.workers[i].weight)
	}
	if err := c.world.Min(ctx, least); err != nil {
		return err
	}
	wrong := min(least[0], least[1])
	if least[0] != never {
		wrong = least[0]
	}
	if wrong == never {
		return nil
	}
	ends, weight, err := c.tupleOf(ctx, tuples, wrong)
	switch {
	case err != nil:
		return err
	case least[0] != never:
		return OutsideError(wrong, ends, int(c.ranges.Vertices()))
	}
	return WeightError(wrong, weight)
}

// tupleOf returns the tuple of any rank with the given index.
func (c *ranks) tupleOf(ctx context.Context, tuples engine.Tuples, index int64) (ends engine.Edge, weight float32, err error) {
	values := []int64{-1, -1, -1}
	if i := uint64(index) - c.tuple; i < uint64(tuples.Len()) {
		e := tuples.At(int(i))
		values[0], values[1] = int64(e.U), int64(e.V)
		if c.kernel == engine.SSSP {
			values[2] = int64(math.Float32bits(tuples.Weights[i]))
		}
	}
	err = c.world.Max(ctx, values)
	return engine.Edge{U: engine.Label(values[0]), V: engine.Label(values[1])}, math.Float32frombits(uint32(values[2])), err
}

// checkTuples checks the rule Level or Relaxed after examineTuples and returns the counts
// of all ranks.
func (c *ranks) checkTuples(ctx context.Context, tuples engine.Tuples) (edges, loops int64, err error) {
	wrong, sums := int64(never), make([]int64, 2)
	for i := range c.workers {
		w := &c.workers[i]
		wrong = min(wrong, w.tuple)
		sums[0] += w.edges
		sums[1] += w.loops
	}
	if err := c.world.Sum(ctx, sums); err != nil {
		return 0, 0, err
	}
	if wrong, err = c.least(ctx, wrong); wrong == never || err != nil {
		return sums[0], sums[1], err
	}
	ends, weight, err := c.tupleOf(ctx, tuples, wrong)
	if err != nil {
		return 0, 0, err
	}
	if c.kernel == engine.SSSP {
		return 0, 0, RelaxedError(c.search.Root, wrong, ends, weight, [2]float32{c.distances[ends.U], c.distances[ends.V]})
	}
	levelOf := func(v engine.Label) int64 { return int64(c.entries[v]&entryDepth) - 1 }
	return 0, 0, LevelError(c.search.Root, wrong, ends, [2]int64{levelOf(ends.U), levelOf(ends.V)})
}

// countEdges returns the facts of a search without validation, like Checker.CountEdges.
func (c *ranks) countEdges(ctx context.Context, tuples engine.Tuples, s Search) (engine.Tree, error) {
	c.search = s
	if err := c.checkSizes(ctx, tuples, true); err != nil {
		return engine.Tree{}, err
	}
	sums := make([]int64, 3)
	clear(c.own)
	for i, p := range s.Parents {
		if p != engine.None {
			c.own[i] = 1
			sums[0]++
		}
	}
	if err := cluster.Gather(ctx, c.world, c.own, c.entries, c.bounds); err != nil {
		return engine.Tree{}, err
	}
	c.resetWorkers()
	if err := c.team.For(ctx, tuples.Len(), tupleGrain, func(worker, lo, hi int) {
		w := &c.workers[worker]
		view, from := tuples.View(lo, hi, &w.buffer)
		c.count(w, view[lo-from:hi-from], int64(c.tuple)+int64(lo))
	}); err != nil {
		return engine.Tree{}, err
	}
	if err := c.checkInput(ctx, tuples); err != nil {
		return engine.Tree{}, err
	}
	for i := range c.workers {
		sums[1] += c.workers[i].edges
		sums[2] += c.workers[i].loops
	}
	err := c.world.Sum(ctx, sums)
	return engine.Tree{Visited: sums[0], Edges: sums[1], SelfLoops: sums[2]}, err
}

// count counts the tuples in the tree. The first one has the given index.
func (c *ranks) count(w *rankWorker, tuples []engine.Edge, index int64) {
	n := c.ranges.Vertices()
	for i, e := range tuples {
		switch {
		case uint64(e.U) >= n || uint64(e.V) >= n:
			w.outside = min(w.outside, index+int64(i))
		case c.entries[e.U]&c.entries[e.V] == 0:
		case e.U == e.V:
			w.loops++
		default:
			w.edges++
		}
	}
}
