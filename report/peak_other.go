//go:build !linux

package report

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// PeakBytes returns the largest resident memory that this process has had, 0
// when the system does not tell.
func PeakBytes() uint64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return uint64(u.Maxrss) // bytes there, kilobytes on the other systems
	}
	return uint64(u.Maxrss) << 10
}
