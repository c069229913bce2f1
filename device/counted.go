//go:build cuda

package device

import (
	"encoding/binary"

	"graph500/engine"
)

// countedSuffix is the suffix of the names of instrumented modules.
const countedSuffix = ".counted"

// Counted returns the name of the instrumented form of a module, which counts its
// work (kernels/counted.cuh), or the name of the module itself if counted is false.
func Counted(module string, counted bool) string {
	if counted {
		return module + countedSuffix
	}
	return module
}

// ResetCounts sets the counters of an instrumented module to zero, after all work
// launched so far.
func (m *Module) ResetCounts() error { return m.Zero("counted", countedBytes) }

// countedBytes is the size of struct Counted of counted.cuh: three counters of 8
// bytes for examined adjacency entries, global atomics and shared-memory atomics.
const countedBytes = 3 * 8

// Counts returns the counters of an instrumented module, after all work launched so
// far. Launches are not included: the host counts them.
func (m *Module) Counts() (engine.Counts, error) {
	image := make([]byte, countedBytes)
	if err := m.Read("counted", image); err != nil {
		return engine.Counts{}, err
	}
	counter := func(i int) int64 { return int64(binary.NativeEndian.Uint64(image[8*i:])) }
	return engine.Counts{Examined: counter(0), Atomics: counter(1), SharedAtomics: counter(2)}, nil
}
