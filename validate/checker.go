// Package validate checks the parent tree of a search against the input
// tuples by the rules of the Graph500 specification ("Validation" of kernel
// 2), and counts what the benchmark reports of a tree. It must not know any
// engine or its graph: it sees tuples, parents and a root, so that a fault in
// construction cannot hide itself.
package validate

import (
	"context"
	"fmt"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// MaxVertices is the largest graph a Checker takes: depths are held plus one
// in 32 bits, and the largest of these numbers marks a vertex without a path.
const MaxVertices = lost - 1

const (
	vertexGrain = 1 << 15 // vertices handed out at once, a multiple of the 64 in a word of marks
	tupleGrain  = 1 << 14 // tuples handed out at once: a worker looks at its context about every 50 µs
)

// Checker validates trees of one graph. It is not for concurrent use.
type Checker struct {
	team *parallel.Team

	// Both depths hold depth+1, and 0 for a vertex outside the tree. The
	// narrow ones keep the random look-ups of the tuple pass in the caches:
	// 1 MB at scale 20.
	depth  []uint32
	narrow []uint8
	// marks has a bit for each vertex: in Tree those that no tuple has joined
	// to their parent yet, in Count those in the tree.
	marks []uint64

	workers []worker
}

// worker is what one worker found out, and its buffers.
type worker struct {
	visited  int64
	deepest  uint32 // largest depth+1
	entry    int64  // smallest vertex that breaks rule Entry
	path     int64  // smallest vertex that breaks rule Path
	edge     int64  // smallest vertex that breaks rule Edge
	level    int64  // smallest tuple that breaks rule Level
	outside  int64  // smallest tuple that names no vertex
	edges    int64
	loops    int64
	adjacent [block]engine.Edge
	children [block]engine.Local
	_        [64]byte
}

// never is a vertex or tuple number larger than every real one.
const never = 1<<63 - 1

// New returns a checker for graphs of the given number of vertices that works
// on team. It takes Bytes(vertices) of memory for all its life.
func New(team *parallel.Team, vertices uint64) (*Checker, error) {
	if vertices > MaxVertices {
		return nil, fmt.Errorf("validate: %d vertices, at most %d can be checked", vertices, uint64(MaxVertices))
	}
	c := &Checker{team: team, workers: make([]worker, team.Size())}
	var err error
	if c.depth, err = memory.Alloc[uint32](int(vertices)); err == nil {
		if c.narrow, err = memory.Alloc[uint8](int(vertices)); err == nil {
			c.marks, err = memory.Alloc[uint64](int(words(vertices)))
		}
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Bytes returns the memory that New takes for its arrays.
func Bytes(vertices uint64) uint64 { return 5*vertices + 8*words(vertices) }

func words(vertices uint64) uint64 { return (vertices + 63) / 64 }

// Close gives the memory back.
func (c *Checker) Close() error {
	depth, narrow, marks := c.depth, c.narrow, c.marks
	c.depth, c.narrow, c.marks = nil, nil, nil
	err := memory.Free(depth)
	if e := memory.Free(narrow); err == nil {
		err = e
	}
	if e := memory.Free(marks); err == nil {
		err = e
	}
	return err
}

func (c *Checker) reset() {
	for i := range c.workers {
		w := &c.workers[i]
		w.visited, w.deepest, w.edges, w.loops = 0, 0, 0, 0
		w.entry, w.path, w.edge, w.level, w.outside = never, never, never, never, never
	}
}

// sum adds up what the workers found and takes the smallest of the broken
// places, so that the answer does not depend on who met them.
func (c *Checker) sum() worker {
	total := worker{entry: never, path: never, edge: never, level: never, outside: never}
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

// Search is a search whose parents are to be checked.
type Search struct {
	Root    engine.Vertex
	Parents []engine.Local // N entries
}

// Check checks that the parents of each search are a breadth-first tree of
// exactly the component of its root in the graph of the tuples and returns the
// facts of the trees in order. A broken rule gives an *Error, with the facts of
// the trees before it: the first broken rule of the first wrong tree in the
// order of the constants, at the smallest vertex or tuple that breaks it,
// whatever the number of workers. When ctx ends first, Check returns the cause.
// A root without neighbours has a valid tree of one vertex.
func (c *Checker) Check(ctx context.Context, tuples []engine.Edge, searches []Search) ([]engine.Tree, error) {
	return each(searches, func(s Search) (engine.Tree, error) { return c.tree(ctx, tuples, s.Parents, s.Root) })
}

// CountEdges returns the facts of the trees without any check; their Depth is
// 0. Visited are the entries other than engine.None.
func (c *Checker) CountEdges(ctx context.Context, tuples []engine.Edge, searches []Search) ([]engine.Tree, error) {
	return each(searches, func(s Search) (engine.Tree, error) { return c.count(ctx, tuples, s) })
}

func each(searches []Search, facts func(Search) (engine.Tree, error)) (trees []engine.Tree, err error) {
	for _, s := range searches {
		tree, err := facts(s)
		if err != nil {
			return trees, err
		}
		trees = append(trees, tree)
	}
	return trees, nil
}

func (c *Checker) tree(ctx context.Context, tuples []engine.Edge, parents []engine.Local, root engine.Vertex) (engine.Tree, error) {
	if err := c.checkRoot(parents, root); err != nil {
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
	if found.deepest <= narrowest {
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

func (c *Checker) checkRoot(parents []engine.Local, root engine.Vertex) error {
	switch n := len(c.depth); {
	case len(parents) != n:
		return SizeError(root, len(parents), n)
	case uint64(root) >= uint64(n):
		return RootError(root, engine.None, n)
	case engine.Vertex(parents[root]) != root:
		return RootError(root, parents[root], n)
	}
	return nil
}

// level returns the distance of v from the root along parents that keep rule
// Path, or -1 outside the tree.
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

// findUnjoined looks for vertices that no tuple has joined to their parents.
func (c *Checker) findUnjoined(ctx context.Context) error {
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

func (c *Checker) count(ctx context.Context, tuples []engine.Edge, s Search) (engine.Tree, error) {
	parents := s.Parents
	if len(parents) != len(c.depth) {
		return engine.Tree{}, SizeError(s.Root, len(parents), len(c.depth))
	}
	c.reset()
	err := c.team.For(ctx, len(parents), vertexGrain, func(number, lo, hi int) {
		n := 0
		for first := lo; first < hi; first += 64 {
			word := uint64(0)
			for i, p := range parents[first:min(first+64, hi)] {
				bit := uint64(0)
				if p != engine.None {
					bit = 1
				}
				word |= bit << i
			}
			c.marks[first/64] = word
			n += bits.OnesCount64(word)
		}
		c.workers[number].visited += int64(n)
	})
	if err != nil {
		return engine.Tree{}, err
	}
	vertices := uint64(len(parents))
	err = c.team.For(ctx, len(tuples), tupleGrain, func(number, lo, hi int) {
		w := &c.workers[number]
		visited := c.marks
		edges := uint64(0)
		for i, e := range tuples[lo:hi] {
			if uint64(e.U) >= vertices || uint64(e.V) >= vertices {
				w.outside = min(w.outside, int64(lo+i))
				continue
			}
			inside := visited[e.U/64] >> (e.U % 64) & (visited[e.V/64] >> (e.V % 64)) & 1
			if e.U == e.V {
				w.loops += int64(inside)
				continue
			}
			edges += inside
		}
		w.edges += int64(edges)
	})
	if err != nil {
		return engine.Tree{}, err
	}
	found := c.sum()
	if found.outside != never {
		return engine.Tree{}, OutsideError(found.outside, tuples[found.outside], len(parents))
	}
	return engine.Tree{Visited: found.visited, Edges: found.edges, SelfLoops: found.loops}, nil
}

// join notes that a tuple joins v to its parent. Looking first keeps a vertex
// with many such tuples from moving its cache line between the cores.
func (c *Checker) join(v engine.Local) {
	word, bit := &c.marks[v/64], uint64(1)<<(v%64)
	if atomic.LoadUint64(word)&bit != 0 {
		atomic.AndUint64(word, ^bit)
	}
}
