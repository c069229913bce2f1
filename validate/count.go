package validate

import (
	"context"

	"graph500/engine"
	"graph500/parallel"
)

// counter counts the edges of up to MinBatch trees with one pass over the tuples.
type counter struct {
	*part
	team    *parallel.Team
	visited []uint8 // by vertex: bit set of the trees that contain it
	workers []countWorker
}

// countWorker holds the counts of one worker, by the bit set of the trees that
// contain the vertex or the tuple.
type countWorker struct {
	vertices, edges, loops [1 << MinBatch]int64
	outside                int64 // smallest index in the list of a tuple with an end out of range
	buffer                 []engine.Edge
	parents                [fillBlock]engine.Label
	_                      [64]byte
}

func newCounter(team *parallel.Team, of *part, visited []uint8) counter {
	return counter{part: of, team: team, visited: visited, workers: make([]countWorker, team.Size())}
}

// count returns the facts of the trees. Parents must have one entry per vertex.
func (c *counter) count(ctx context.Context, tuples engine.Tuples, searches []Search) ([]engine.Tree, error) {
	if len(searches) == 0 {
		return nil, nil
	}
	for i := range c.workers {
		c.workers[i] = countWorker{outside: never, buffer: c.workers[i].buffer}
	}
	if err := c.team.For(ctx, c.end-c.first, vertexGrain, func(number, lo, hi int) {
		c.mark(&c.workers[number], searches, lo, hi)
	}); err != nil {
		return nil, err
	}
	if err := share(ctx, c.part, c.visited); err != nil {
		return nil, err
	}
	if err := c.team.For(ctx, tuples.Len(), tupleGrain, func(number, lo, hi int) {
		c.countTuples(&c.workers[number], tuples, lo, hi)
	}); err != nil {
		return nil, err
	}
	outside := []int64{never}
	for i := range c.workers {
		outside[0] = min(outside[0], c.workers[i].outside)
	}
	if err := c.world.Min(ctx, outside); err != nil {
		return nil, err
	}
	if err := c.part.checkInput(ctx, tuples, outside[0], never); err != nil {
		return nil, err
	}
	return c.sum(ctx, len(searches))
}

// sum returns what the workers of all ranks have counted for a number of trees.
func (c *counter) sum(ctx context.Context, number int) ([]engine.Tree, error) {
	sums := make([]int64, 3*number)
	for i := range c.workers {
		w := &c.workers[i]
		for set := range w.edges {
			for t := range number {
				if set>>t&1 != 0 {
					sums[3*t] += w.vertices[set]
					sums[3*t+1] += w.edges[set]
					sums[3*t+2] += w.loops[set]
				}
			}
		}
	}
	if err := c.world.Sum(ctx, sums); err != nil {
		return nil, err
	}
	trees := make([]engine.Tree, number)
	for t := range trees {
		trees[t] = engine.Tree{Visited: sums[3*t], Edges: sums[3*t+1], SelfLoops: sums[3*t+2]}
	}
	return trees, nil
}

// mark sets visited for the own vertices lo..hi-1, counted from the first one.
func (c *counter) mark(w *countWorker, searches []Search, lo, hi int) {
	visited := c.visited[c.first:][lo:hi]
	clear(visited)
	for t, s := range searches {
		for first := lo; first < hi; first += fillBlock {
			for i, p := range s.part(first, min(first+fillBlock, hi), &w.parents) {
				bit := uint8(0)
				if p != engine.None {
					bit = 1
				}
				visited[first-lo+i] |= bit << t
			}
		}
	}
	for _, set := range visited {
		w.vertices[set]++
	}
}

// countTuples counts tuples lo..hi-1.
func (c *counter) countTuples(w *countWorker, tuples engine.Tuples, lo, hi int) {
	edges, first := tuples.View(lo, hi, &w.buffer)
	visited := c.visited
	for i, e := range edges[lo-first : hi-first] {
		if uint64(e.U) >= uint64(len(visited)) || uint64(e.V) >= uint64(len(visited)) {
			w.outside = min(w.outside, c.tuple+int64(lo+i))
			continue
		}
		set := visited[e.U] & visited[e.V]
		if e.U == e.V {
			w.loops[set]++
			continue
		}
		w.edges[set]++
	}
}
