//go:build cuda

package validate

import "graph500/device"

const (
	validateThreads = 256 // of a block of the kernels over vertices
	tupleThreads    = 512 // of a block of the kernels over tuples (tuples.cu)

	hashedDeepest = 15 // the largest depth+1 of a table of bytes with 4 bits of depth
)

// kernels are those of depths.cu and tuples.cu.
type kernels struct {
	start, settle, unsettled, hash gridKernel
	jumpStart, jump, widen         gridKernel
	tuples                         [4]gridKernel // by form
	unjoined, unjoinedWide         gridKernel
	mark                           gridKernel
	keep                           gridKernel
}

// gridKernel is a kernel whose threads stride over their work, with as many
// blocks as the device holds at once.
type gridKernel struct {
	kernel          *device.Kernel
	blocks, threads int
}

func (k gridKernel) launch(args ...uint64) error {
	return k.kernel.Launch(k.blocks, k.threads, 0, args...)
}

// find returns the kernels of the modules.
func find(d *device.Device) (*kernels, error) {
	k := &kernels{}
	for _, x := range []struct {
		to      *gridKernel
		module  string
		name    string
		threads int
	}{
		{&k.start, "depths", "validate_start", validateThreads},
		{&k.settle, "depths", "validate_settle", validateThreads},
		{&k.unsettled, "depths", "validate_unsettled", validateThreads},
		{&k.hash, "depths", "validate_hash", validateThreads},
		{&k.jumpStart, "depths", "validate_jump_start", validateThreads},
		{&k.jump, "depths", "validate_jump", validateThreads},
		{&k.widen, "depths", "validate_widen", validateThreads},
		{&k.tuples[hashedBytes], "tuples", "validate_tuples_hashed", tupleThreads},
		{&k.tuples[plainBytes], "tuples", "validate_tuples_plain", tupleThreads},
		{&k.tuples[wideEntries], "tuples", "validate_tuples_wide", tupleThreads},
		{&k.tuples[countedBits], "tuples", "validate_count", tupleThreads},
		{&k.unjoined, "tuples", "validate_unjoined", validateThreads},
		{&k.unjoinedWide, "tuples", "validate_unjoined_wide", validateThreads},
		{&k.mark, "tuples", "validate_mark", validateThreads},
		{&k.keep, "tuples", "validate_keep", 1},
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
