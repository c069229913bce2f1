//go:build cuda

package kernels

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"gorgonia.org/cu"

	"graph500/kernels/driver"
)

// Device is one GPU: a context of this process on it, one stream, in which
// everything happens in order, and the loaded modules.
//
// Driver calls go to the context that is current on the calling thread, so
// every goroutine that uses the device, or an array, a kernel or an event of
// it, must hold it by Use. Open and Close do not need it.
type Device struct {
	device     cu.Device
	context    cu.CUContext
	stream     cu.Stream
	modules    map[string]cu.Module // by the name of the .cu file
	properties Properties
}

// Open makes a context on the GPU with that ordinal, counted over the devices
// that CUDA_VISIBLE_DEVICES leaves, and loads every module.
func Open(ordinal int) (*Device, error) { return open(ordinal, anyImage) }

func open(ordinal int, images imageChoice) (*Device, error) {
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
	d := &Device{}
	if d.device, err = cu.GetDevice(ordinal); err != nil {
		return nil, failed("cuDeviceGet", err)
	}
	if d.properties, err = properties(d.device); err != nil {
		return nil, err
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
	if err := d.loadModules(images); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := cu.SetCurrentContext(cu.CUContext{}); err != nil {
		return nil, errors.Join(failed("cuCtxSetCurrent", err), d.Close())
	}
	return d, nil
}

// Use ties the goroutine to its thread and makes the device's context current
// there, until release is called. It takes well under a microsecond and may be
// nested.
func (d *Device) Use() (release func(), err error) {
	runtime.LockOSThread()
	if err := cu.SetCurrentContext(d.context); err != nil {
		runtime.UnlockOSThread()
		return nil, failed("cuCtxSetCurrent", err)
	}
	return runtime.UnlockOSThread, nil
}

// Memory returns the bytes of the device's memory that are free, and all. What
// other processes took is not free.
func (d *Device) Memory() (free, total uint64, err error) {
	f, t, err := cu.MemInfo()
	if err != nil {
		return 0, 0, failed("cuMemGetInfo", err)
	}
	return uint64(f), uint64(t), nil
}

// Synchronize waits until everything launched so far is done. An error may
// come from any of it.
func (d *Device) Synchronize() error {
	return failed("cuStreamSynchronize", d.stream.Synchronize())
}

// Await looks up to that many times, some ten nanoseconds each, for a word other
// than 0 that a kernel writes when it is done, and then asks the driver whether
// everything launched so far is done. An error may come from any of it.
func (d *Device) Await(flag *HostArray[uint32], times int) (bool, error) {
	done, err := driver.Await(&flag.host[0], d.stream, times)
	return done, failed("cuStreamQuery", err)
}

// Close gives the device back with all its memory. Arrays, kernels and events
// of it are gone with it; launch graphs are closed before.
func (d *Device) Close() error {
	if d.context == (cu.CUContext{}) {
		return nil
	}
	return failed("cuCtxDestroy", d.context.Destroy())
}
