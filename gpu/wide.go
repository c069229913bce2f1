//go:build cuda

package gpu

import (
	"errors"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/stream"
)

// wideParents are the parents of a search as results of 64 bits, N entries, -1 for an
// unvisited vertex (engine.Job.Wide). The search itself works with parents of 32 bits. The
// methods of nil do nothing.
type wideParents struct {
	parents device.Array[int64]
	labels  *stream.Labels
	held    *device.Held
}

// group declares the memory.
func (w *wideParents) group(k engine.Kernel, vertices uint64) device.Group {
	return device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&w.parents, parentsName(k)+" of 64 bits", vertices)}}
}

// newWideParents allocates the parents of a kernel.
func newWideParents(d *device.Device, k engine.Kernel, vertices uint64) (*wideParents, error) {
	w := &wideParents{}
	var err error
	if w.labels, err = stream.NewLabels(d); err != nil {
		return nil, err
	}
	w.held, err = d.Take(w.group(k, vertices))
	return w, err
}

// clear sets all entries to -1. It queues the work in the stream.
func (w *wideParents) clear() error {
	if w == nil {
		return nil
	}
	return w.parents.Fill(0xff)
}

// take sets the entries to those of a search. It queues the work in the stream.
func (w *wideParents) take(from device.Array[engine.Local]) error {
	if w == nil {
		return nil
	}
	return w.labels.Widen(w.parents, from)
}

// give sets the entries of to, for validation. It queues the work in the stream.
func (w *wideParents) give(to device.Array[engine.Local]) error {
	if w == nil {
		return nil
	}
	return w.labels.Narrow(to, w.parents)
}

func (w *wideParents) close() error {
	if w == nil {
		return nil
	}
	return w.held.Free()
}

// wideRange are the parents of 64 bits on one of several GPUs: those of its range of vertices.
// It is empty if the results have 32 bits.
type wideRange struct {
	*wideParents
	narrow  device.Array[engine.Local] // the same parents, as the search sets them
	clearer *stream.Filler             // of narrow
}

// prepare allocates the parents of a range of vertices. parents are those of all vertices that
// a search sets.
func (w *wideRange) prepare(d *device.Device, k engine.Kernel, parents device.Array[engine.Local], labels construct.Range) (err error) {
	if w.narrow, err = parents.Slice(int(labels.First), int(labels.End-labels.First)); err != nil {
		return err
	}
	if w.clearer, err = stream.NewFiller(d, w.narrow, engine.None); err != nil {
		return err
	}
	w.wideParents, err = newWideParents(d, k, labels.End-labels.First)
	return err
}

// takeRange sets the entries to those of a search. It queues the work in the stream.
func (w *wideRange) takeRange() error { return w.take(w.narrow) }

// giveRange sets those of the search to the entries, for validation. It queues the work in the
// stream.
func (w *wideRange) giveRange() error { return w.give(w.narrow) }

func (w *wideRange) close() error { return errors.Join(w.clearer.Close(), w.wideParents.close()) }
