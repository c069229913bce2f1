//go:build cuda

package kernels

const (
	validateThreads = 256 // of a block of the kernels over vertices
	tupleThreads    = 512 // of a block of the kernels over tuples (validate_tuples.cu)
)

// validateKernels are the kernels of validate_depths.cu and validate_tuples.cu.
type validateKernels struct {
	start, settle, unsettled, hash gridKernel
	jumpStart, jump, widen         gridKernel
	tuples                         [4]gridKernel // by form
	unjoined, unjoinedWide         gridKernel
	mark                           gridKernel
	keep                           *Kernel
}

// gridKernel is a kernel whose threads stride over their work, with as many
// blocks as the device holds at once.
type gridKernel struct {
	kernel          *Kernel
	blocks, threads int
}

func (k gridKernel) launch(args ...uint64) error {
	return k.kernel.Launch(k.blocks, k.threads, 0, args...)
}

func newGridKernel(d *Device, module, name string, threads int) (gridKernel, error) {
	kernel, err := d.Kernel(module, name)
	if err != nil {
		return gridKernel{}, err
	}
	perSM, err := kernel.BlocksPerSM(threads, 0)
	return gridKernel{kernel, perSM * d.Properties().SMs, threads}, err
}

// load finds the kernels in their modules.
func (k *validateKernels) load(d *Device) error {
	for _, x := range []struct {
		to      *gridKernel
		module  string
		name    string
		threads int
	}{
		{&k.start, "validate_depths", "validate_start", validateThreads},
		{&k.settle, "validate_depths", "validate_settle", validateThreads},
		{&k.unsettled, "validate_depths", "validate_unsettled", validateThreads},
		{&k.hash, "validate_depths", "validate_hash", validateThreads},
		{&k.jumpStart, "validate_depths", "validate_jump_start", validateThreads},
		{&k.jump, "validate_depths", "validate_jump", validateThreads},
		{&k.widen, "validate_depths", "validate_widen", validateThreads},
		{&k.tuples[hashedBytes], "validate_tuples", "validate_tuples_hashed", tupleThreads},
		{&k.tuples[plainBytes], "validate_tuples", "validate_tuples_plain", tupleThreads},
		{&k.tuples[wideEntries], "validate_tuples", "validate_tuples_wide", tupleThreads},
		{&k.tuples[countedBits], "validate_tuples", "validate_count", tupleThreads},
		{&k.unjoined, "validate_tuples", "validate_unjoined", validateThreads},
		{&k.unjoinedWide, "validate_tuples", "validate_unjoined_wide", validateThreads},
		{&k.mark, "validate_tuples", "validate_mark", validateThreads},
	} {
		var err error
		if *x.to, err = newGridKernel(d, x.module, x.name, x.threads); err != nil {
			return err
		}
	}
	var err error
	k.keep, err = d.Kernel("validate_tuples", "validate_keep")
	return err
}
