//go:build cuda

package construct

import (
	"embed"

	"graph500/device"
	"graph500/kernels/generate"
)

//go:embed compiled
var images embed.FS

// Order is the order of what a row holds.
type Order int

const (
	// ByDegree is rows of distinct neighbours, by falling degree (NeighborRows).
	ByDegree Order = iota
	// ByWeight is rows of arcs, by rising weight (ArcRows). The tuples must have weights.
	ByWeight
	// ByHubs is the form of package hubs: lists of hubs and of other rows, within chunks of
	// labels by first hub. If it is split, the last lists of a kind are in host memory. It is not on
	// distributed devices.
	ByHubs
)

const (
	// LeastGroups and MostGroups bound the number of groups of rows that one device builds
	// one after the other. Each group needs one more pass over all tuples. Four groups save
	// 3/4 of the 16 bytes per arc that one group would need. With 64 the rest of the graph
	// is far larger than the memory of the sort. Several devices may build fewer groups.
	LeastGroups = 4
	MostGroups  = 64
)

// Form is what kernel 1 builds of a list of tuples, and how.
type Form struct {
	Order   Order
	Devices int // that have the graph together, each the rows of a range of labels

	// Balanced: the ranges have about equally many arcs. Else they are those of Ranges.
	Balanced bool

	// Distributed: the devices do not access each other's memory. Each then counts and reads all
	// tuples. The arcs of ByWeight lead to labels, so that nothing need be translated
	// between devices.
	Distributed bool

	Wide   bool   // the tuples have labels of 48 bits
	Groups int    // groups of rows that are built one after the other, about
	Hubs   uint64 // most vertices in NeighborRows.Hubs, or most hubs of ByHubs
	Chunk  uint64 // labels in a chunk of ByHubs
	Split  Split
}

// Split says which part of the rows is in the device's memory. The zero value is whole rows.
type Split struct {
	// Words is the room for entries of the rows in the device's memory, neighbours or arcs, or for
	// ByHubs in words of 4 bytes for the arrays by row and the lists; 0 if rows are not split.
	Words uint64

	// NoPrefix sets the prefix to 0: all entries are in the host's memory, and a row has one
	// word. Else the prefix is as long as fits. It is for ByDegree.
	NoPrefix bool
}

// splits reports whether rows are split.
func (f Form) splits() bool { return f.Split.Words > 0 }

// hasPrefix reports whether each row is split after a prefix.
func (f Form) hasPrefix() bool { return f.splits() && f.Order != ByHubs }

// reaches reports whether devices read the memory of others.
func (f Form) reaches() bool { return f.Devices > 1 && !f.Distributed }

// numbered reports whether arcs lead to numbers that the devices give their rows together.
func (f Form) numbered() bool { return f.Order == ByWeight && f.reaches() }

// modules lists the modules of kernels that Build needs.
func (f Form) modules() []string {
	add := func(list []string, when bool, names ...string) []string {
		if when {
			return append(list, names...)
		}
		return list
	}
	list := []string{"index", "sort"}
	list = add(list, f.hasPrefix(), "split")
	list = add(list, f.Wide, generate.ModuleOf("index", true))
	list = add(list, f.Order == ByHubs, "hubs")
	if f.Order != ByWeight {
		return add(append(list, "rows"), f.Wide, generate.ModuleOf("rows", true))
	}
	list = add(append(list, "weighted"), f.Wide, generate.ModuleOf("weighted", true))
	list = add(list, f.splits(), "weightedsplit")
	list = add(list, f.Distributed, "weightedranges")
	return add(list, f.numbered(), "weightedparts")
}

// Load loads the modules of a form, so that Build does not load them.
func Load(d *device.Device, f Form) error {
	for _, name := range f.modules() {
		if _, err := d.Load("construct", images, name); err != nil {
			return err
		}
	}
	return nil
}

// launcher launches kernels by their names.
type launcher struct{ d *device.Device }

func (l launcher) run(module, name string, blocks uint64, threads int, args ...uint64) error {
	m, err := l.d.Load("construct", images, module)
	if err != nil {
		return err
	}
	k, err := m.Kernel(name)
	if err != nil {
		return err
	}
	return k.Launch(int(blocks), threads, 0, args...)
}
