package graph

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"graph500/engine"
	"graph500/memory"
)

// connected returns the number of vertices with an edge to another vertex. All labels are
// below vertices. It takes a bit of memory per vertex.
func connected(ctx context.Context, edges []engine.Edge, vertices uint64) (n uint64, err error) {
	words, err := memory.Alloc[uint64](int((vertices + 63) / 64))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, memory.Free(words)) }()
	for part := range slices.Chunk(edges, block) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		for _, e := range part {
			if e.U != e.V {
				words[e.U/64] |= 1 << (e.U % 64)
				words[e.V/64] |= 1 << (e.V % 64)
			}
		}
	}
	for _, w := range words {
		n += uint64(bits.OnesCount64(w))
	}
	return n, nil
}
