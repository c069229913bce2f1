// Package validate checks the parent trees of searches against the input
// tuples by the rules of the Graph500 specification ("Validation" of kernel
// 2), and counts what the benchmark reports of a tree. It must not know any
// engine or its graph: it sees tuples, parents and a root, so that a fault in
// construction cannot hide itself.
//
// Trees are checked in batches, with one pass over the tuples for each batch,
// because the random look-ups of that pass are what validation costs. The pass
// tells only whether a tree is right. One that is not, or too deep for it, is
// checked again, by itself and rule by rule.
package validate

import (
	"context"
	"fmt"
	"unsafe"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// MaxVertices is the largest graph a Checker takes: depths are held plus one
// in 32 bits, and the largest of these numbers marks a vertex without a path.
const MaxVertices = lost - 1

// BatchSize is the largest number of trees that are checked with one pass over
// the tuples.
const BatchSize = 8

const (
	vertexGrain = 1 << 15 // vertices handed out at once, a multiple of the 64 in a word of marks
	tupleGrain  = 1 << 14 // tuples handed out at once: a worker looks at its context about every 50 µs
	// block is the number of tuples that go through one stage before the next, a
	// power of two so that a mask stands for the bounds check.
	block = 1024
)

// never is a vertex or tuple number larger than every real one.
const never = 1<<63 - 1

// Checker validates trees of one graph. It is not for concurrent use.
type Checker struct {
	vertices int
	words    []uint64 // the memory of what follows, of which one works at a time
	batch    batch
	single   single
	counter  counter
}

// New returns a checker for graphs of the given number of vertices that works
// on team. It takes Bytes(vertices) of memory for all its life.
func New(team *parallel.Team, vertices uint64) (*Checker, error) {
	if vertices > MaxVertices {
		return nil, fmt.Errorf("validate: %d vertices, at most %d can be checked", vertices, uint64(MaxVertices))
	}
	n := int(vertices)
	words, err := memory.Alloc[uint64](int(Bytes(vertices) / 8))
	if err != nil {
		return nil, err
	}
	marks := wordsOf(n)
	depths := marks + (n+1)/2
	return &Checker{
		vertices: n,
		words:    words,
		batch:    newBatch(team, words[:n]),
		single:   newSingle(team, words[:marks], view[uint32](words[marks:], n), view[uint8](words[depths:], n)),
		counter:  newCounter(team, view[uint8](words, n)),
	}, nil
}

// Bytes returns the memory that New takes for its arrays.
func Bytes(vertices uint64) uint64 {
	n := int(vertices)
	return 8 * uint64(max(n, wordsOf(n)+(n+1)/2+(n+7)/8))
}

// wordsOf returns the number of words that hold a bit for each of n vertices.
func wordsOf(n int) int { return (n + 63) / 64 }

// view shows words as n elements of a smaller type.
func view[T uint8 | uint32](words []uint64, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// Close gives the memory back.
func (c *Checker) Close() error {
	words := c.words
	*c = Checker{}
	return memory.Free(words)
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
func (c *Checker) Check(ctx context.Context, tuples []engine.Edge, searches []Search) (trees []engine.Tree, err error) {
	for len(searches) > 0 {
		together := searches[:min(BatchSize, len(searches))]
		searches = searches[len(together):]
		var found [BatchSize]engine.Tree
		if c.batch.pays(len(together)) {
			if found, err = c.batch.check(ctx, tuples, together); err != nil {
				return trees, err
			}
		}
		for i, s := range together {
			tree := found[i]
			if tree.Visited == 0 { // not known to be right
				if tree, err = c.single.check(ctx, tuples, s); err != nil {
					return trees, err
				}
			}
			trees = append(trees, tree)
		}
	}
	return trees, nil
}

// CountEdges returns the facts of the trees without any check; their Depth is
// 0. Visited are the entries other than engine.None.
func (c *Checker) CountEdges(ctx context.Context, tuples []engine.Edge, searches []Search) (trees []engine.Tree, err error) {
	for len(searches) > 0 {
		together := searches[:min(BatchSize, len(searches))]
		searches = searches[len(together):]
		for i, s := range together {
			if len(s.Parents) != c.vertices {
				together, searches = together[:i], nil
				err = SizeError(s.Root, len(s.Parents), c.vertices)
				break
			}
		}
		found, countErr := c.counter.count(ctx, tuples, together)
		if countErr != nil {
			return trees, countErr
		}
		trees = append(trees, found...)
	}
	return trees, err
}
