package memory

import (
	"errors"
	"unsafe"

	"graph500/engine"
)

// Declared is the declaration of an array: its name, its size, and the slice that it becomes.
type Declared struct {
	name  string
	bytes uint64
	alloc func() error
	free  func() error // frees the memory of the slice and makes it nil
}

// Of declares an array of n elements. *s stays nil until the Group is allocated.
func Of[T any](s *[]T, name string, n uint64) Declared {
	var element T
	return Declared{
		name:  name,
		bytes: n * uint64(unsafe.Sizeof(element)),
		alloc: func() (err error) {
			*s, err = Alloc[T](int(n))
			return err
		},
		free: func() error {
			err := Free(*s)
			*s = nil
			return err
		},
	}
}

// Grown declares memory that grows as it is needed, such as lists, and that a Group does not
// allocate. It only counts in the plan.
func Grown(name string, bytes uint64) Declared {
	nothing := func() error { return nil }
	return Declared{name, bytes, nothing, nothing}
}

// Group is a set of arrays of host memory that are allocated and freed together. Alive is the
// set of phases of a run in which they are allocated.
type Group struct {
	Alive  engine.Phase
	Arrays []Declared
}

// Plan lists the memory of the arrays, that of equal names in one line.
func (g Group) Plan() (plan []engine.Allocation) {
	lines := make(map[string]int)
	for _, a := range g.Arrays {
		i, there := lines[a.name]
		if !there {
			i = len(plan)
			lines[a.name] = i
			plan = append(plan, engine.Allocation{Name: a.name, Phase: g.Alive})
		}
		plan[i].Bytes += a.bytes
	}
	return plan
}

// Alloc allocates the arrays, all elements zero. After an error none is allocated.
func (g Group) Alloc() error {
	for _, a := range g.Arrays {
		if err := a.alloc(); err != nil {
			return errors.Join(err, g.Free())
		}
	}
	return nil
}

// Free frees the arrays. Their slices are nil then.
func (g Group) Free() error {
	var errs []error
	for _, a := range g.Arrays {
		errs = append(errs, a.free())
	}
	return errors.Join(errs...)
}

// Groups are groups that were allocated and are freed together.
type Groups []Group

// Take allocates a group and adds it.
func (gs *Groups) Take(g Group) error {
	err := g.Alloc()
	if err == nil {
		*gs = append(*gs, g)
	}
	return err
}

// Free frees all groups.
func (gs *Groups) Free() error {
	var errs []error
	for _, g := range *gs {
		errs = append(errs, g.Free())
	}
	*gs = nil
	return errors.Join(errs...)
}
