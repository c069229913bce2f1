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
// launched so far; with hostReads, if the module has them, HostReads too.
func (m *Module) ResetCounts(hostReads bool) error {
	err := m.Zero("counted", countedBytes)
	if err != nil || !hostReads {
		return err
	}
	return m.Zero("hostReads", binary.Size(hostReadCounts{}))
}

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

// CountsOf is Counts of a search in a number of launches, with what its profile has counted: examined
// neighbours and what went over the bus.
func (m *Module) CountsOf(profile func() (engine.Profile, error), launches int64) (engine.Counts, error) {
	p, err := profile()
	if err != nil {
		return engine.Counts{}, err
	}
	c, err := m.Counts()
	c.Examined += p.Examined
	c.Launches = launches
	c.AddHost(p)
	return c, err
}

// HostReads is what a level of a counted search of split rows read of host memory. It is struct
// HostReads of hostreads.cuh.
type HostReads struct {
	Loads   uint64
	Sectors uint64 // of 32 bytes, of each request
	Lines   uint64 // requests, each for a line of 128 bytes
}

// hostReadCounts are those by level; all later levels share the last one.
type hostReadCounts [engine.MaxLevels + 1]HostReads

// HostReads returns what each level read of host memory, after all work launched so far. The last
// entry is that of all later levels.
func (m *Module) HostReads() ([]HostReads, error) {
	reads := make([]HostReads, len(hostReadCounts{}))
	image := make([]byte, binary.Size(reads))
	if err := m.Read("hostReads", image); err != nil {
		return nil, err
	}
	_, err := binary.Decode(image, binary.NativeEndian, reads)
	return reads, err
}

// AddHostReads adds HostReads to the profile of a search.
func (m *Module) AddHostReads(p *engine.Profile) error {
	reads, err := m.HostReads()
	for i, r := range reads {
		p.AddHostReads(i, 32*int64(r.Sectors), int64(r.Lines))
	}
	return err
}
