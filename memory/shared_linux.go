package memory

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Shared names memory to the processes of this machine: an open file of a process.
type Shared struct{ Process, File int64 }

// AllocShared is Alloc of 1 element or more that other processes of the same user can map by its name, until
// Close of the name, and keep afterwards.
func AllocShared[T any](n int) ([]T, Shared, error) {
	file, err := unix.MemfdCreate("graph500", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, Shared{}, fmt.Errorf("memory: cannot create shared memory: %w", err)
	}
	name := Shared{int64(os.Getpid()), int64(file)}
	if err = unix.Ftruncate(file, int64(mappedFor[T](n))); err != nil {
		err = fmt.Errorf("memory: cannot share %s: %w", Size(uint64(mappedFor[T](n))), err)
	}
	var s []T
	if err == nil {
		s, err = mapElements[T](n, file, unix.MAP_SHARED|unix.MAP_NORESERVE)
	}
	if err != nil {
		_ = name.Close()
		return nil, Shared{}, err
	}
	return s, name, nil
}

// MapShared maps the memory of that name for n elements, as many as there are. Free ends it.
func MapShared[T any](of Shared, n int) ([]T, error) {
	path := fmt.Sprintf("/proc/%d/fd/%d", of.Process, of.File)
	file, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("memory: cannot open that of another process, %s: %w", path, err)
	}
	defer unix.Close(file)
	var info unix.Stat_t
	if err := unix.Fstat(file, &info); err != nil {
		return nil, fmt.Errorf("memory: %s: %w", path, err)
	}
	if info.Size != int64(mappedFor[T](n)) {
		var zero T
		return nil, fmt.Errorf("memory: %s is not memory for %d elements of %d bytes", path, n, unsafe.Sizeof(zero))
	}
	return mapElements[T](n, file, unix.MAP_SHARED|unix.MAP_NORESERVE)
}

// Close ends that others can map the memory of the name, in the process that made it. Close of nil
// does nothing.
func (s *Shared) Close() error {
	if s == nil {
		return nil
	}
	return unix.Close(int(s.File))
}
