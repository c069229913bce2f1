//go:build cuda

package gpu

import (
	"context"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/bfs"
	"graph500/kernels/construct"
	"graph500/techniques"
)

// strategy is one way to search, selectable by name.
type strategy struct {
	engine.Strategy

	// load loads the modules of a search.
	load func(d *device.Device) error

	// make makes a search that may take what it can do without as long as spare
	// bytes of the arena are left. A counted one is for Counts, and slow.
	make func(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Local], counted bool, spare uint64) (method, error)

	// plan lists what a search takes for N vertices, n rows and the arcs, each
	// edge in both directions, on a device with so large a second-level cache;
	// optional what it takes in addition where there is room.
	plan, optional func(vertices, rows, arcs uint64, l2 int) []engine.Allocation
}

// A method holds the state of one strategy. Search writes the parent of every
// vertex reachable from root, which has a row, before it returns; all parents
// are engine.None before. The others tell of the last search, the profile valid
// until the next, and Counts of counted searches only.
type method interface {
	Search(ctx context.Context, root engine.Local) error
	Profile() (engine.Profile, error)
	Counts() (engine.Counts, error)
	Close() error
}

// Strategies lists all strategies, from the plainest to the fastest. To add
// one, add a technique to package techniques.
func Strategies() (list []engine.Strategy) {
	for _, s := range table() {
		list = append(list, s.Strategy)
	}
	return list
}

func table() (list []strategy) {
	for _, t := range techniques.All() {
		list = append(list, textbook(t))
	}
	s := strategy{
		load:     bfs.Load,
		plan:     bfs.Plan,
		optional: bfs.OptionalPlan,
		make: func(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Local], counted bool, spare uint64) (method, error) {
			return bfs.New(ctx, d, g, parents, counted, spare)
		},
	}
	return append(list, s.named(defaultStrategy,
		"direction-optimizing, in one kernel steered on the GPU: queues of arcs dealt out evenly, dense passes over first neighbours",
		"Beamer et al. 2012, Merrill et al. 2012", "CSR, CSC"))
}

// textbook makes a strategy of a technique.
func textbook(t techniques.Technique) strategy {
	s := strategy{
		load: t.Load,
		plan: func(vertices, rows, arcs uint64, _ int) []engine.Allocation { return t.Plan(vertices, rows, arcs) },
		make: func(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Local], counted bool, _ uint64) (method, error) {
			return t.New(ctx, d, g, parents, counted)
		},
		optional: func(_, _, _ uint64, _ int) []engine.Allocation { return nil },
	}
	return s.named(t.Name, t.Doc, t.Source, t.Structure)
}

// usualL2 is the second-level cache of an H200, for what is said of memory before a
// device is known.
const usualL2 = 60 << 20

// named fills in Strategy. As many rows and arcs as there can be are assumed for its
// memory.
func (s strategy) named(name, doc, source, structure string) strategy {
	s.Strategy = engine.Strategy{
		Kernel: engine.BFS, Name: name, Doc: doc, Source: source, Structure: structure,
		Memory: func(vertices, tuples uint64) []engine.Allocation {
			return s.plan(vertices, min(vertices, 2*tuples), 2*tuples, usualL2)
		},
	}
	return s
}

// lookUp returns the strategy of the given name.
func lookUp(name string) (strategy, bool) {
	all := table()
	i := slices.IndexFunc(all, func(s strategy) bool { return s.Name == name })
	if i < 0 {
		return strategy{}, false
	}
	return all[i], true
}
