//go:build cuda

package gpu

import (
	"context"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/bfs"
	"graph500/kernels/construct"
	"graph500/kernels/sssp"
	"graph500/techniques"
)

// strategy is a search algorithm that the user selects by kernel and name.
type strategy struct {
	engine.Strategy

	// load loads the modules of a search.
	load func(d *device.Device) error

	// newSearch creates a search.
	newSearch func(ctx context.Context, in input) (search, error)

	// plan lists the allocations of a search on a graph of the given numbers of
	// vertices, CSR rows and arcs (directed edges), on a device with l2 bytes of
	// second-level cache. optional, unless nil, lists the allocations that it makes
	// only if they fit.
	plan, optional func(vertices, rows, arcs uint64, l2 int) []engine.Allocation
}

// input is what a search works with. The caller of newSearch still owns all of it.
type input struct {
	device        *device.Device
	graph         *construct.Graph // of BFS
	weightedGraph *construct.Graph // of SSSP
	results                        // that the search writes
	delta         float32          // width of a bucket, for strategies with UsesDelta
	counted       bool             // the instrumented, slow form for Counts
	reserve       uint64           // bytes of the arena that optional allocations must leave free
}

// search is a strategy prepared for one graph. Search writes the parent, and for SSSP the
// distance, of every vertex reachable from root, which must have a row. All parents must
// be engine.None and all distances engine.Unreached before. Profile and Counts describe
// the last search; the profile is valid until the next search, and Counts needs a counted
// search.
type search interface {
	Search(ctx context.Context, root engine.Local) error
	Profile() (engine.Profile, error)
	Counts() (engine.Counts, error)
	Close() error
}

// Strategies lists all strategies by kernel, from the simplest to the fastest.
func Strategies() (list []engine.Strategy) {
	for _, s := range table() {
		list = append(list, s.Strategy)
	}
	return list
}

// table lists all strategies by kernel, from the simplest to the fastest: the techniques
// of package techniques and the default search.
func table() (list []strategy) {
	for _, fastest := range []strategy{defaultBFS(), defaultSSSP()} {
		for _, t := range techniques.All() {
			if t.Kernel == fastest.Kernel {
				list = append(list, textbook(t))
			}
		}
		list = append(list, fastest)
	}
	return list
}

// defaultBFS returns the strategy of kernels/bfs.
func defaultBFS() strategy {
	return strategy{
		Strategy: engine.Strategy{
			Kernel: engine.BFS, Name: defaultStrategy, OverRanks: true,
			Doc:    "direction-optimizing, in one kernel controlled on the GPU: evenly distributed queues of arcs, dense passes over first neighbours",
			Source: "Beamer et al. 2012, Merrill et al. 2012", Structure: "CSR, CSC",
		},
		load:     bfs.Load,
		plan:     bfs.Plan,
		optional: bfs.OptionalPlan,
		newSearch: func(ctx context.Context, in input) (search, error) {
			return bfs.New(ctx, in.device, in.graph, in.parents, in.counted, in.reserve)
		},
	}.withMemory()
}

// defaultSSSP returns the strategy of kernels/sssp.
func defaultSSSP() strategy {
	return strategy{
		Strategy: engine.Strategy{
			Kernel: engine.SSSP, Name: defaultStrategy, OverRanks: true,
			Doc:    "in one kernel controlled on the GPU: pushes of arcs below a bound, then one pull from the lightest arcs of every other vertex",
			Source: "Chakaravarthy et al. 2014", Structure: "CSR by weight",
		},
		load: sssp.Load,
		plan: func(vertices, rows, _ uint64, _ int) []engine.Allocation { return sssp.Plan(vertices, rows) },
		newSearch: func(ctx context.Context, in input) (search, error) {
			return sssp.New(ctx, in.device, in.weightedGraph, in.parents, in.distances, in.counted)
		},
	}.withMemory()
}

// textbook returns the strategy of a technique.
func textbook(t techniques.Technique) strategy {
	return strategy{
		Strategy: engine.Strategy{Kernel: t.Kernel, Name: t.Name, Doc: t.Doc, Source: t.Source, Structure: t.Structure, UsesDelta: t.UsesDelta},
		load:     t.Load,
		plan:     func(vertices, rows, arcs uint64, _ int) []engine.Allocation { return t.Plan(vertices, rows, arcs) },
		newSearch: func(ctx context.Context, in input) (search, error) {
			if t.Kernel == engine.SSSP {
				return t.NewPaths(ctx, in.device, in.weightedGraph, in.parents, in.distances, in.delta, in.counted)
			}
			return t.New(ctx, in.device, in.graph, in.parents, in.counted)
		},
	}.withMemory()
}

// defaultL2 is the second-level cache of an H200 in bytes, for memory estimates
// without a device.
const defaultL2 = 60 << 20

// withMemory fills in the memory estimate, which assumes the maximum numbers of rows and
// arcs.
func (s strategy) withMemory() strategy {
	s.Memory = func(vertices, tuples uint64) []engine.Allocation {
		return s.plan(vertices, min(vertices, 2*tuples), 2*tuples, defaultL2)
	}
	return s
}

// lookUp returns the strategy with the kernel and name of another.
func lookUp(of engine.Strategy) (strategy, bool) {
	all := table()
	i := slices.IndexFunc(all, func(s strategy) bool { return s.Kernel == of.Kernel && s.Name == of.Name })
	if i < 0 {
		return strategy{}, false
	}
	return all[i], true
}
