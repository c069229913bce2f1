//go:build cuda

package device

import (
	"fmt"

	"graph500/device/driver"
	"graph500/memory"
)

// Error is a failed call of the CUDA driver.
type Error struct {
	Call string // the driver's function and its object
	Code int    // CUresult
	Name string // "CUDA_ERROR_..."
}

func (e *Error) Error() string {
	message := fmt.Sprintf("%s: %s (%d)", e.Call, e.Name, e.Code)
	if text := driver.Result(e.Code).Text(); text != "" {
		message += ", " + text
	}
	return message
}

// Lost reports whether every later call on the device fails too: a kernel broke its
// context, or the device is gone. The contents of its memory are lost.
func (e *Error) Lost() bool {
	switch e.Code {
	case 4, // deinitialized
		46,                 // device unavailable
		214,                // uncorrectable ECC error
		220,                // uncorrectable NVLink error
		700,                // illegal address
		702,                // launch timeout
		709,                // context destroyed
		710,                // device-side assert
		714,                // hardware stack error
		715, 716, 717, 718, // illegal instruction, misaligned address, address space, program counter
		719, // launch failed
		999: // unknown
		return true
	}
	return false
}

// MemoryError is an array, or the arena, that does not fit in the device's free
// memory.
type MemoryError struct {
	Name      string
	Needed    uint64 // bytes
	Available uint64 // free bytes of the arena, or of the device if the arena does not fit
	Reserved  uint64 // bytes of the arena; 0 if the arena does not fit
}

func (e *MemoryError) Error() string {
	text := fmt.Sprintf("out of GPU memory: %s needs %s, %s are free", e.Name, memory.Size(e.Needed), memory.Size(e.Available))
	if e.Reserved > 0 {
		return text + " of the " + memory.Size(e.Reserved) + " reserved"
	}
	return text + ": another process may hold the rest"
}

// failed wraps the error of a driver call in an *Error. It returns nil for nil.
func failed(call string, err error) error {
	if err == nil {
		return nil
	}
	code := driver.Code(err)
	return &Error{Call: call, Code: int(code), Name: code.Name()}
}
