//go:build cuda

package validate

import "graph500/device"

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
	tuples                         [4]gridKernel // by form
	unjoined, unjoinedWide         gridKernel
	together, togetherWide         gridKernel
	mark                           gridKernel
	keep                           gridKernel
	distances, apart, leastWeight  gridKernel
	relax                          [4]gridKernel // by log2 of the width of the columns
	place, take                    gridKernel
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

// findKernels looks up the kernels in their modules.
func findKernels(d *device.Device) (*kernels, error) {
	k := &kernels{}
	for _, x := range []struct {
		to      *gridKernel
		module  string
		name    string
		threads int
	}{
		{&k.start, "depths", "validate_start", vertexThreads},
		{&k.settle, "depths", "validate_settle", vertexThreads},
		{&k.unsettled, "depths", "validate_unsettled", vertexThreads},
		{&k.hash, "depths", "validate_hash", vertexThreads},
		{&k.jumpStart, "depths", "validate_jump_start", vertexThreads},
		{&k.jump, "depths", "validate_jump", vertexThreads},
		{&k.widen, "depths", "validate_widen", vertexThreads},
		{&k.tuples[hashedBytes], "tuples", "validate_tuples_hashed", tupleThreads},
		{&k.tuples[plainBytes], "tuples", "validate_tuples_plain", tupleThreads},
		{&k.tuples[wideEntries], "tuples", "validate_tuples_wide", tupleThreads},
		{&k.tuples[countedBits], "tuples", "validate_count", tupleThreads},
		{&k.unjoined, "tuples", "validate_unjoined", vertexThreads},
		{&k.unjoinedWide, "tuples", "validate_unjoined_wide", vertexThreads},
		{&k.together, "tuples", "validate_unjoined_together", vertexThreads},
		{&k.togetherWide, "tuples", "validate_unjoined_together_wide", vertexThreads},
		{&k.mark, "tuples", "validate_mark", vertexThreads},
		{&k.keep, "tuples", "validate_keep", 1},
		{&k.distances, "distances", "validate_distances", vertexThreads},
		{&k.relax[0], "distances", "validate_relax_1", relaxThreads},
		{&k.relax[1], "distances", "validate_relax_2", relaxThreads},
		{&k.relax[2], "distances", "validate_relax_4", relaxThreads},
		{&k.relax[3], "distances", "validate_relax_8", relaxThreads},
		{&k.apart, "distances", "validate_apart", vertexThreads},
		{&k.leastWeight, "distances", "validate_least_weight", vertexThreads},
		{&k.place, "distances", "validate_place", vertexThreads},
		{&k.take, "distances", "validate_take", vertexThreads},
	} {
		m, err := d.Load("validate", images, x.module)
		if err != nil {
			return nil, err
		}
		kernel, err := m.Kernel(x.name)
		if err != nil {
			return nil, err
		}
		blocks, err := kernel.Resident(x.threads)
		if err != nil {
			return nil, err
		}
		*x.to = gridKernel{kernel, blocks, x.threads}
	}
	k.keep.blocks = 1
	return k, nil
}
