// Package validate checks the parent trees of searches against the input tuples
// by the rules of the Graph500 specification ("Validation" of kernel 2) and
// counts the facts that the benchmark reports. It uses only tuples, parents and
// roots, and no constructed graph, so that it also detects errors of the
// construction.
//
// Trees are checked in batches with one pass over the tuples per batch, because
// the random accesses of this pass dominate the cost of validation. The pass only
// confirms correct trees. A tree that it does not confirm is checked again on its
// own, rule by rule.
package validate

import (
	"context"
	"fmt"
	"unsafe"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// MaxVertices is the largest number of vertices that a Checker supports. It stores
// depth+1 in 32 bits; the largest value marks a vertex without a path to the root.
const MaxVertices = noPath - 1

// BatchSize is the largest number of trees that are checked with one pass over
// the tuples.
const BatchSize = 8

const (
	vertexGrain = 1 << 15 // vertices that a worker takes at a time, a multiple of 64 (a word of marks)
	tupleGrain  = 1 << 14 // tuples that a worker takes at a time, about 50 µs between tests of the context
	// block is the number of tuples that pass one stage before the next stage
	// begins. It is a power of two, so that a mask replaces the bounds check.
	block = 1024
)

// never is larger than every vertex or tuple index.
const never = 1<<63 - 1

// Checker validates trees of one graph. It must not be used concurrently.
type Checker struct {
	vertices int
	words    []uint64 // memory shared by batch, single and counter, which work one at a time
	batch    batch
	single   single
	counter  counter
}

// New returns a checker for graphs with the given number of vertices. It runs on
// team and allocates Bytes(vertices) bytes until Close.
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

// Bytes returns the memory that New allocates, in bytes.
func Bytes(vertices uint64) uint64 {
	n := int(vertices)
	return 8 * uint64(max(n, wordsOf(n)+(n+1)/2+(n+7)/8))
}

// wordsOf returns the number of words in a bitmap of n vertices.
func wordsOf(n int) int { return (n + 63) / 64 }

// view returns the memory of words as n elements of a smaller type.
func view[T uint8 | uint32](words []uint64, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// Close frees the memory.
func (c *Checker) Close() error {
	words := c.words
	*c = Checker{}
	return memory.Free(words)
}

// Search is the result of a search.
type Search struct {
	Root    engine.Vertex
	Parents []engine.Local // N entries
}

// Check checks that the parents of each search are a breadth-first tree of the
// whole component of its root in the graph of the tuples. It returns the facts of
// the trees in order. If a tree is wrong, it returns an *Error and the facts of
// the trees before it. The error describes the first wrong tree: its first broken
// rule in the order of the constants, at the smallest vertex or tuple index. It
// does not depend on the number of workers. If ctx ends, Check returns its cause.
// The tree of a root without neighbours has one vertex and is valid.
func (c *Checker) Check(ctx context.Context, tuples []engine.Edge, searches []Search) (trees []engine.Tree, err error) {
	for len(searches) > 0 {
		group := searches[:min(BatchSize, len(searches))]
		searches = searches[len(group):]
		var confirmed [BatchSize]engine.Tree
		if c.batch.isFaster(len(group)) {
			if confirmed, err = c.batch.check(ctx, tuples, group); err != nil {
				return trees, err
			}
		}
		for i, s := range group {
			tree := confirmed[i]
			if tree.Visited == 0 { // unconfirmed
				if tree, err = c.single.check(ctx, tuples, s); err != nil {
					return trees, err
				}
			}
			trees = append(trees, tree)
		}
	}
	return trees, nil
}

// CountEdges returns the facts of the trees without validation. Visited is the
// number of entries other than engine.None. Depth is 0.
func (c *Checker) CountEdges(ctx context.Context, tuples []engine.Edge, searches []Search) (trees []engine.Tree, err error) {
	for len(searches) > 0 {
		group := searches[:min(BatchSize, len(searches))]
		searches = searches[len(group):]
		for i, s := range group {
			if len(s.Parents) != c.vertices {
				group, searches = group[:i], nil
				err = SizeError(s.Root, len(s.Parents), c.vertices)
				break
			}
		}
		found, countErr := c.counter.count(ctx, tuples, group)
		if countErr != nil {
			return trees, countErr
		}
		trees = append(trees, found...)
	}
	return trees, err
}
