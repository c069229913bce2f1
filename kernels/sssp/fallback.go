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
	grid   int
	words  uint64 // of a bitmap
	rounds int64  // of the last search
}

// newFallback returns the search that uses the arrays of a state.
func newFallback(d *device.Device, st *state, grid int) (*fallback, error) {
	m, err := d.Load("sssp", images, "fallback")
	if err != nil {
		return nil, err
	}
	f := &fallback{module: m, any: st.Any, grid: grid, words: uint64(st.Marks[0].Len())}
	return f, m.SetConstant("g", *st)
}

// search writes the parents and distances of every vertex reachable from root, whatever
// they are before.
func (f *fallback) search(ctx context.Context, root engine.Local) error {
	if err := f.launch("fallback_begin", uint64(root), f.words); err != nil {
		return err
	}
	f.rounds = 0
	if err := f.repeat(ctx, func() error {
		from := uint64(f.rounds % 2)
		return f.launch("fallback_relax", f.words, from, 1-from, f.any.Address())
	}); err != nil {
		return err
	}
	return f.repeat(ctx, func() error { return f.launch("fallback_parents", f.words, f.any.Address()) })
}

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

func (f *fallback) launch(name string, args ...uint64) error {
	k, err := f.module.Kernel(name)
	if err != nil {
		return err
	}
	return k.Launch(f.grid, threads, 0, args...)
}
