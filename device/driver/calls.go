//go:build cuda

package driver

// #include <stdint.h>
// #include <stdlib.h>
// int cuLaunchCooperativeKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **);
// int cuFuncSetAttribute(void *, int, int);
// int cuMemHostAlloc(void **, size_t, unsigned);
// int cuMemHostGetDevicePointer_v2(uint64_t *, void *, unsigned);
// int cuDeviceGetPCIBusId(char *, int, int);
// int cuStreamQuery(void *);
// int cuCtxSetCurrent(void *);
//
// static int launch_cooperative(void *f, unsigned grid, unsigned block, unsigned shared, void *stream, uint64_t *args, int n)
// {
//	void *at[n + 1]; // one more: a length of zero is not C
//	for (int i = 0; i < n; i++)
//		at[i] = &args[i];
//	return cuLaunchCooperativeKernel(f, grid, 1, 1, block, 1, 1, shared, stream, at);
// }
//
// enum { not_ready = 600 };
//
// static inline void pause_a_little(void)
// {
// #if defined(__x86_64__)
//	__builtin_ia32_pause();
// #elif defined(__aarch64__)
//	__asm__ volatile("yield");
// #endif
// }
//
// static int await(void *context, const volatile uint32_t *flag, void *stream, int times)
// {
//	while (times-- > 0) {
//		if (*flag)
//			return 0;
//		pause_a_little();
//	}
//	const int code = cuCtxSetCurrent(context);
//	return code ? code : cuStreamQuery(stream);
// }
import "C"

import (
	"errors"
	"unsafe"

	"gorgonia.org/cu"
)

// A cu.CUContext, a cu.Function and a cu.Stream are one pointer wide; this fails
// to compile when one is not.
var (
	_ [8]byte = [unsafe.Sizeof(cu.CUContext{})]byte{}
	_ [8]byte = [unsafe.Sizeof(cu.Function{})]byte{}
	_ [8]byte = [unsafe.Sizeof(cu.Stream{})]byte{}
)

// Numbers of cuda.h that gorgonia.org/cu lacks.
const (
	maxDynamicShared = 8 // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
	hostPortable     = 1 // CU_MEMHOSTALLOC_PORTABLE
	hostDeviceMap    = 2 // CU_MEMHOSTALLOC_DEVICEMAP

	// MaxSharedOptIn is the attribute of a device that says how many bytes of
	// shared memory a block may have after AllowShared.
	MaxSharedOptIn cu.DeviceAttribute = 97
)

// LaunchCooperative launches f on one dimension so that its whole grid may
// synchronise. Each argument is the bits of one parameter of at most 8 bytes.
func LaunchCooperative(f cu.Function, grid, block, shared int, stream cu.Stream, args []uint64) error {
	return check(C.launch_cooperative(*(*unsafe.Pointer)(unsafe.Pointer(&f)), C.uint(grid), C.uint(block), C.uint(shared),
		*(*unsafe.Pointer)(unsafe.Pointer(&stream)), (*C.uint64_t)(unsafe.SliceData(args)), C.int(len(args))))
}

// Await looks up to that many times at a flag that the stream's work sets,
// which takes some ten nanoseconds each, and then asks the driver, which takes a
// microsecond, whether that work is done or failed. The stream is of the context.
func Await(context cu.CUContext, flag *uint32, stream cu.Stream, times int) (bool, error) {
	code := C.await(*(*unsafe.Pointer)(unsafe.Pointer(&context)), (*C.uint32_t)(unsafe.Pointer(flag)), *(*unsafe.Pointer)(unsafe.Pointer(&stream)), C.int(times))
	if code == C.not_ready {
		return false, nil
	}
	return code == 0, check(code)
}

// AllowShared lets a launch of f ask for that many bytes of dynamic shared
// memory, which must be done beyond 48 KiB.
func AllowShared(f cu.Function, bytes int) error {
	return check(C.cuFuncSetAttribute(*(*unsafe.Pointer)(unsafe.Pointer(&f)), maxDynamicShared, C.int(bytes)))
}

// HostAlloc returns page-locked host memory and its address on the device.
// cu.MemFreeHost gives it back.
func HostAlloc(bytes int) (host unsafe.Pointer, device uint64, err error) {
	if err := check(C.cuMemHostAlloc(&host, C.size_t(bytes), hostPortable|hostDeviceMap)); err != nil {
		return nil, 0, err
	}
	var address C.uint64_t
	if err := check(C.cuMemHostGetDevicePointer_v2(&address, host, 0)); err != nil {
		return nil, 0, errors.Join(err, cu.MemFreeHost(host))
	}
	return host, uint64(address), nil
}

// BusID returns the PCI bus id of a device, such as "0000:1b:00.0".
func BusID(d cu.Device) (string, error) {
	var text [32]C.char
	if err := check(C.cuDeviceGetPCIBusId(&text[0], C.int(len(text)), C.int(d))); err != nil {
		return "", err
	}
	return C.GoString(&text[0]), nil
}
