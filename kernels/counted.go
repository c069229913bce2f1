//go:build cuda

package kernels

import (
	"fmt"
	"maps"
	"unsafe"

	"gorgonia.org/cu"

	"graph500/engine"
)

// countedSuffix is what the name of a module that counts ends with.
const countedSuffix = ".counted"

// counted is Counted of counted.cuh.
type counted struct {
	Examined, Atomics, SharedAtomics uint64
}

// CountedName is the name of a module's twin that counts (counted.cuh).
func CountedName(module string) string { return module + countedSuffix }

// ResetCounts sets the counters of a module that counts to zero, after
// everything launched so far.
func (m *Module) ResetCounts() error {
	at, err := variable[counted](m.module, m.name, "counted")
	if err != nil {
		return err
	}
	var zero counted
	return failed("cuMemcpyHtoD to counters", cu.MemcpyHtoD(at, unsafe.Pointer(&zero), int64(unsafe.Sizeof(zero))))
}

// Counts returns the counters of a module that counts when everything launched
// so far is done. The module does not see launches.
func (m *Module) Counts() (engine.Counts, error) {
	at, err := variable[counted](m.module, m.name, "counted")
	if err != nil {
		return engine.Counts{}, err
	}
	var c counted
	if err := cu.MemcpyDtoH(unsafe.Pointer(&c), at, int64(unsafe.Sizeof(c))); err != nil {
		return engine.Counts{}, failed("cuMemcpyDtoH of counters", err)
	}
	return engine.Counts{Examined: int64(c.Examined), Atomics: int64(c.Atomics), SharedAtomics: int64(c.SharedAtomics)}, nil
}

// Counting returns the same device as one that has in the place of a module its
// twin that counts, and that twin, which the caller closes. What is made with
// the one works by the other's side.
func (d *Device) Counting(module string) (*Device, *Module, error) {
	if _, ok := d.modules[module]; !ok {
		return nil, nil, fmt.Errorf("there is no module %s", module)
	}
	twin, err := d.Load(images, CountedName(module))
	if err != nil {
		return nil, nil, err
	}
	other := *d
	other.modules = maps.Clone(d.modules)
	other.modules[module] = twin.module
	return &other, twin, nil
}
