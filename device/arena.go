//go:build cuda

package device

import (
	"errors"
	"fmt"

	"gorgonia.org/cu"

	"graph500/engine"
)

// Alignment is the alignment of every array in bytes, and the unit in which a
// plan counts array sizes: four lines of the second-level cache.
const Alignment = 512

// arena is one contiguous piece of the device's memory, used as two stacks.
// Long-lived arrays are allocated from the low end upward, temporary arrays from
// the high end downward. Each end frees in last-in, first-out order. The arena
// therefore never fragments, and the bytes in use are low + high.
type arena struct {
	base      uint64
	size      uint64
	low, high uint64 // bytes in use at the low end and at the high end
	peak      uint64 // maximum of low + high
}

// Declared is the declaration of an array: its name, its size, and the Array
// variable that receives the address.
type Declared struct {
	name   string
	bytes  uint64
	bind   func(d *Device, address uint64) // sets the Array variable
	unbind func()                          // resets it to the zero Array
}

// Of declares an array of n elements. *a stays the zero Array until the Group is
// allocated.
func Of[T any](a *Array[T], name string, n uint64) Declared {
	return Declared{
		name:   name,
		bytes:  n * size[T](),
		bind:   func(d *Device, address uint64) { *a = Array[T]{d, name, address, int(n)} },
		unbind: func() { *a = Array[T]{} },
	}
}

// Group is a set of arrays that are allocated and freed together. Alive is the set
// of phases of a run in which they are allocated.
type Group struct {
	Alive  engine.Phase
	Arrays []Declared
}

// aligned rounds an array's size up to the bytes that it occupies in the arena.
func aligned(bytes uint64) uint64 { return (bytes + Alignment - 1) / Alignment * Alignment }

// Plan lists the non-empty arrays with the bytes that each occupies.
func (g Group) Plan() (plan []engine.Allocation) {
	for _, a := range g.Arrays {
		if a.bytes > 0 {
			plan = append(plan, engine.Allocation{Name: a.name, Bytes: aligned(a.bytes), Phase: g.Alive, Place: engine.DeviceMemory})
		}
	}
	return plan
}

// name returns the name of the first array, for error messages.
func (g Group) name() string {
	if len(g.Arrays) == 0 {
		return "no array"
	}
	return g.Arrays[0].name
}

// Bytes returns the bytes that the arrays occupy in total.
func (g Group) Bytes() (sum uint64) {
	for _, a := range g.Arrays {
		sum += aligned(a.bytes)
	}
	return sum
}

// Reserve allocates the arena from the driver. It is called once per device.
func (d *Device) Reserve(bytes uint64) error {
	if d.arena.size > 0 {
		return errors.New("the device's memory is reserved already")
	}
	d.arena.size = aligned(bytes)
	if d.options.Separate || bytes == 0 {
		return nil
	}
	var err error
	d.arena.base, err = d.allocate("the arena", d.arena.size)
	return err
}

// allocate allocates device memory from the driver. It returns a *MemoryError if
// the device has too little free memory.
func (d *Device) allocate(name string, bytes uint64) (address uint64, err error) {
	err = d.do(func() error {
		at, err := cu.MemAlloc(int64(bytes))
		address = uint64(at)
		if !errors.Is(err, cu.OutOfMemory) {
			return failed("cuMemAlloc of "+name, err)
		}
		free, _, err := cu.MemInfo()
		if err != nil {
			return failed("cuMemGetInfo", err)
		}
		return &MemoryError{Name: name, Needed: bytes, Available: uint64(free)}
	})
	return address, err
}

// Outside allocates an array outside the arena, and returns a function that frees it.
func Outside[T any](d *Device, name string, n int) (a Array[T], free func() error, err error) {
	address, err := d.allocate(name, uint64(n)*size[T]())
	return Array[T]{d, name, address, n}, func() error {
		return d.do(func() error { return failed("cuMemFree of "+name, cu.MemFree(cu.DevicePtr(address))) })
	}, err
}

// Ballast takes memory of the device that nothing uses, so that managed memory cannot have
// it. It is freed with the device.
func (d *Device) Ballast(bytes uint64) error {
	if bytes == 0 {
		return nil
	}
	_, err := d.allocate("ballast", bytes)
	return err
}

// Reserved returns the size of the arena in bytes.
func (d *Device) Reserved() uint64 { return d.arena.size }

// Free returns the free bytes of the arena.
func (d *Device) Free() uint64 { return d.arena.size - d.arena.low - d.arena.high }

// Peak returns the maximum number of bytes of the arena that were in use at once.
func (d *Device) Peak() uint64 { return d.arena.peak }

// Held is a Group that is allocated.
type Held struct {
	device   *Device // nil once freed
	group    Group
	end      *uint64  // &arena.low or &arena.high
	before   uint64   // *end before the allocation
	after    uint64   // *end after the allocation
	separate []uint64 // addresses from the driver, with Options.Separate
}

// Take allocates the arrays of a group at the low end of the arena, for long-lived
// arrays. Their contents are undefined. Groups are freed in the reverse order of
// their allocation. An array that does not fit gives a *MemoryError.
func (d *Device) Take(g Group) (*Held, error) { return d.take(g, &d.arena.low) }

// Borrow is Take at the high end of the arena, for temporary arrays. The order of
// Free applies to each end separately.
func (d *Device) Borrow(g Group) (*Held, error) { return d.take(g, &d.arena.high) }

func (d *Device) take(g Group, end *uint64) (*Held, error) {
	h := &Held{device: d, group: g, end: end, before: *end, after: *end}
	for _, a := range g.Arrays {
		if err := h.add(a); err != nil {
			return nil, errors.Join(err, h.Free())
		}
	}
	d.arena.peak = max(d.arena.peak, d.arena.low+d.arena.high)
	return h, nil
}

// add allocates one more array.
func (h *Held) add(a Declared) error {
	d := h.device
	need := aligned(a.bytes)
	if need > d.Free() {
		return &MemoryError{Name: a.name, Needed: need, Available: d.Free(), Reserved: d.arena.size}
	}
	var address uint64
	switch {
	case a.bytes == 0:
	case d.options.Separate:
		var err error
		if address, err = d.allocate(a.name, a.bytes); err != nil {
			return err
		}
		h.separate = append(h.separate, address)
	case h.end == &d.arena.low:
		address = d.arena.base + d.arena.low
	default:
		address = d.arena.base + d.arena.size - d.arena.high - need
	}
	*h.end += need
	h.after = *h.end
	a.bind(d, address)
	return nil
}

// Free frees the arrays and resets their Array variables. Kernels launched before
// may still be using them: later work in the stream runs after those kernels. Free
// of a nil or freed Held does nothing.
func (h *Held) Free() error {
	if h == nil || h.device == nil {
		return nil
	}
	d := h.device
	if *h.end != h.after {
		return fmt.Errorf("%s: arrays must be freed in the reverse order of their allocation", h.group.name())
	}
	var errs []error
	if d.options.Separate {
		for _, address := range h.separate {
			errs = append(errs, d.do(func() error { return failed("cuMemFree", cu.MemFree(cu.DevicePtr(address))) }))
		}
	}
	for _, a := range h.group.Arrays {
		a.unbind()
	}
	*h.end, h.device = h.before, nil
	return errors.Join(errs...)
}
