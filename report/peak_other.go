//go:build !linux

package report

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// PeakBytes returns the maximum resident memory of this process; 0 if unknown.
func PeakBytes() uint64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return uint64(u.Maxrss) // bytes; kilobytes on other systems
	}
	return uint64(u.Maxrss) << 10
}
