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

// strategy is a search algorithm that the user selects by name.
type strategy struct {
	engine.Strategy

	// load loads the modules of a search.
	load func(d *device.Device) error

	// newSearch creates a search. Its optional allocations must leave reserve bytes
	// of the arena free. With counted it is the instrumented, slow form for Counts.
	newSearch func(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Local], counted bool, reserve uint64) (search, error)

	// plan lists the allocations of a search on a graph of the given numbers of
	// vertices, CSR rows and arcs (directed edges), on a device with l2 bytes of
	// second-level cache. optional lists the allocations that it makes only if they
	// fit.
	plan, optional func(vertices, rows, arcs uint64, l2 int) []engine.Allocation
}

// search is a strategy prepared for one graph. Search writes the parent of every
// vertex reachable from root, which must have a row. All parents must be engine.None
// before. Profile and Counts describe the last search; the profile is valid until the
// next search, and Counts needs a counted search.
type search interface {
	Search(ctx context.Context, root engine.Local) error
	Profile() (engine.Profile, error)
	Counts() (engine.Counts, error)
	Close() error
}

// Strategies lists all strategies, from the simplest to the fastest. A new technique
// in package techniques becomes a strategy here.
func Strategies() (list []engine.Strategy) {
	for _, s := range table() {
		list = append(list, s.Strategy)
	}
	return list
}

func table() (list []strategy) {
	for _, t := range techniques.All() {
		if t.Kernel == engine.BFS {
			list = append(list, textbook(t))
		}
	}
	s := strategy{
		load:     bfs.Load,
		plan:     bfs.Plan,
		optional: bfs.OptionalPlan,
		newSearch: func(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Local], counted bool, reserve uint64) (search, error) {
			return bfs.New(ctx, d, g, parents, counted, reserve)
		},
	}
	return append(list, s.named(defaultStrategy,
		"direction-optimizing, in one kernel controlled on the GPU: evenly distributed queues of arcs, dense passes over first neighbours",
		"Beamer et al. 2012, Merrill et al. 2012", "CSR, CSC"))
}

// textbook returns the strategy of a technique.
func textbook(t techniques.Technique) strategy {
	s := strategy{
		load: t.Load,
		plan: func(vertices, rows, arcs uint64, _ int) []engine.Allocation { return t.Plan(vertices, rows, arcs) },
		newSearch: func(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Local], counted bool, _ uint64) (search, error) {
			return t.New(ctx, d, g, parents, counted)
		},
		optional: func(_, _, _ uint64, _ int) []engine.Allocation { return nil },
	}
	return s.named(t.Name, t.Doc, t.Source, t.Structure)
}

// defaultL2 is the second-level cache of an H200 in bytes, for memory estimates
// without a device.
const defaultL2 = 60 << 20

// named fills in Strategy. Its memory estimate assumes the maximum numbers of rows
// and arcs.
func (s strategy) named(name, doc, source, structure string) strategy {
	s.Strategy = engine.Strategy{
		Kernel: engine.BFS, Name: name, Doc: doc, Source: source, Structure: structure,
		Memory: func(vertices, tuples uint64) []engine.Allocation {
			return s.plan(vertices, min(vertices, 2*tuples), 2*tuples, defaultL2)
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
