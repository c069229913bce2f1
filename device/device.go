//go:build cuda

package device

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"gorgonia.org/cu"

	"graph500/device/driver"
)

// Device is one GPU: a context of this process on it, one stream, in which
// everything happens in order, an arena, and the modules that were loaded.
type Device struct {
	options    Options
	device     cu.Device
	context    cu.CUContext
	stream     cu.Stream
	modules    map[string]*Module // by key of Load
	properties Properties
	arena      arena
}

// Options say how a device is opened.
type Options struct {
	// OnlyPTX has the driver compile the PTX of modules even where it could
	// load machine code.
	OnlyPTX bool

	// Separate gives each array an allocation of its own in place of a part of
	// the arena, so that what checks accesses to memory sees the ends of arrays.
	Separate bool
}

// Open makes a context on the GPU with that ordinal, counted over the devices
// that CUDA_VISIBLE_DEVICES leaves.
func Open(ordinal int, options Options) (*Device, error) {
	if err := driver.Load(); err != nil {
		return nil, err
	}
	n, err := cu.NumDevices()
	if err != nil {
		return nil, failed("cuDeviceGetCount", err)
	}
	if ordinal < 0 || ordinal >= n {
		message := fmt.Sprintf("no such GPU: the last one is GPU %d", n-1)
		if visible, ok := os.LookupEnv("CUDA_VISIBLE_DEVICES"); ok {
			message += fmt.Sprintf(" (CUDA_VISIBLE_DEVICES=%s)", visible)
		}
		return nil, errors.New(message)
	}
	d := &Device{options: options, modules: make(map[string]*Module)}
	if d.device, err = cu.GetDevice(ordinal); err != nil {
		return nil, failed("cuDeviceGet", err)
	}
	if d.properties, err = properties(d.device); err != nil {
		return nil, err
	}
	if c := d.properties.Compute; c[0] < driver.MinCompute { // where another device has more
		return nil, fmt.Errorf("%s has compute capability %d.%d, the kernels need %d.0 or later", d.properties.Name, c[0], c[1], driver.MinCompute)
	}

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Spinning waits see the end of a search some microseconds earlier.
	if d.context, err = d.device.MakeContext(cu.SchedSpin | cu.MapHost); err != nil {
		return nil, failed(fmt.Sprintf("cuCtxCreate on GPU %d", ordinal), err)
	}
	// Host copies happen in the stream named NULL, which an ordinary stream
	// like this one waits for, and which waits for it.
	if d.stream, err = cu.MakeStream(cu.DefaultStream); err != nil {
		return nil, errors.Join(failed("cuStreamCreate", err), d.Close())
	}
	if err := cu.SetCurrentContext(cu.CUContext{}); err != nil {
		return nil, errors.Join(failed("cuCtxSetCurrent", err), d.Close())
	}
	return d, nil
}

// do makes a call of the driver with the device's context current on the
// thread, which takes well under a microsecond.
func (d *Device) do(call func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.SetCurrentContext(d.context); err != nil {
		return failed("cuCtxSetCurrent", err)
	}
	return call()
}

// Memory returns the bytes of the device's memory that are free, and all. What
// other processes took is not free.
func (d *Device) Memory() (free, total uint64, err error) {
	err = d.do(func() error {
		f, t, err := cu.MemInfo()
		free, total = uint64(f), uint64(t)
		return failed("cuMemGetInfo", err)
	})
	return free, total, err
}

// Synchronize waits until everything launched so far is done. An error may
// come from any of it.
func (d *Device) Synchronize() error {
	return d.do(func() error { return failed("cuStreamSynchronize", d.stream.Synchronize()) })
}

// Await looks up to that many times, some ten nanoseconds each, for a word other
// than 0 that a kernel writes when it is done, and then asks the driver whether
// everything launched so far is done. An error may come from any of it.
func (d *Device) Await(flag *HostArray[uint32], times int) (bool, error) {
	done, err := driver.Await(d.context, &flag.host[0], d.stream, times)
	return done, failed("cuStreamQuery", err)
}

// Close gives the device back with all its memory. Arrays, modules, kernels and
// events of it are gone with it; launch graphs are closed before.
func (d *Device) Close() error {
	if d.context == (cu.CUContext{}) {
		return nil
	}
	return failed("cuCtxDestroy", d.context.Destroy())
}
