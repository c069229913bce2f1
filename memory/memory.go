// Package memory allocates large arrays outside the Go heap and determines how much memory the
// process may still allocate. The owner of an array declares it once in a Group, with name and
// length; the memory plan and the allocation derive from this declaration. It knows nothing of
// graphs.
package memory

import (
	"fmt"
	"unsafe"
)

// hugePage is the usual size of a transparent huge page, in bytes.
const hugePage = 2 << 20

// mapped returns the bytes that the system maps for an array. It places an array of whole huge pages at the
// beginning of one, and other sizes anywhere: then up to 1,022 small pages, each a fault of its own, hold the ends.
// Plans count the elements alone; a large array takes less than a huge page more.
func mapped(bytes uintptr) uintptr {
	if bytes < hugePage {
		return bytes
	}
	return (bytes + hugePage - 1) / hugePage * hugePage
}

// Size formats a number of bytes with a binary unit, such as "1.5 GiB".
func Size(bytes uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	v, u := float64(bytes), 0
	for v >= 1024 && u < len(units)-1 {
		v /= 1024
		u++
	}
	if u == 0 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f %s", v, units[u])
}

// Limit is an amount of memory that this process may still allocate.
type Limit struct {
	Bytes  uint64
	Source string // origin of the limit, such as "available memory of the machine"
}

// PageOf returns the number of elements in a huge page.
func PageOf[T any]() int {
	var zero T
	return hugePage / int(unsafe.Sizeof(zero))
}

// Touch writes zero to an element of each huge page that begins in s, fresh memory of Alloc, so that the
// system provides these pages.
func Touch[T any](s []T) {
	if len(s) == 0 {
		return
	}
	var zero T
	behind := uintptr(unsafe.Pointer(&s[0])) % hugePage
	first := (hugePage - behind) % hugePage / unsafe.Sizeof(zero)
	for i := int(first); i < len(s); i += PageOf[T]() {
		s[i] = zero
	}
}
