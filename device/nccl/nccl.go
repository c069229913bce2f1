//go:build cuda

package nccl

// #cgo LDFLAGS: -Wl,--as-needed -ldl
// #include <stdlib.h>
// #include "library.h"
//
// // The table of the process. C calls its entry points, because Go cannot.
// static struct graph500_nccl nccl;
//
// static const char *bind(const char *library) { return graph500_nccl_bind(&nccl, library); }
// static int version(int *v) { return nccl.ncclGetVersion(v); }
// static int unique_id(struct graph500_nccl_id *id) { return nccl.ncclGetUniqueId(id); }
// static const char *error_string(int code) { return nccl.ncclGetErrorString(code); }
// static int init_rank(void **comm, int ranks, struct graph500_nccl_id *id, int rank) { return nccl.ncclCommInitRank(comm, ranks, *id, rank); }
// static int comm_abort(void *comm) { return nccl.ncclCommAbort(comm); }
// static int async_error(void *comm, int *code) { return nccl.ncclCommGetAsyncError(comm, code); }
// static int group_start(void) { return nccl.ncclGroupStart(); }
// static int group_end(void) { return nccl.ncclGroupEnd(); }
//
// enum { bytes = 1 }; // ncclUint8
//
// // Addresses of the device come as numbers.
// static int all_gather(unsigned long long from, unsigned long long to, size_t count, void *comm, void *stream)
// {
//	return nccl.ncclAllGather((const void *)from, (void *)to, count, bytes, comm, stream);
// }
// static int send(unsigned long long from, size_t count, int peer, void *comm, void *stream)
// {
//	return nccl.ncclSend((const void *)from, count, bytes, peer, comm, stream);
// }
// static int receive(unsigned long long to, size_t count, int peer, void *comm, void *stream)
// {
//	return nccl.ncclRecv((void *)to, count, bytes, peer, comm, stream);
// }
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"
)

// Result is a return code of NCCL (ncclResult_t) other than 0, which means success.
type Result int

func (r Result) Error() string {
	return fmt.Sprintf("%s (%d)", C.GoString(C.error_string(C.int(r))), int(r))
}

// inProgress is ncclInProgress.
const inProgress = 7

// check returns an error with the name of the function unless its code is 0.
func check(function string, code C.int) error {
	if code == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w", function, Result(code))
}

// Load loads the library at its first call: libnccl.so.2, or that of GRAPH500_NCCL. Later
// calls return the same result.
func Load() error { return load() }

var load = sync.OnceValue(func() error {
	name := C.CString(cmp.Or(os.Getenv("GRAPH500_NCCL"), "libnccl.so.2"))
	defer C.free(unsafe.Pointer(name))
	if message := C.bind(name); message != nil {
		return fmt.Errorf("no NCCL: %s (GRAPH500_NCCL names another file)", C.GoString(message))
	}
	return nil
})

// Version returns the version of the library, such as "2.28.3".
func Version() (string, error) {
	var v C.int
	err := check("ncclGetVersion", C.version(&v))
	return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100), err
}

// ID identifies the communicator of all devices (ncclUniqueId).
type ID [C.sizeof_struct_graph500_nccl_id]byte

// NewID returns a new identifier. One rank calls it and tells the others.
func NewID() (id ID, err error) {
	err = check("ncclGetUniqueId", C.unique_id((*C.struct_graph500_nccl_id)(unsafe.Pointer(&id))))
	return id, err
}

// Comm is a device's place in a communicator (ncclComm_t). The calls of a Comm need the
// context of its device on the thread.
type Comm struct {
	comm   unsafe.Pointer
	pinner runtime.Pinner // NCCL writes comm at the end of the Group
}

// Join adds the device whose context is current, a primary one, to the communicator of that
// many devices. It waits for the others; several devices of a thread join in a Group.
// Joined follows its end.
func (c *Comm) Join(id ID, devices, number int) error {
	c.pinner.Pin(&c.comm)
	return check("ncclCommInitRank", C.init_rank(&c.comm, C.int(devices), (*C.struct_graph500_nccl_id)(unsafe.Pointer(&id)), C.int(number)))
}

// Joined says that NCCL has stored the communicator.
func (c *Comm) Joined() { c.pinner.Unpin() }

// AllGather gathers bytes bytes of each device, those from address on, to the addresses from
// to on, in the order of the devices. from may be the device's place there.
func (c *Comm) AllGather(from, to uint64, bytes int, stream unsafe.Pointer) error {
	return check("ncclAllGather", C.all_gather(C.ulonglong(from), C.ulonglong(to), C.size_t(bytes), c.comm, stream))
}

// Send sends bytes to a device, which receives them.
func (c *Comm) Send(from uint64, bytes, to int, stream unsafe.Pointer) error {
	return check("ncclSend", C.send(C.ulonglong(from), C.size_t(bytes), C.int(to), c.comm, stream))
}

// Receive receives bytes of a device.
func (c *Comm) Receive(to uint64, bytes, from int, stream unsafe.Pointer) error {
	return check("ncclRecv", C.receive(C.ulonglong(to), C.size_t(bytes), C.int(from), c.comm, stream))
}

// Problem returns the error that the communicator has had since, nil if there is none.
func (c *Comm) Problem() error {
	var code C.int
	if err := check("ncclCommGetAsyncError", C.async_error(c.comm, &code)); err != nil {
		return err
	}
	if code == inProgress {
		return nil
	}
	return check("NCCL", code)
}

// Abort ends what the communicator still does on the device, and frees it. It does not wait
// for the other devices, and may be called while another thread waits for the device.
func (c *Comm) Abort() error { return check("ncclCommAbort", C.comm_abort(c.comm)) }

// Group executes all operations that calls begins as one. The goroutine must be locked to its
// thread.
func Group(calls func() error) error {
	if err := check("ncclGroupStart", C.group_start()); err != nil {
		return err
	}
	err := calls()
	return errors.Join(err, check("ncclGroupEnd", C.group_end()))
}
