//go:build cuda

package validate

import (
	"graph500/device"
	"graph500/engine"
)

const (
	vertexThreads = 256 // threads per block of the kernels over vertices
	tupleThreads  = 512 // threads per block of the kernels over tuples (tuples.cu)
	relaxThreads  = 256 // threads per block of validate_relax (distances.cu)

	maxHashedDepth = 15 // largest depth+1 in a table of bytes with 4 bits of depth
)

// kernels are the kernels of depths.cu, of tuples.cu for tuples of one width, and, for SSSP, of
// distances.cu.
type kernels struct {
	start, settle, unsettled, hash gridKernel
	jumpStart, jump, deepTable     gridKernel

	tuples                 [4]gridKernel // by form
	keep, mark             gridKernel
	unjoined, unjoinedDeep gridKernel
	together, togetherDeep gridKernel

	relax                [4]gridKernel // by log2 of the width of the columns
	distances            gridKernel
	leastWeight          gridKernel
	apart, apartTogether gridKernel
	place, take          gridKernel
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

// findKernels looks up the kernels in the modules.
func findKernels(d *device.Device, kernel engine.Kernel, wide bool) (*kernels, error) {
	k := &kernels{}
	found := [][]wanted{
		{
			{&k.start, "validate_start", vertexThreads},
			{&k.settle, "validate_settle", vertexThreads},
			{&k.unsettled, "validate_unsettled", vertexThreads},
			{&k.hash, "validate_hash", vertexThreads},
			{&k.jumpStart, "validate_jump_start", vertexThreads},
			{&k.jump, "validate_jump", vertexThreads},
			{&k.deepTable, "validate_deep_table", vertexThreads},
		}, {
			{&k.tuples[hashedBytes], "validate_tuples_hashed", tupleThreads},
			{&k.tuples[plainBytes], "validate_tuples_plain", tupleThreads},
			{&k.tuples[deepEntries], "validate_tuples_deep", tupleThreads},
			{&k.tuples[countedBits], "validate_count", tupleThreads},
			{&k.keep, "validate_keep", 1},
			{&k.mark, "validate_mark", vertexThreads},
			{&k.unjoined, "validate_unjoined", vertexThreads},
			{&k.unjoinedDeep, "validate_unjoined_deep", vertexThreads},
			{&k.together, "validate_unjoined_together", vertexThreads},
			{&k.togetherDeep, "validate_unjoined_together_deep", vertexThreads},
		}, {
			{&k.relax[0], "validate_relax_1", relaxThreads},
			{&k.relax[1], "validate_relax_2", relaxThreads},
			{&k.relax[2], "validate_relax_4", relaxThreads},
			{&k.relax[3], "validate_relax_8", relaxThreads},
			{&k.distances, "validate_distances", vertexThreads},
			{&k.leastWeight, "validate_least_weight", vertexThreads},
			{&k.apart, "validate_apart", vertexThreads},
			{&k.apartTogether, "validate_apart_together", vertexThreads},
			{&k.place, "validate_place", vertexThreads},
			{&k.take, "validate_take", vertexThreads},
		},
	}
	for i, module := range modules(kernel, wide) {
		if err := find(d, module, found[i]); err != nil {
			return nil, err
		}
	}
	k.keep.blocks = 1
	return k, nil
}

// wanted is a kernel to find.
type wanted struct {
	to      *gridKernel
	name    string
	threads int
}

// find looks up kernels in a module.
func find(d *device.Device, module string, list []wanted) error {
	m, err := d.Load("validate", images, module)
	if err != nil {
		return err
	}
	for _, x := range list {
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
