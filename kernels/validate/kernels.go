//go:build cuda

package validate

import (
	"graph500/device"
	"graph500/kernels/generate"
)

const (
	vertexThreads = 256 // threads per block of the kernels over vertices
	tupleThreads  = 512 // threads per block of the kernels over tuples (tuples.cu)
	relaxThreads  = 256 // threads per block of validate_relax (distances.cu)

	maxHashedDepth = 15 // largest depth+1 in a table of bytes with 4 bits of depth
)

// kernels are the kernels of depths.cu, tuples.cu and distances.cu.
type kernels struct {
	start, settle, unsettled, hash gridKernel
	jumpStart, jump, widen         gridKernel
	ofTuples                       [2]*tupleKernels // for labels of 32 and of 48 bits, nil until needed
	unjoined, unjoinedWide         gridKernel
	together, togetherWide         gridKernel
	mark                           gridKernel
	distances, apart               gridKernel
	apartTogether                  gridKernel
	place, take                    gridKernel
}

// tupleKernels are the kernels that read tuples.
type tupleKernels struct {
	tuples            [4]gridKernel // by form
	relax             [4]gridKernel // by log2 of the width of the columns
	keep, leastWeight gridKernel
}

// gridKernel is a kernel with a grid-stride loop. Its grid has the number of blocks
// that are resident on the device at once.
type gridKernel struct {
	kernel          *device.Kernel
	blocks, threads int
}

func (k gridKernel) launch(args ...uint64) error {
	return k.kernel.Launch(k.blocks, k.threads, 0, args...)
}

// findKernels looks up the kernels, without those of tuples.
func findKernels(d *device.Device) (*kernels, error) {
	k := &kernels{}
	return k, find(d, []wanted{
		{&k.start, "depths", "validate_start", vertexThreads},
		{&k.settle, "depths", "validate_settle", vertexThreads},
		{&k.unsettled, "depths", "validate_unsettled", vertexThreads},
		{&k.hash, "depths", "validate_hash", vertexThreads},
		{&k.jumpStart, "depths", "validate_jump_start", vertexThreads},
		{&k.jump, "depths", "validate_jump", vertexThreads},
		{&k.widen, "depths", "validate_widen", vertexThreads},
		{&k.unjoined, "tuples", "validate_unjoined", vertexThreads},
		{&k.unjoinedWide, "tuples", "validate_unjoined_wide", vertexThreads},
		{&k.together, "tuples", "validate_unjoined_together", vertexThreads},
		{&k.togetherWide, "tuples", "validate_unjoined_together_wide", vertexThreads},
		{&k.mark, "tuples", "validate_mark", vertexThreads},
		{&k.distances, "distances", "validate_distances", vertexThreads},
		{&k.apart, "distances", "validate_apart", vertexThreads},
		{&k.apartTogether, "distances", "validate_apart_together", vertexThreads},
		{&k.place, "distances", "validate_place", vertexThreads},
		{&k.take, "distances", "validate_take", vertexThreads},
	})
}

// of returns the kernels for a part of the tuples.
func (k *kernels) of(d *device.Device, part generate.Part) (*tupleKernels, error) {
	to := &k.ofTuples[0]
	if part.IsWide() {
		to = &k.ofTuples[1]
	}
	if *to != nil {
		return *to, nil
	}
	tuples, distances := generate.ModuleOf("tuples", part.IsWide()), generate.ModuleOf("distances", part.IsWide())
	t := &tupleKernels{}
	if err := find(d, []wanted{
		{&t.tuples[hashedBytes], tuples, "validate_tuples_hashed", tupleThreads},
		{&t.tuples[plainBytes], tuples, "validate_tuples_plain", tupleThreads},
		{&t.tuples[wideEntries], tuples, "validate_tuples_wide", tupleThreads},
		{&t.tuples[countedBits], tuples, "validate_count", tupleThreads},
		{&t.keep, tuples, "validate_keep", 1},
		{&t.relax[0], distances, "validate_relax_1", relaxThreads},
		{&t.relax[1], distances, "validate_relax_2", relaxThreads},
		{&t.relax[2], distances, "validate_relax_4", relaxThreads},
		{&t.relax[3], distances, "validate_relax_8", relaxThreads},
		{&t.leastWeight, distances, "validate_least_weight", vertexThreads},
	}); err != nil {
		return nil, err
	}
	t.keep.blocks = 1
	*to = t
	return t, nil
}

// wanted is a kernel to find.
type wanted struct {
	to      *gridKernel
	module  string
	name    string
	threads int
}

// find looks up kernels in their modules.
func find(d *device.Device, list []wanted) error {
	for _, x := range list {
		m, err := d.Load("validate", images, x.module)
		if err != nil {
			return err
		}
		kernel, err := m.Kernel(x.name)
		if err != nil {
			return err
		}
		blocks, err := kernel.Resident(x.threads)
		if err != nil {
			return err
		}
		*x.to = gridKernel{kernel, blocks, x.threads}
	}
	return nil
}
