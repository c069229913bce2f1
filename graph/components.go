package graph

import (
	"context"
	"errors"
	"slices"

	"graph500/engine"
	"graph500/memory"
)

// Largest returns the largest connected component of a graph: a bitmap of its vertices, which
// memory.Alloc allocates, and their number. Of several with that number it is the one with the smallest
// label. It takes 4 bytes and a bit per vertex, and 4 bytes more for a moment.
func Largest(ctx context.Context, edges []engine.Edge, vertices uint64) (members []uint64, size uint64, err error) {
	parents, err := memory.Alloc[engine.Label](int(vertices))
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, memory.Free(parents)) }()
	for v := range parents {
		parents[v] = engine.Label(v)
	}
	for part := range slices.Chunk(edges, block) {
		if ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		for _, e := range part {
			if u, v := find(parents, e.U), find(parents, e.V); u < v {
				parents[v] = u
			} else {
				parents[u] = v
			}
		}
	}
	sizes, err := memory.Alloc[uint32](int(vertices))
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, memory.Free(sizes)) }()
	largest := engine.Label(0)
	for v := range parents {
		sizes[find(parents, engine.Label(v))]++
	}
	for v, n := range sizes {
		if n > sizes[largest] {
			largest = engine.Label(v)
		}
	}
	if members, err = memory.Alloc[uint64](int((vertices + 63) / 64)); err != nil {
		return nil, 0, err
	}
	for v := range parents {
		if find(parents, engine.Label(v)) == largest {
			members[v/64] |= 1 << (v % 64)
			size++
		}
	}
	return members, size, nil
}

// find returns the vertex that stands for the component of v, its smallest, and halves the path to it
// (Tarjan, van Leeuwen: Worst-case analysis of set union algorithms, J. ACM 31, 1984).
func find(parents []engine.Label, v engine.Label) engine.Label {
	for parents[v] != v {
		parents[v] = parents[parents[v]]
		v = parents[v]
	}
	return v
}
