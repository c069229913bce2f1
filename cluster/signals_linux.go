package cluster

import (
	"syscall"
	"unsafe"
)

// signalAction is the kernel's struct sigaction on 64-bit Linux: handler, flags,
// restorer and mask.
type signalAction [4]uint64

const lastSignal = 64

// signalActions returns the actions of all signals.
func signalActions() (actions [lastSignal + 1]signalAction) {
	for i := 1; i <= lastSignal; i++ {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(i), 0, uintptr(unsafe.Pointer(&actions[i])), 8, 0, 0)
	}
	return actions
}

// restoreSignals restores the actions that MPI has changed. UCX, below MPICH and Open
// MPI 5, takes SIGSEGV and others, and the Go runtime could no longer turn them into a
// panic. MPICH takes SIGUSR1 with a handler that does not use the signal stack, which
// ends a Go program.
func restoreSignals(want [lastSignal + 1]signalAction) {
	now := signalActions()
	for i := 1; i <= lastSignal; i++ {
		if now[i][0] != want[i][0] {
			_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(i), uintptr(unsafe.Pointer(&want[i])), 0, 8, 0, 0)
		}
	}
}
