//go:build cuda

package driver

// #include <stdint.h>
// #include <stdlib.h>
// int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
// int cuLaunchCooperativeKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **);
// int cuFuncSetAttribute(void *, int, int);
// int cuMemHostAlloc(void **, size_t, unsigned);
// int cuMemHostRegister_v2(void *, size_t, unsigned);
// int cuMemHostUnregister(void *);
// int cuMemAllocManaged(void **, size_t, unsigned);
// int cuMemHostGetDevicePointer_v2(uint64_t *, void *, unsigned);
// int cuDeviceGetPCIBusId(char *, int, int);
// int cuStreamQuery(void *);
// int cuCtxSetCurrent(void *);
//
// static int launch(void *context, void *f, int cooperative, unsigned grid, unsigned block, unsigned shared, void *stream, uint64_t *args, int n)
// {
//	void *pointers[n + 1]; // + 1: C forbids an array of length 0
//	for (int i = 0; i < n; i++)
//		pointers[i] = &args[i];
//	const int code = cuCtxSetCurrent(context);
//	if (code)
//		return code;
//	if (cooperative)
//		return cuLaunchCooperativeKernel(f, grid, 1, 1, block, 1, 1, shared, stream, pointers);
//	return cuLaunchKernel(f, grid, 1, 1, block, 1, 1, shared, stream, pointers, 0);
// }
//
// enum { not_ready = 600 };
//
// // spin_pause lowers the cost of a spin loop for the other hardware thread.
// static inline void spin_pause(void)
// {
// #if defined(__x86_64__)
//	__builtin_ia32_pause();
// #elif defined(__aarch64__)
//	__asm__ volatile("yield");
// #endif
// }
//
// static int await(void *context, const volatile uint32_t *flag, void *stream, int polls)
// {
//	while (polls-- > 0) {
//		if (*flag)
//			return 0;
//		spin_pause();
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

// Compile-time check: cu.CUContext, cu.Function and cu.Stream have the size of a
// pointer.
var (
	_ [8]byte = [unsafe.Sizeof(cu.CUContext{})]byte{}
	_ [8]byte = [unsafe.Sizeof(cu.Function{})]byte{}
	_ [8]byte = [unsafe.Sizeof(cu.Stream{})]byte{}
)

// Constants of cuda.h that gorgonia.org/cu does not define.
const (
	maxDynamicShared = 8 // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
	hostPortable     = 1 // CU_MEMHOSTALLOC_PORTABLE
	attachGlobal     = 1 // CU_MEM_ATTACH_GLOBAL
	hostDeviceMap    = 2 // CU_MEMHOSTALLOC_DEVICEMAP

	registerPortable  = 1 // CU_MEMHOSTREGISTER_PORTABLE
	registerDeviceMap = 2 // CU_MEMHOSTREGISTER_DEVICEMAP

	// MaxSharedOptIn is the device attribute for the largest shared memory of a
	// block in bytes, available after AllowShared
	// (CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN).
	MaxSharedOptIn cu.DeviceAttribute = 97
)

// Launch launches f, a kernel of the context, cooperatively if its grid is to
// synchronise. Grid and block have one dimension. Each argument holds the bits of one
// parameter of at most 8 bytes. It is one call from Go into C. cu.Function.Launch is
// five, and needs the context to be current.
func Launch(context cu.CUContext, f cu.Function, cooperative bool, grid, block, shared int, stream cu.Stream, args []uint64) error {
	var flag C.int
	if cooperative {
		flag = 1
	}
	return check(C.launch(*(*unsafe.Pointer)(unsafe.Pointer(&context)), *(*unsafe.Pointer)(unsafe.Pointer(&f)), flag, C.uint(grid), C.uint(block), C.uint(shared),
		*(*unsafe.Pointer)(unsafe.Pointer(&stream)), (*C.uint64_t)(unsafe.SliceData(args)), C.int(len(args))))
}

// Await reports whether the work of a stream of the context is done. It polls a flag
// that the work sets, up to polls times at about ten nanoseconds each. If the flag
// stays 0, Await queries the driver, which takes about a microsecond and also
// reports a failure of the work.
func Await(context cu.CUContext, flag *uint32, stream cu.Stream, polls int) (bool, error) {
	code := C.await(*(*unsafe.Pointer)(unsafe.Pointer(&context)), (*C.uint32_t)(unsafe.Pointer(flag)), *(*unsafe.Pointer)(unsafe.Pointer(&stream)), C.int(polls))
	if code == C.not_ready {
		return false, nil
	}
	return code == 0, check(code)
}

// AllowShared raises the dynamic shared memory limit of f to that many bytes, which
// launches with more than 48 KiB need.
func AllowShared(f cu.Function, bytes int) error {
	return check(C.cuFuncSetAttribute(*(*unsafe.Pointer)(unsafe.Pointer(&f)), maxDynamicShared, C.int(bytes)))
}

// HostAlloc allocates page-locked host memory and returns its host and its device
// address. cu.MemFreeHost frees it.
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

// HostRegister page-locks host memory and maps it into the address space of the devices.
// The context must be current.
func HostRegister(host []byte) error {
	return check(C.cuMemHostRegister_v2(unsafe.Pointer(unsafe.SliceData(host)), C.size_t(len(host)), registerPortable|registerDeviceMap))
}

// HostUnregister unlocks memory that HostRegister page-locked at once.
func HostUnregister(host []byte) error {
	return check(C.cuMemHostUnregister(unsafe.Pointer(unsafe.SliceData(host))))
}

// ManagedAlloc allocates managed memory, which host and device access at the same address.
// cu.MemFree frees it.
func ManagedAlloc(bytes int) (at unsafe.Pointer, err error) {
	err = check(C.cuMemAllocManaged(&at, C.size_t(bytes), attachGlobal))
	return at, err
}

// BusID returns the PCI bus id of a device, such as "0000:1b:00.0".
func BusID(d cu.Device) (string, error) {
	var text [32]C.char
	if err := check(C.cuDeviceGetPCIBusId(&text[0], C.int(len(text)), C.int(d))); err != nil {
		return "", err
	}
	return C.GoString(&text[0]), nil
}
