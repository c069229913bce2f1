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
	list        engine.Tuples              // in the memory of edges and weights
	edges       *device.HostArray[uint32]  // Config.words a tuple
	weights     *device.HostArray[float32] // nil without weights
	uploads     *device.Uploads
	nextEdges   device.Array[uint32] // of every second part
	nextWeights device.Array[float32]
}

// hostArrays declares the device's memory of tuples in the host's: for two parts, which
// have at most Config.Capacity tuples together, and at least one each.
func (t *Tuples) hostArrays() []device.Declared {
	half, name := max(1, t.config.Capacity/2), t.config.name()
	arrays := []device.Declared{
		device.Of(&t.edges, name+", a part at a time", t.config.words()*half),
		device.Of(&t.host.nextEdges, name+", the next part", t.config.words()*half),
	}
	if t.config.Weighted {
		arrays = append(arrays,
			device.Of(&t.weights, "weights, a part at a time", half),
			device.Of(&t.host.nextWeights, "weights, the next part", half))
	}
	return arrays
}

// take takes over the list. With an error, it is freed when h is closed.
func (h *hostTuples) take(ctx context.Context, d *device.Device, list engine.Tuples) (err error) {
	words := asWords(list.Edges)
	if list.Wide != nil {
		words = asWords(list.Wide)
	}
	h.list = list
	if h.edges, err = device.Lock(ctx, d, words); err != nil {
		return errors.Join(err, memory.Free(list.Weights))
	}
	if list.Weights != nil {
		if h.weights, err = device.Lock(ctx, d, list.Weights); err != nil {
			return err
		}
	}
	h.uploads, err = d.NewUploads(2)
	return err
}

// HostMemory returns the kind of the host's memory that has the tuples, or nothing if they
// are on the device or regenerated.
func (t *Tuples) HostMemory() engine.HostMemoryKind {
	switch {
	case t.host == nil:
		return ""
	case t.host.edges.IsLocked() && (!t.config.Weighted || t.host.weights.IsLocked()):
		return engine.PageLocked
	}
	return engine.Pageable
}

// eachOnHost is Each for tuples in the host's memory. It is at most two parts ahead of the
// copies, so that the end of ctx is seen soon.
func (t *Tuples) eachOnHost(ctx context.Context, look func(Part) error) error {
	other := t.part()
	other.Edges, other.Weights = t.host.nextEdges, t.host.nextWeights
	slots := [2]Part{t.part(), other}
	for k, done := 0, uint64(0); done < t.config.Count; k++ {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		part, slot := slots[k%2], k%2
		part.First, part.Count = done, min(t.room(), int(t.config.Count-done))
		if err := t.copyToSlot(slot, part); err != nil {
			return err
		}
		part.First += t.config.First
		if err := errors.Join(look(part), t.host.uploads.Release(slot)); err != nil {
			return err
		}
		done += uint64(part.Count)
	}
	return nil
}

// copyToSlot copies a part, whose first tuple is numbered among those of the device, to it, in a
// slot of the uploads.
func (t *Tuples) copyToSlot(slot int, part Part) error {
	h, words := t.host, int(t.config.words())
	if err := h.uploads.Wait(slot); err != nil {
		return err
	}
	first := int(part.First)
	if err := copyPart(h.uploads, slot, part.Edges, h.edges, words*first, words*part.Count); err != nil || h.weights == nil {
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

// at returns tuple number i of those on the host.
func (h *hostTuples) at(i uint64) (engine.Edge, error) {
	if err := h.checkIndex(i); err != nil {
		return engine.Edge{}, err
	}
	return h.list.At(int(i)), nil
}

// weightAt returns the weight of tuple number i of those on the host.
func (h *hostTuples) weightAt(i uint64) (float32, error) {
	if err := h.checkIndex(i); err != nil {
		return 0, err
	}
	return h.list.Weights[i], nil
}

// checkIndex requires that there is a tuple number i.
func (h *hostTuples) checkIndex(i uint64) error {
	if n := h.list.Len(); i >= uint64(n) {
		return fmt.Errorf("there is no tuple %d of %d", i, n)
	}
	return nil
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
