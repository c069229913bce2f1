//go:build cuda

package nccl

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"graph500/library"
)

// nccl is the functions of the library. Communicators, streams and addresses of devices are
// addresses.
var nccl struct {
	GetVersion    func(version *int32) Result                                `symbol:"ncclGetVersion"`
	GetUniqueID   func(*ID) Result                                           `symbol:"ncclGetUniqueId"`
	ErrorString   func(Result) string                                        `symbol:"ncclGetErrorString"`
	CommInitRank  func(comm *uintptr, ranks int32, id ID, rank int32) Result `symbol:"ncclCommInitRank"`
	CommAbort     library.Function                                           `symbol:"ncclCommAbort"`
	GetAsyncError library.Function                                           `symbol:"ncclCommGetAsyncError"`
	AllGather     library.Function                                           `symbol:"ncclAllGather"`
	Send          library.Function                                           `symbol:"ncclSend"`
	Recv          library.Function                                           `symbol:"ncclRecv"`
	GroupStart    library.Function                                           `symbol:"ncclGroupStart"`
	GroupEnd      library.Function                                           `symbol:"ncclGroupEnd"`
}

// dataType is ncclUint8: all data is bytes.
const dataType = 1

// Result is a return code of NCCL (ncclResult_t). 0 means success and is never returned as
// an error.
type Result int32

func (r Result) Error() string { return fmt.Sprintf("%s (%d)", nccl.ErrorString(r), int(r)) }

// inProgress is ncclInProgress.
const inProgress = 7

// check returns an error with the name of the function unless its code is 0.
func check(function string, code Result) error {
	if code == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w", function, code)
}

// call calls a function that returns a code.
//
//go:uintptrescapes
func call(f library.Function, arguments ...uintptr) Result { return Result(f.Call(arguments...)) }

// Load loads the library at its first call: libnccl.so.2, or that of GRAPH500_NCCL. Later
// calls return the same result.
func Load() error { return load() }

var load = sync.OnceValue(func() error {
	// NCCL reads its variables when it is loaded, or later. Multicast objects of NVLink can
	// put GPUs that others use too out of service. All connections are made when the devices
	// join.
	err := errors.Join(os.Setenv("NCCL_NVLS_ENABLE", "0"), os.Setenv("NCCL_RUNTIME_CONNECT", "0"))
	if err != nil {
		return err
	}
	l, err := library.Open(cmp.Or(os.Getenv("GRAPH500_NCCL"), "libnccl.so.2"), library.Local)
	if err == nil {
		err = l.Bind(&nccl)
	}
	if err != nil {
		return fmt.Errorf("no NCCL: %w (GRAPH500_NCCL names another file)", err)
	}
	return nil
})

// Version returns the version of the library, such as "2.28.3".
func Version() (string, error) {
	var v int32
	err := check("ncclGetVersion", nccl.GetVersion(&v))
	return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100), err
}

// ID identifies the communicator of all devices (ncclUniqueId).
type ID struct{ Bytes [128]byte }

// NewID returns a new identifier. One rank calls it and tells the others.
func NewID() (id ID, err error) {
	err = check("ncclGetUniqueId", nccl.GetUniqueID(&id))
	return id, err
}

// Comm is a device's place in a communicator (ncclComm_t). The calls of a Comm need the
// context of its device on the thread.
type Comm struct {
	comm   uintptr
	pinner runtime.Pinner // NCCL writes comm at the end of the Group
}

// Join adds the device whose context is current, a primary one, to the communicator of that
// many devices. It waits for the others; several devices of a thread join in a Group.
// Joined follows its end.
func (c *Comm) Join(id ID, devices, number int) error {
	c.pinner.Pin(&c.comm)
	return check("ncclCommInitRank", nccl.CommInitRank(&c.comm, int32(devices), id, int32(number)))
}

// Joined says that NCCL has stored the communicator.
func (c *Comm) Joined() { c.pinner.Unpin() }

// AllGather gathers bytes bytes of each device, those from address on, to the addresses from
// to on, in the order of the devices. from may be the device's place there.
func (c *Comm) AllGather(from, to uint64, bytes int, stream unsafe.Pointer) error {
	return check("ncclAllGather", call(nccl.AllGather, uintptr(from), uintptr(to), uintptr(bytes), dataType, c.comm, uintptr(stream)))
}

// Send sends bytes to a device, which receives them.
func (c *Comm) Send(from uint64, bytes, to int, stream unsafe.Pointer) error {
	return check("ncclSend", call(nccl.Send, uintptr(from), uintptr(bytes), dataType, uintptr(to), c.comm, uintptr(stream)))
}

// Receive receives bytes of a device.
func (c *Comm) Receive(to uint64, bytes, from int, stream unsafe.Pointer) error {
	return check("ncclRecv", call(nccl.Recv, uintptr(to), uintptr(bytes), dataType, uintptr(from), c.comm, uintptr(stream)))
}

// Problem returns the error that the communicator has had since, nil if there is none.
func (c *Comm) Problem() error {
	var code Result
	if err := check("ncclCommGetAsyncError", call(nccl.GetAsyncError, c.comm, uintptr(unsafe.Pointer(&code)))); err != nil {
		return err
	}
	if code == inProgress {
		return nil
	}
	return check("NCCL", code)
}

// Abort ends what the communicator still does on the device, and frees it. It does not wait
// for the other devices, and may be called while another thread waits for the device.
func (c *Comm) Abort() error { return check("ncclCommAbort", call(nccl.CommAbort, c.comm)) }

// Group executes all operations that calls begins as one. The goroutine must be locked to its
// thread.
func Group(calls func() error) error {
	if err := check("ncclGroupStart", call(nccl.GroupStart)); err != nil {
		return err
	}
	err := calls()
	return errors.Join(err, check("ncclGroupEnd", call(nccl.GroupEnd)))
}
