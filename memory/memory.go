// Package memory takes large arrays from the operating system, outside the
// Go heap, and knows how much there is. It knows nothing of graphs.
package memory

import "fmt"

// Size prints a number of bytes for people, in binary units.
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

// Limit is an amount of memory that this process may still take, and what
// sets it.
type Limit struct {
	Bytes  uint64
	Source string // "free memory of the machine", "cgroup limit", ...
}
