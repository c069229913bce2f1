//go:build cuda

package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

// Results are the results of a search in the device's memory, by vertex.
type Results struct {
	Parents   device.Array[engine.Label]
	Distances device.Array[float32] // of SSSP; empty for BFS
}

// Trees is a batch of searches of one graph with one kernel on a device, whose trees are validated
// together. One pass over the tuples, which may have to be regenerated for it, serves the
// whole batch. With a capacity of one search, the results stay in the arrays that the
// search wrote; with more, they are copied.
type Trees struct {
	device   *device.Device
	live     Results // written by the searches
	checkers []*checker
	facts    device.Array[facts]          // by checker
	copies   []device.Array[engine.Label] // of BFS, by checker, if the capacity is more than one
	columns  *columns                     // of SSSP; nil for BFS
	wide     bool                         // labels of the tuples have 48 bits
	roots    []engine.Vertex              // of the searches in the batch
	held     *device.Held
	borrowed []*device.Held // tables of deep trees
}

// mostSearches is the largest capacity of a batch of SSSP.
const mostSearches = 8

// group declares the memory for a capacity of that many searches.
func (k *Trees) group(kernel engine.Kernel, vertices uint64, searches int) device.Group {
	arrays := []device.Declared{device.Of(&k.facts, "facts of validation", uint64(searches))}
	shared := &tables{bitmaps: searches}
	if kernel == engine.SSSP {
		k.columns = &columns{}
		arrays = append(arrays, shared.arrays(vertices)...)
		arrays = append(arrays, k.columns.arrays(vertices, searches)...)
	} else {
		k.copies = make([]device.Array[engine.Label], searches)
	}
	k.checkers = make([]*checker, searches)
	for i := range k.checkers {
		c := &checker{number: i, tables: shared, facts: &k.facts}
		k.checkers[i] = c
		if kernel == engine.SSSP {
			continue
		}
		c.tables = &tables{bitmaps: 1}
		arrays = append(arrays, c.tables.arrays(vertices)...)
		if searches > 1 {
			arrays = append(arrays, device.Of(&k.copies[i], "parents kept for validation", vertices))
		}
	}
	return device.Group{Alive: engine.Searching, Arrays: arrays}
}

// Plan lists the memory to validate that many searches together. With BFS each tree of
// 127 levels or more needs the memory of DeepPlan in addition, with SSSP all such trees
// share it.
func Plan(kernel engine.Kernel, vertices uint64, searches int) []engine.Allocation {
	return new(Trees).group(kernel, vertices, searches).Plan()
}

// NewTrees returns an empty batch with a capacity of that many searches, at least one,
// and at most eight of SSSP. live are the arrays that the searches write, with one entry
// per vertex. If wide, labels of the tuples have 48 bits.
func NewTrees(d *device.Device, kernel engine.Kernel, wide bool, live Results, searches int) (*Trees, error) {
	vertices := live.Parents.Len()
	if vertices > maxVertices {
		return nil, fmt.Errorf("validate: %d vertices, but a GPU can check at most %d", vertices, maxVertices)
	}
	if kernel == engine.SSSP && (searches > mostSearches || live.Distances.Len() != vertices) {
		return nil, fmt.Errorf("validate: %d searches with %d distances and %d parents; at most %d searches can be checked together", searches, live.Distances.Len(), vertices, mostSearches)
	}
	kernels, err := findKernels(d, kernel, wide)
	if err != nil {
		return nil, err
	}
	k := &Trees{device: d, wide: wide, live: live}
	if k.held, err = d.Take(k.group(kernel, uint64(vertices), searches)); err != nil {
		return nil, err
	}
	for _, c := range k.checkers {
		c.device, c.vertices, c.kernels, c.borrow = d, vertices, kernels, k.borrow
	}
	if k.columns != nil {
		if err := k.columns.use(kernels, live); err != nil {
			return nil, errors.Join(err, k.Close())
		}
	}
	return k, nil
}

// Capacity returns the largest number of trees in the batch.
func (k *Trees) Capacity() int { return len(k.checkers) }

// Keep adds the results in live, right or wrong, to the batch. With a capacity of more
// than one, live may be overwritten when Keep returns. A full batch is an error.
func (k *Trees) Keep(root engine.Vertex) error {
	if len(k.roots) == k.Capacity() {
		return fmt.Errorf("the validation batch is full: it has %d searches", len(k.roots))
	}
	if k.Capacity() > 1 {
		if err := errors.Join(k.copyLive(len(k.roots)), k.device.Synchronize()); err != nil {
			return err
		}
	}
	k.roots = append(k.roots, root)
	return nil
}

// copyLive copies live to number i of the batch.
func (k *Trees) copyLive(i int) error {
	if k.columns != nil {
		return k.columns.place(i, k.live)
	}
	return k.copies[i].CopyFrom(k.live.Parents)
}

// Results returns the results of number i of the batch. They are valid until the next
// call of Results, Batch.Check or Batch.CountEdges.
func (k *Trees) Results(i int) (Results, error) {
	switch {
	case k.Capacity() == 1:
		return k.live, nil
	case k.columns != nil:
		return k.columns.take(i)
	}
	return Results{Parents: k.copies[i]}, nil
}

// Drop empties the batch.
func (k *Trees) Drop() { k.roots = k.roots[:0] }

// lookInTurn processes a part of the tuples for the first count searches.
func (k *Trees) lookInTurn(count int, part generate.Part) error {
	for _, c := range k.checkers[:count] {
		if err := c.look(part); err != nil {
			return err
		}
	}
	return nil
}

// each calls look for each part of the tuples.
func (k *Trees) each(ctx context.Context, tuples *generate.Tuples, look func(part generate.Part) error) error {
	return tuples.Each(ctx, func(part generate.Part) error {
		if err := look(part); err != nil || tuples.Whole() || tuples.HostMemory() != "" {
			return err // reading the facts or copying waits; to wait here as well takes 10 µs a search
		}
		return k.device.Synchronize() // or the end of ctx would be seen late
	})
}

// Close frees the memory. Close of nil Trees does nothing.
func (k *Trees) Close() error {
	if k == nil {
		return nil
	}
	var errs []error
	for _, held := range slices.Backward(k.borrowed) {
		errs = append(errs, held.Free())
	}
	return errors.Join(append(errs, k.held.Free())...)
}

// borrow allocates the table of a deep tree, until Close.
func (k *Trees) borrow(g device.Group) error {
	held, err := k.device.Borrow(g)
	if err == nil {
		k.borrowed = append(k.borrowed, held)
	}
	return err
}
