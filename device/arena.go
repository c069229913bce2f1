//go:build cuda

package device

import (
	"errors"
	"fmt"

	"gorgonia.org/cu"

	"graph500/engine"
)

// Alignment is what the place of every array is a multiple of, and so the size
// that a plan counts: four lines of the second-level cache.
const Alignment = 512

// arena is one piece of the device's memory. Arrays that stay for long are taken
// from its beginning on, those that are soon given back from its end; each end
// gives back what it took last. So there are no gaps, and what is in use is the
// sum of what is taken.
type arena struct {
	base      uint64
	size      uint64
	low, high uint64 // bytes in use at the beginning, and at the end
	peak      uint64 // most that was in use
}

// Declared is an array as its owner declares it.
type Declared struct {
	name  string
	bytes uint64
	place func(d *Device, address uint64) // makes it an array of the device
	drop  func()                          // makes it none
}

// Of declares an array of n elements, which is none until its Group is taken.
func Of[T any](a *Array[T], name string, n uint64) Declared {
	return Declared{
		name:  name,
		bytes: n * size[T](),
		place: func(d *Device, address uint64) { *a = Array[T]{d, name, address, int(n)} },
		drop:  func() { *a = Array[T]{} },
	}
}

// Group is arrays that are taken and given back together, and the phases of a
// run in which they are there.
type Group struct {
	Alive  engine.Phase
	Arrays []Declared
}

// taken is what an array of that many bytes takes of an arena.
func taken(bytes uint64) uint64 { return (bytes + Alignment - 1) / Alignment * Alignment }

// Plan lists the arrays with what each takes. Empty ones are left out.
func (g Group) Plan() (plan []engine.Allocation) {
	for _, a := range g.Arrays {
		if a.bytes > 0 {
			plan = append(plan, engine.Allocation{Name: a.name, Bytes: taken(a.bytes), Phase: g.Alive, Place: engine.DeviceMemory})
		}
	}
	return plan
}

// name is that of the first array.
func (g Group) name() string {
	if len(g.Arrays) == 0 {
		return "no array"
	}
	return g.Arrays[0].name
}

// Bytes is what the arrays take together.
func (g Group) Bytes() (sum uint64) {
	for _, a := range g.Arrays {
		sum += taken(a.bytes)
	}
	return sum
}

// Reserve takes the arena from the driver, once.
func (d *Device) Reserve(bytes uint64) error {
	if d.arena.size > 0 {
		return errors.New("the device's memory is reserved already")
	}
	d.arena.size = taken(bytes)
	if d.options.Separate || bytes == 0 {
		return nil
	}
	var err error
	d.arena.base, err = d.allocate("the arena", d.arena.size)
	return err
}

// allocate takes memory from the driver.
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

// Reserved is the size of the arena.
func (d *Device) Reserved() uint64 { return d.arena.size }

// Free returns the bytes of the arena that nothing has taken.
func (d *Device) Free() uint64 { return d.arena.size - d.arena.low - d.arena.high }

// Peak returns the most bytes that were taken of the arena at once.
func (d *Device) Peak() uint64 { return d.arena.peak }

// Held is a Group that was taken.
type Held struct {
	device *Device
	group  Group
	end    *uint64  // of the arena that it was taken from: low or high
	from   uint64   // in use there before
	to     uint64   // and after
	own    []uint64 // allocations of arrays, where they are separate
}

// Take takes the arrays of a group, which hold anything at first, for long. They
// are given back before those that were taken for long before them.
func (d *Device) Take(g Group) (*Held, error) { return d.take(g, &d.arena.low) }

// Borrow is Take for arrays that are soon given back: before those borrowed
// before them.
func (d *Device) Borrow(g Group) (*Held, error) { return d.take(g, &d.arena.high) }

func (d *Device) take(g Group, end *uint64) (*Held, error) {
	h := &Held{device: d, group: g, end: end, from: *end, to: *end}
	for _, a := range g.Arrays {
		if err := h.add(a); err != nil {
			return nil, errors.Join(err, h.Free())
		}
	}
	d.arena.peak = max(d.arena.peak, d.arena.low+d.arena.high)
	return h, nil
}

// add takes one more array.
func (h *Held) add(a Declared) error {
	d := h.device
	need := taken(a.bytes)
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
		h.own = append(h.own, address)
	case h.end == &d.arena.low:
		address = d.arena.base + d.arena.low
	default:
		address = d.arena.base + d.arena.size - d.arena.high - need
	}
	*h.end += need
	h.to = *h.end
	a.place(d, address)
	return nil
}

// Free gives the arrays back; they are none then. What was launched before may
// still use them, as what is launched later waits for it. A nil group, and one that
// was given back, stay as they are.
func (h *Held) Free() error {
	if h == nil || h.device == nil {
		return nil
	}
	d := h.device
	if *h.end != h.to {
		return fmt.Errorf("%s: arrays are to be given back in the reverse order of being taken", h.group.name())
	}
	var errs []error
	if d.options.Separate {
		for _, address := range h.own {
			errs = append(errs, d.do(func() error { return failed("cuMemFree", cu.MemFree(cu.DevicePtr(address))) }))
		}
	}
	for _, a := range h.group.Arrays {
		a.drop()
	}
	*h.end, h.device = h.from, nil
	return errors.Join(errs...)
}
