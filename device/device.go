//go:build cuda

package device

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"gorgonia.org/cu"

	"graph500/device/driver"
)

// Device is one GPU: a context of this process on it, one stream, which orders all
// work, a memory arena, and the loaded modules.
type Device struct {
	options    Options
	device     cu.Device
	context    cu.CUContext
	stream     cu.Stream
	modules    map[string]*Module // by owner and name (Load)
	properties Properties
	arena      arena
}

// Options configure Open.
type Options struct {
	// OnlyPTX makes the driver compile the PTX of modules even if the machine code
	// fits the device.
	OnlyPTX bool

	// Separate allocates each array separately from the driver instead of from the
	// arena, so that a memory checker detects accesses beyond the end of an array.
	Separate bool

	// LockPiece is the number of bytes that Locked and Lock page-lock between two checks
	// of the context, a multiple of the page size; 0: 1 GiB.
	LockPiece int

	// Primary takes the primary context of the device, which other libraries of this process
	// use too, such as NCCL, instead of a context of its own.
	Primary bool

	// Pageable makes Lock behave as if the driver refused to page-lock the memory.
	Pageable bool
}

// Open creates a context on the GPU with that ordinal among the devices that
// CUDA_VISIBLE_DEVICES selects.
func Open(ordinal int, options Options) (*Device, error) {
	if err := driver.Load(); err != nil {
		return nil, err
	}
	n, err := cu.NumDevices()
	if err != nil {
		return nil, failed("cuDeviceGetCount", err)
	}
	if err := checkOrdinal(ordinal, n); err != nil {
		return nil, err
	}
	d := &Device{options: options, modules: make(map[string]*Module)}
	if d.device, err = cu.GetDevice(ordinal); err != nil {
		return nil, failed("cuDeviceGet", err)
	}
	if d.properties, err = properties(d.device); err != nil {
		return nil, err
	}
	if c := d.properties.Compute; c[0] < driver.MinCompute { // driver.Load accepts any one suitable device
		return nil, fmt.Errorf("%s has compute capability %d.%d, the kernels need %d.0 or later", d.properties.Name, c[0], c[1], driver.MinCompute)
	}

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.makeContext(); err != nil {
		return nil, fmt.Errorf("GPU %d: %w", ordinal, err)
	}
	// Copies between host and device run in the NULL stream. It synchronises with
	// this stream, which is a blocking one.
	if d.stream, err = cu.MakeStream(cu.DefaultStream); err != nil {
		return nil, errors.Join(failed("cuStreamCreate", err), d.Close())
	}
	if err := cu.SetCurrentContext(cu.CUContext{}); err != nil {
		return nil, errors.Join(failed("cuCtxSetCurrent", err), d.Close())
	}
	return d, nil
}

// checkOrdinal requires that there is a GPU with that ordinal among n.
func checkOrdinal(ordinal, n int) error {
	if ordinal >= 0 && ordinal < n {
		return nil
	}
	message := fmt.Sprintf("no such GPU: the last one is GPU %d", n-1)
	if visible, ok := os.LookupEnv("CUDA_VISIBLE_DEVICES"); ok {
		message += fmt.Sprintf(" (CUDA_VISIBLE_DEVICES=%s)", visible)
	}
	return errors.New(message)
}

// makeContext makes the context current on the thread.
func (d *Device) makeContext() (err error) {
	// Spinning detects the end of a search a few microseconds earlier than blocking.
	const flags = cu.SchedSpin | cu.MapHost
	if !d.options.Primary {
		d.context, err = d.device.MakeContext(flags)
		return failed("cuCtxCreate", err)
	}
	// Primary contexts always map the host's memory, and refuse the flag for it.
	if err := d.device.SetPrimaryCtxFlags(cu.SchedSpin); err != nil {
		return failed("cuDevicePrimaryCtxSetFlags", err)
	}
	if d.context, err = d.device.RetainPrimaryCtx(); err != nil {
		return failed("cuDevicePrimaryCtxRetain", err)
	}
	if err := cu.SetCurrentContext(d.context); err != nil {
		return errors.Join(failed("cuCtxSetCurrent", err), d.leavePrimary())
	}
	return nil
}

// WithStream calls a function of another library with the device's context current on the
// thread, and the device's stream, a CUstream.
func (d *Device) WithStream(call func(stream unsafe.Pointer) error) error {
	return d.do(func() error { return call(*(*unsafe.Pointer)(unsafe.Pointer(&d.stream))) })
}

// do calls the driver with the device's context current on the thread. Setting the
// context takes well under a microsecond.
func (d *Device) do(call func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.SetCurrentContext(d.context); err != nil {
		return failed("cuCtxSetCurrent", err)
	}
	return call()
}

// Memory returns the free and the total bytes of the device's memory. Memory of
// other processes is not free.
func (d *Device) Memory() (free, total uint64, err error) {
	err = d.do(func() error {
		f, t, err := cu.MemInfo()
		free, total = uint64(f), uint64(t)
		return failed("cuMemGetInfo", err)
	})
	return free, total, err
}

// Synchronize waits for all work launched so far. An error may come from any of it.
func (d *Device) Synchronize() error {
	return d.do(func() error { return failed("cuStreamSynchronize", d.stream.Synchronize()) })
}

// Await polls a flag that a kernel sets to a non-zero word when it ends, up to polls
// times at about ten nanoseconds each. If the flag stays 0, Await asks the driver
// whether all work launched so far is done. An error may come from any of it.
func (d *Device) Await(flag *HostArray[uint32], polls int) (bool, error) {
	done, err := driver.Await(d.context, &flag.host[0], d.stream, polls)
	return done, failed("cuStreamQuery", err)
}

// Close destroys the context with all its memory, modules, kernels and events.
// Launch graphs must be closed before.
func (d *Device) Close() error {
	if d.context == (cu.CUContext{}) {
		return nil
	}
	if d.options.Primary {
		return d.leavePrimary()
	}
	return failed("cuCtxDestroy", d.context.Destroy())
}

// leavePrimary frees what the device has in the primary context, which other libraries may
// keep, and leaves it.
func (d *Device) leavePrimary() error {
	err := d.do(func() error {
		var errs []error
		for _, m := range d.modules {
			errs = append(errs, failed("cuModuleUnload", m.module.Unload()))
		}
		if d.arena.base != 0 {
			errs = append(errs, failed("cuMemFree of the arena", cu.MemFree(cu.DevicePtr(d.arena.base))))
		}
		if d.stream != (cu.Stream{}) {
			errs = append(errs, failed("cuStreamDestroy", d.stream.Destroy()))
		}
		return errors.Join(errs...)
	})
	d.context, d.arena = cu.CUContext{}, arena{}
	return errors.Join(err, failed("cuDevicePrimaryCtxRelease", d.device.ReleasePrimaryCtx()))
}
