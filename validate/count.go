package validate

import (
	"context"

	"graph500/engine"
	"graph500/parallel"
)

// counter counts the edges of up to MinBatch trees with one pass over the tuples.
type counter struct {
	team    *parallel.Team
	visited []uint8 // by vertex: bit set of the trees that contain it
	workers []countWorker
}

// countWorker holds the counts of one worker, by the bit set of the trees that
// contain the vertex or the tuple.
type countWorker struct {
	vertices, edges, loops [1 << MinBatch]int64
	outside                int64 // smallest index of a tuple with an end out of range
	buffer                 []engine.Edge
	parents                [fillBlock]engine.Label
	_                      [64]byte
}

func newCounter(team *parallel.Team, visited []uint8) counter {
	return counter{team: team, visited: visited, workers: make([]countWorker, team.Size())}
}

// count returns the facts of the trees. Parents must have one entry per vertex.
func (c *counter) count(ctx context.Context, tuples engine.Tuples, searches []Search) ([]engine.Tree, error) {
	if len(searches) == 0 {
		return nil, nil
	}
	for i := range c.workers {
		c.workers[i] = countWorker{outside: never, buffer: c.workers[i].buffer}
	}
	if err := c.team.For(ctx, len(c.visited), vertexGrain, func(number, lo, hi int) {
		c.mark(&c.workers[number], searches, lo, hi)
	}); err != nil {
		return nil, err
	}
	if err := c.team.For(ctx, tuples.Len(), tupleGrain, func(number, lo, hi int) {
		c.countTuples(&c.workers[number], tuples, lo, hi)
	}); err != nil {
		return nil, err
	}
	outside := int64(never)
	trees := make([]engine.Tree, len(searches))
	for i := range c.workers {
		w := &c.workers[i]
		outside = min(outside, w.outside)
		for set := range w.edges {
			for t := range trees {
				if set>>t&1 != 0 {
					trees[t].Visited += w.vertices[set]
					trees[t].Edges += w.edges[set]
					trees[t].SelfLoops += w.loops[set]
				}
			}
		}
	}
	if outside != never {
		return nil, OutsideError(outside, tuples.At(int(outside)), len(c.visited))
	}
	return trees, nil
}

// mark sets visited for vertices lo..hi-1.
func (c *counter) mark(w *countWorker, searches []Search, lo, hi int) {
	visited := c.visited[lo:hi]
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
			w.outside = min(w.outside, int64(lo+i))
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
