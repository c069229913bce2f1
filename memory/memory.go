// Package memory allocates large arrays outside the Go heap and determines how much memory the
// process may still allocate. The owner of an array declares it once in a Group, with name and
// length; the memory plan and the allocation derive from this declaration. It knows nothing of
// graphs.
package memory

import "fmt"

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
