package atomicfile

import (
	"math"
	"math/bits"

	"golang.org/x/sys/unix"
)

// freeSpace returns the number of bytes that this user may still write to the
// file system of dir.
func freeSpace(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	high, free := bits.Mul64(s.Bavail, uint64(s.Frsize))
	if high != 0 {
		return math.MaxUint64, nil
	}
	return free, nil
}
