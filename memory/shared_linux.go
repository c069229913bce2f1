package memory

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stripe is the number of bytes of shared memory that lie in one file, before the next file has its turn. So threads that
// fill a piece of 1 GiB together fill all files: the system gives the pages of a file to one thread at a time. 16
// threads take 1.57, 0.44 and 0.41 s for 8 GiB in 1, 8 and 16 files (host of an H200).
const stripe = 64 << 20

// AllocShared is Alloc of 1 element or more that other processes of the same user can map by its name, until
// Close of the name, and keep afterwards.
func AllocShared[T any](n int) ([]T, Shared, error) {
	name, err := create(mappedFor[T](n))
	var s []T
	if err == nil {
		s, err = mapFiles[T](n, name.Files)
	}
	if err != nil {
		return nil, Shared{}, errors.Join(err, name.Close())
	}
	return s, name, nil
}

// noFiles returns the files of no memory.
func noFiles() (files [sharedFiles]int64) {
	for i := range files {
		files[i] = -1
	}
	return files
}

// create makes the files of so many bytes.
func create(size int) (Shared, error) {
	name := Shared{Process: int64(os.Getpid()), Files: noFiles()}
	for i := range name.Files {
		bytes := sizeOfFile(size, i)
		if bytes == 0 {
			break
		}
		file, err := unix.MemfdCreate("graph500", unix.MFD_CLOEXEC)
		if err != nil {
			return name, fmt.Errorf("memory: cannot create shared memory: %w", err)
		}
		name.Files[i] = int64(file)
		if err := unix.Ftruncate(file, bytes); err != nil {
			return name, fmt.Errorf("memory: cannot share %s: %w", Size(uint64(size)), err)
		}
	}
	return name, nil
}

// sizeOfFile returns how many of so many bytes of shared memory lie in file i.
func sizeOfFile(size, i int) int64 {
	const round = sharedFiles * stripe
	return int64(size/round*stripe + min(max(size%round-i*stripe, 0), stripe))
}

// mapFiles maps n elements of shared memory.
func mapFiles[T any](n int, files [sharedFiles]int64) ([]T, error) {
	// The stripes take the place of this memory, and Free unmaps them.
	s, err := Alloc[T](n)
	if err != nil {
		return nil, err
	}
	place, size := unsafe.Pointer(unsafe.SliceData(s)), mappedFor[T](n)
	for at := 0; at < size; at += stripe {
		i := at / stripe
		_, err := unix.MmapPtr(int(files[i%sharedFiles]), int64(i/sharedFiles*stripe), unsafe.Add(place, at), uintptr(min(size-at, stripe)),
			unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("memory: cannot map %s of shared memory: %w", Size(uint64(size)), err), Free(s))
		}
	}
	preferHuge(unsafe.Slice((*byte)(place), size))
	return s, nil
}

// MapShared maps the memory of that name for n elements, as many as there are. Free ends it.
func MapShared[T any](of Shared, n int) ([]T, error) {
	opened := Shared{Files: noFiles()}
	defer func() { _ = opened.Close() }()
	for i, number := range of.Files {
		size := sizeOfFile(mappedFor[T](n), i)
		if size == 0 && number < 0 {
			continue
		}
		path := fmt.Sprintf("/proc/%d/fd/%d", of.Process, number)
		file, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, fmt.Errorf("memory: cannot open that of another process, %s: %w", path, err)
		}
		opened.Files[i] = int64(file)
		var info unix.Stat_t
		if err := unix.Fstat(file, &info); err != nil {
			return nil, fmt.Errorf("memory: %s: %w", path, err)
		}
		if info.Size != size {
			var zero T
			return nil, fmt.Errorf("memory: %s is not memory for %d elements of %d bytes", path, n, unsafe.Sizeof(zero))
		}
	}
	return mapFiles[T](n, opened.Files)
}

// Close ends that others can map the memory of the name, in the process that made it. Close of nil
// does nothing.
func (s *Shared) Close() error {
	if s == nil {
		return nil
	}
	var errs []error
	for _, file := range s.Files {
		if file >= 0 {
			errs = append(errs, unix.Close(int(file)))
		}
	}
	return errors.Join(errs...)
}
