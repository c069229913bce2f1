//go:build cuda

package sssp

import (
	"context"

	"graph500/device"
	"graph500/engine"
)

// fallback is the search without lists (fallback.cu), steered by the host.
type fallback struct {
	module *device.Module
	any    device.Array[uint32]
	grid   int // blocks of a round
	labels uint64
	words  uint64 // of a bitmap of rows
	rounds int64  // of the last search
}

// newFallback returns the search that uses the arrays of a state, which the constants of
// the module describe.
func newFallback(m *device.Module, st *state, grid int) *fallback {
	return &fallback{module: m, any: st.Any, grid: grid, labels: uint64(st.Vertices), words: (uint64(st.RowCount) + 31) / 32}
}

// search writes the parents and distances of all vertices, whatever they are before. The
// working memory must be empty.
func (f *fallback) search(ctx context.Context, root engine.Label) error {
	if err := f.launch("fallback_begin", blocksFor(f.words), uint64(root), f.words); err != nil {
		return err
	}
	f.rounds = 0
	if err := f.repeat(ctx, func() error {
		from := uint64(f.rounds % 2)
		return f.launch("fallback_relax", f.grid, f.words, from, 1-from, f.any.Address())
	}); err != nil {
		return err
	}
	if err := f.launch("fallback_results", blocksFor(f.labels)); err != nil {
		return err
	}
	var any [1]uint32
	return f.any.Read(0, any[:]) // waits for the results
}

// blocksFor returns the number of blocks with a thread for each of n items.
func blocksFor(n uint64) int { return int((n + threads - 1) / threads) }

// repeat makes rounds until one changes nothing.
func (f *fallback) repeat(ctx context.Context, round func() error) error {
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := f.any.Fill(0); err != nil {
			return err
		}
		if err := round(); err != nil {
			return err
		}
		f.rounds++
		var any [1]uint32
		if err := f.any.Read(0, any[:]); err != nil {
			return err
		}
		if any[0] == 0 {
			return nil
		}
	}
}

func (f *fallback) launch(name string, blocks int, args ...uint64) error {
	k, err := f.module.Kernel(name)
	if err != nil {
		return err
	}
	return k.Launch(blocks, threads, 0, args...)
}
