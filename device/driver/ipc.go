//go:build cuda

package driver

// #include <stdint.h>
//
// // CUipcMemHandle.
// struct memory_handle {
//	char bytes[64];
// };
//
// int cuIpcGetMemHandle(struct memory_handle *, uint64_t);
// int cuIpcOpenMemHandle_v2(uint64_t *, struct memory_handle, unsigned);
// int cuIpcCloseMemHandle(uint64_t);
//
// enum { lazy_enable_peer_access = 1 }; // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
import "C"

import "unsafe"

// MemoryHandle names an allocation of device memory to other processes of the host.
type MemoryHandle [64]byte

// ExportMemory returns the handle of the allocation that begins at an address. The context
// must be current.
func ExportMemory(address uint64) (h MemoryHandle, err error) {
	err = check(C.cuIpcGetMemHandle((*C.struct_memory_handle)(unsafe.Pointer(&h)), C.uint64_t(address)))
	return h, err
}

// OpenMemory returns the address of an allocation of another process, which must not free
// it before CloseMemory. The context must be current. Its device may be another one than that
// of the memory, if it can access it.
func OpenMemory(h MemoryHandle) (address uint64, err error) {
	var at C.uint64_t
	err = check(C.cuIpcOpenMemHandle_v2(&at, *(*C.struct_memory_handle)(unsafe.Pointer(&h)), C.lazy_enable_peer_access))
	return uint64(at), err
}

// CloseMemory ends the access to an allocation that OpenMemory opened, in the same context.
func CloseMemory(address uint64) error { return check(C.cuIpcCloseMemHandle(C.uint64_t(address))) }
