//go:build cuda

package device

import (
	"encoding/binary"

	"graph500/engine"
)

// countedSuffix is what the name of a module that counts ends with.
const countedSuffix = ".counted"

// Counted returns the name of a module's twin that counts (kernels/counted.cuh),
// or of the module itself if it is not to count.
func Counted(module string, counted bool) string {
	if counted {
		return module + countedSuffix
	}
	return module
}

// ResetCounts sets the counters of a module that counts to zero, after
// everything launched so far.
func (m *Module) ResetCounts() error { return m.write("counted", make([]byte, countedBytes)) }

// countedBytes is the size of Counted of counted.cuh: entries of neighbour lists
// looked at, atomics on global and on shared memory, 8 bytes each.
const countedBytes = 3 * 8

// Counts returns the counters of a module that counts when everything launched
// so far is done. The module does not see launches.
func (m *Module) Counts() (engine.Counts, error) {
	image := make([]byte, countedBytes)
	if err := m.Read("counted", image); err != nil {
		return engine.Counts{}, err
	}
	counter := func(i int) int64 { return int64(binary.NativeEndian.Uint64(image[8*i:])) }
	return engine.Counts{Examined: counter(0), Atomics: counter(1), SharedAtomics: counter(2)}, nil
}
