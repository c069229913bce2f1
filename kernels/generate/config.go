//go:build cuda

package generate

import (
	"context"
	"errors"
	"fmt"

	"graph500/device"
	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
)

// Config says which tuples of a list a device has, and how it has them.
type Config struct {
	First, Count uint64 // it has the tuples First..First+Count-1 of the list
	Capacity     uint64 // of them, at most so many are in its memory at a time; 0: all
	Weighted     bool   // each tuple has a weight
	Wide         bool   // labels have 48 bits (engine.Edge48), not 32 (engine.Edge)
	Loaded       bool   // they come from the host, else from the generator

	// Regenerated: each pass generates the tuples again, also if all fit in memory at a time,
	// and those of the whole list, for a device that cannot read the tuples of others (All).
	Regenerated bool
}

// Source is where the tuples come from.
type Source struct {
	Spec   kronecker.Spec // of the list of generated tuples
	Loaded engine.Tuples  // those of the device, if Config.Loaded
}

// ConfigOf returns the configuration of tuples on the host, the first of which has that number
// in their list. The device has all of them in memory.
func ConfigOf(tuples engine.Tuples, first uint64) Config {
	return Config{First: first, Count: uint64(tuples.Len()), Weighted: tuples.Weights != nil, Wide: tuples.Wide != nil, Loaded: true}
}

// inParts reports whether the tuples are in memory part by part.
func (c Config) inParts() bool { return c.Capacity > 0 && c.Capacity < c.Count }

// room returns the number of tuples in memory at a time.
func (c Config) room() uint64 {
	if c.inParts() {
		return c.Capacity
	}
	return c.Count
}

// words returns the number of 32-bit words of a tuple.
func (c Config) words() uint64 {
	if c.Wide {
		return 3
	}
	return 2
}

// name names the tuples in a memory plan.
func (c Config) name() string {
	if c.Wide {
		return "tuples with labels of 48 bits"
	}
	return "tuples"
}

// tuples returns the tuples without memory.
func (c Config) tuples() *Tuples {
	t := &Tuples{config: c, whole: !c.inParts() && !c.Regenerated}
	switch {
	case !c.Loaded:
		t.generator = &Generator{weighted: c.Weighted, wide: c.Wide}
	case c.inParts():
		t.host = new(hostTuples)
	}
	return t
}

// Plan lists the device memory that New takes.
func (c Config) Plan() []engine.Allocation { return c.tuples().group().Plan() }

// New allocates memory for tuples on the device. It copies loaded ones to it; Make generates the
// others.
//
// Loaded tuples of which the device has a part at a time stay in the host's memory, which
// memory.Alloc allocated. It is page-locked, which takes long, if the driver does that. The
// result owns that memory. With an error, such as the cause of ctx when ctx ends, it is freed.
func New(ctx context.Context, d *device.Device, c Config, from Source) (_ *Tuples, err error) {
	t := c.tuples()
	t.device = d
	if err := c.check(from); err != nil {
		if t.host != nil {
			err = errors.Join(err, graph.FreeTuples(from.Loaded))
		}
		return nil, err
	}
	if t.host != nil {
		if err := t.host.take(ctx, d, from.Loaded); err != nil {
			return nil, errors.Join(err, t.Close())
		}
	}
	if t.held, err = d.Take(t.group()); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	switch {
	case t.generator != nil:
		err = t.generator.prepare(d, from.Spec)
	case t.host == nil:
		err = errors.Join(writeEdges(t.edges, from.Loaded, c.Wide), t.weights.Write(0, from.Loaded.Weights))
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// check requires that the source has the tuples.
func (c Config) check(from Source) error {
	if c.Loaded {
		return c.checkLoaded(from.Loaded)
	}
	length := from.Spec.Tuples()
	switch {
	case c.First > length || c.Count > length-c.First:
		return fmt.Errorf("a share of %d tuples from tuple %d: the list has %d tuples", c.Count, c.First, length)
	case c.Regenerated && c.Count == 0:
		return errors.New("a share without tuples has no memory to regenerate the others")
	}
	return nil
}

// checkLoaded is check for loaded tuples. Those with labels of 32 bits get the others when they
// are copied to the device all at once.
func (c Config) checkLoaded(own engine.Tuples) error {
	weights := 0
	if c.Weighted {
		weights = own.Len()
	}
	switch {
	case len(own.Weights) != weights:
		return fmt.Errorf("%d weights for %d tuples, not %d", len(own.Weights), own.Len(), weights)
	case uint64(own.Len()) != c.Count:
		return fmt.Errorf("%d tuples for a share of %d", own.Len(), c.Count)
	case own.Wide != nil && !c.Wide, c.Wide && c.inParts() && own.Wide == nil:
		return errors.New("the labels of the tuples have another width than those on the device")
	}
	return nil
}
