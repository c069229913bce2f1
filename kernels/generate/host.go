//go:build cuda

package generate

import (
	"context"
	"errors"
	"fmt"

	"graph500/device"
	"graph500/engine"
	"graph500/memory"
)

// hostTuples are loaded tuples in the host's memory. A pass over them copies a part to the
// device, if it is page-locked while kernels use the part before it.
type hostTuples struct {
	edges       *device.HostArray[engine.Edge]
	weights     *device.HostArray[float32] // nil without weights
	uploads     *device.Uploads
	nextEdges   device.Array[engine.Edge] // of every second part
	nextWeights device.Array[float32]
}

// hostArrays declares the device's memory of tuples in the host's: for two parts, which
// have at most capacity tuples together, and at least one each.
func (t *Tuples) hostArrays(capacity uint64) []device.Declared {
	half := max(1, capacity/2)
	arrays := []device.Declared{
		device.Of(&t.edges, "tuples, a part at a time", half),
		device.Of(&t.host.nextEdges, "tuples, the next part", half),
	}
	if t.weighted {
		arrays = append(arrays,
			device.Of(&t.weights, "weights, a part at a time", half),
			device.Of(&t.host.nextWeights, "weights, the next part", half))
	}
	return arrays
}

// FromHost is From for tuples of which the device has about capacity at a time. They stay in
// the host's memory, which memory.Alloc allocated. It is page-locked, which takes long, if
// the driver does that. The result owns the memory. With an error, such as the cause of ctx
// when ctx ends, it is freed.
func FromHost(ctx context.Context, d *device.Device, list engine.Tuples, capacity uint64) (_ *Tuples, err error) {
	t := &Tuples{device: d, count: uint64(len(list.Edges)), weighted: list.Weights != nil, host: new(hostTuples)}
	if t.weighted && len(list.Weights) != len(list.Edges) {
		return nil, errors.Join(fmt.Errorf("%d weights for %d tuples", len(list.Weights), len(list.Edges)), memory.Free(list.Edges), memory.Free(list.Weights))
	}
	if t.host.edges, err = device.Lock(ctx, d, list.Edges); err != nil {
		return nil, errors.Join(err, memory.Free(list.Weights))
	}
	if t.weighted {
		if t.host.weights, err = device.Lock(ctx, d, list.Weights); err != nil {
			return nil, errors.Join(err, t.Close())
		}
	}
	if t.host.uploads, err = d.NewUploads(2); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	if t.held, err = d.Take(t.group(t.count, capacity)); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// HostMemory returns the kind of the host's memory that has the tuples, or nothing if they
// are on the device or regenerated.
func (t *Tuples) HostMemory() engine.HostMemoryKind {
	switch {
	case t.host == nil:
		return ""
	case t.host.edges.IsLocked() && (!t.weighted || t.host.weights.IsLocked()):
		return engine.PageLocked
	}
	return engine.Pageable
}

// eachOnHost is Each for tuples in the host's memory. It is at most two parts ahead of the
// copies, so that the end of ctx is seen soon.
func (t *Tuples) eachOnHost(ctx context.Context, look func(Part) error) error {
	slots := [2]Part{{Edges: t.edges, Weights: t.weights}, {Edges: t.host.nextEdges, Weights: t.host.nextWeights}}
	for k, done := 0, uint64(0); done < t.count; k++ {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		part, slot := slots[k%2], k%2
		part.First, part.Count = done, min(part.Edges.Len(), int(t.count-done))
		if err := t.host.copy(slot, part); err != nil {
			return err
		}
		if err := errors.Join(look(part), t.host.uploads.Release(slot)); err != nil {
			return err
		}
		done += uint64(part.Count)
	}
	return nil
}

// copy copies a part to the device, in a slot of the uploads.
func (h *hostTuples) copy(slot int, part Part) error {
	if err := h.uploads.Wait(slot); err != nil {
		return err
	}
	first := int(part.First)
	if err := copyPart(h.uploads, slot, part.Edges, h.edges, first, part.Count); err != nil || h.weights == nil {
		return err
	}
	return copyPart(h.uploads, slot, part.Weights, h.weights, first, part.Count)
}

// copyPart copies n elements from index first on. Without page-locked memory it waits for
// the work launched so far.
func copyPart[T any](u *device.Uploads, slot int, to device.Array[T], from *device.HostArray[T], first, n int) error {
	if from.IsLocked() {
		return device.Upload(u, slot, to, 0, from, first, n)
	}
	return to.Write(0, from.Host()[first:first+n])
}

// hostAt returns element i of an array.
func hostAt[T any](a *device.HostArray[T], i uint64) (element T, err error) {
	if n := len(a.Host()); i >= uint64(n) {
		return element, fmt.Errorf("there is no tuple %d of %d", i, n)
	}
	return a.Host()[i], nil
}

// close waits for the copies and frees the host's memory. close of nil does nothing.
func (h *hostTuples) close() error {
	if h == nil {
		return nil
	}
	err := errors.Join(h.uploads.Close(), h.edges.Free(), h.weights.Free())
	*h = hostTuples{}
	return err
}
