//go:build cuda

package gpu

import (
	"errors"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/stream"
	"graph500/kernels/validate"
	"graph500/memory"
)

// results are the output of searches on a GPU, and the batch of those that are validated. A
// search writes the results of the GPU's range of vertices; Searcher.Keep adds the others.
type results struct {
	device    *device.Device
	parents   device.Array[engine.Label] // N entries
	distances device.Array[float32]      // of SSSP, N entries; empty for BFS
	held      *device.Held
	wide      *wideParents // of the range if labels have 48 bits, else nil
	trees     *validate.Trees
}

// group declares the memory of the results of a kernel.
func (r *results) group(k engine.Kernel, vertices uint64) device.Group {
	g := device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&r.parents, parentsName(k), vertices)}}
	if k == engine.SSSP {
		g.Arrays = append(g.Arrays, device.Of(&r.distances, "distances", vertices))
	}
	return g
}

// copiedGroup declares a copy of the results of a kernel in the host's memory.
func copiedGroup(to *engine.Results, k engine.Kernel, vertices uint64) memory.Group {
	g := memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{memory.Of(&to.Parents, parentsName(k)+", copied", vertices)}}
	if k == engine.SSSP {
		g.Arrays = append(g.Arrays, memory.Of(&to.Distances, "distances, copied", vertices))
	}
	return g
}

// parentsName returns the name of the parents of a kernel in memory plans.
func parentsName(k engine.Kernel) string {
	if k == engine.SSSP {
		return "parents of shortest paths"
	}
	return "parents"
}

// prepare allocates the results of a kernel on a graph of N vertices, of which the GPU has those
// of a range, and a batch of that many searches.
func (r *results) prepare(k engine.Kernel, vertices uint64, labels construct.Range, wide bool, searches int) (err error) {
	if r.held, err = r.device.Take(r.group(k, vertices)); err != nil {
		return err
	}
	if wide {
		r.wide = &wideParents{}
		if err := r.wide.prepare(r.device, k, r.parents, labels); err != nil {
			return err
		}
	}
	r.trees, err = validate.NewTrees(r.device, k, wide, validate.Results{Parents: r.parents, Distances: r.distances}, searches)
	return err
}

// clear sets all parents to engine.None and all distances to engine.Unreached.
func (r *results) clear() error {
	return errors.Join(r.parents.Fill(0xff), device.FillWith(r.distances, engine.Unreached), r.wide.clear(), r.device.Synchronize())
}

// set sets what validation reads to results in host memory.
func (r *results) set(to engine.Results) error {
	return errors.Join(r.parents.Write(0, to.Parents), r.distances.Write(0, to.Distances))
}

// close frees the memory.
func (r *results) close() error {
	return errors.Join(r.trees.Close(), r.wide.close(), r.held.Free())
}

// wideParents are the parents of a GPU's range of vertices as results of 64 bits, -1 for an
// unvisited vertex (engine.Job.Wide). A search that does not write them (strategy.wide) works with
// parents of 32 bits, which are converted at its end. Validation reads the results, narrowed, and not
// the parents that they come from. The methods of nil do nothing.
type wideParents struct {
	parents device.Array[int64]
	narrow  device.Array[engine.Label] // the same parents, as the search sets them
	labels  *stream.Labels
	held    *device.Held
}

// group declares the memory of the parents of n vertices.
func (w *wideParents) group(k engine.Kernel, n uint64) device.Group {
	return device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&w.parents, parentsName(k)+" of 64 bits", n)}}
}

// prepare allocates the parents of a range of vertices. parents are those of all vertices that
// a search sets.
func (w *wideParents) prepare(d *device.Device, k engine.Kernel, parents device.Array[engine.Label], labels construct.Range) (err error) {
	if w.narrow, err = parents.Slice(int(labels.First), int(labels.End-labels.First)); err != nil {
		return err
	}
	if w.labels, err = stream.NewLabels(d); err != nil {
		return err
	}
	w.held, err = d.Take(w.group(k, labels.End-labels.First))
	return err
}

// clear sets all entries to -1. It queues the work in the stream.
func (w *wideParents) clear() error {
	if w == nil {
		return nil
	}
	return w.parents.Fill(0xff)
}

// clearNarrow clears the parents that the search works with. It queues the work in the stream.
func (w *wideParents) clearNarrow() error { return w.narrow.Fill(0xff) }

// take sets the entries to those of a search. It queues the work in the stream.
func (w *wideParents) take() error {
	if w == nil {
		return nil
	}
	return w.labels.Widen(w.parents, w.narrow)
}

// give sets those of the search to the entries, for validation. It queues the work in the
// stream.
func (w *wideParents) give() error {
	if w == nil {
		return nil
	}
	return w.labels.Narrow(w.narrow, w.parents)
}

func (w *wideParents) close() error {
	if w == nil {
		return nil
	}
	return w.held.Free()
}
