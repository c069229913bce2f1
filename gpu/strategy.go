//go:build cuda

package gpu

import (
	"context"
	"slices"

	"graph500/device"
	"graph500/device/exchange"
	"graph500/engine"
	"graph500/kernels/bfs"
	"graph500/kernels/construct"
	"graph500/kernels/distributed"
	"graph500/kernels/hostrows"
	"graph500/kernels/hubs"
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

	// plan lists the allocations of a search on a device. optional, unless nil, lists the
	// allocations that it makes only if they fit.
	plan, optional func(s sizes) []engine.Allocation

	uncounted bool // it has no counted form (input.counted)
	wide      bool // its searches write parents of 64 bits themselves if labels have 48 bits (input.wide)
}

// input is what a search works with. The caller of newSearch still owns all of it. The slices
// have an element for each device of this process.
type input struct {
	team      *device.Team
	graphs    []*construct.Graph
	parents   []device.Array[engine.Label] // that the search writes
	wide      []device.Array[int64]        // the same of 64 bits, of the ranges of the devices; nil for labels of 32 bits
	distances []device.Array[float32]      // the same, of SSSP
	exchange  exchange.Exchange            // of devices that do not access each other's memory, else nil
	buffers   []device.Array[byte]         // for the exchange
	delta     float32                      // width of a bucket, for strategies with UsesDelta
	counted   bool                         // the instrumented, slow form for Counts
	reserve   uint64                       // bytes of the arena that optional allocations must leave free
	host      *hostrows.Buffers            // of rows in host memory, else nil
	l2        int                          // bytes of the second-level cache by which all ranks plan
}

// device returns the only device.
func (in input) device() *device.Device { return in.team.Devices()[0] }

// search is a strategy prepared for one graph. Search writes the parent, and for SSSP the
// distance, of every vertex reachable from root, which must have a row, on the device that has
// the row of the vertex. All parents must be engine.None and all distances engine.Unreached
// before. Ready is called just before a timed one, outside the clock: a search of one launch makes ready for it.
// Profile describes the last search; it is valid until the next search.
type search interface {
	Ready() error
	Search(ctx context.Context, root engine.Label) error
	Profile() (engine.Profile, error)
	Close() error
}

// counter is a search, prepared as a counted one, that knows what the last search did.
type counter interface {
	Counts() (engine.Counts, error)
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
	for _, fastest := range []strategy{defaultBFS(1, false), defaultSSSP(1, false)} {
		for _, t := range techniques.All() {
			if t.Kernel == fastest.Kernel {
				list = append(list, textbook(t))
			}
		}
		list = append(list, fastest)
	}
	return list
}

// defaultBFS returns the strategy of kernels/bfs on that many devices, of split rows or others.
func defaultBFS(devices int, split bool) strategy {
	return strategy{
		Strategy: engine.Strategy{
			Kernel: engine.BFS, Name: defaultStrategy, OverRanks: true,
			Doc:    "direction-optimizing, in one kernel controlled on the GPU: evenly distributed queues of arcs, dense passes over first neighbours",
			Source: "Beamer et al. 2012, Merrill et al. 2012", Structure: "CSR, CSC",
		},
		load:     func(d *device.Device) error { return bfs.Load(d, devices, split) },
		plan:     func(s sizes) []engine.Allocation { return bfs.Plan(s.ofBFS(split)) },
		optional: func(s sizes) []engine.Allocation { return bfs.OptionalPlan(s.ofBFS(split)) },
		newSearch: func(ctx context.Context, in input) (search, error) {
			return found(bfs.New(ctx, in.team, in.graphs, in.parents, bfs.Options{Counted: in.counted, L2: in.l2, Reserve: in.reserve}))
		},
	}.withMemory()
}

// ofBFS returns the sizes as kernels/bfs takes them.
func (s sizes) ofBFS(split bool) bfs.Sizes {
	return bfs.Sizes{
		Vertices: s.vertices, Rows: s.rows, OwnLabels: s.ownLabels, OwnRows: s.ownRows, OwnArcs: s.arcs / uint64(s.devices),
		Exceptions: s.exceptions, Devices: s.devices, Split: split, L2: s.l2,
	}
}

// defaultSSSP returns the strategy of kernels/sssp on that many devices, of split rows or others.
func defaultSSSP(devices int, split bool) strategy {
	return strategy{
		Strategy: engine.Strategy{
			Kernel: engine.SSSP, Name: defaultStrategy, OverRanks: true,
			Doc:    "in one kernel controlled on the GPU: pushes of arcs below a bound, then one pull from the lightest arcs of every other vertex",
			Source: "Chakaravarthy et al. 2014", Structure: "CSR by weight",
		},
		load: func(d *device.Device) error { return sssp.Load(d, devices, split) },
		plan: func(s sizes) []engine.Allocation { return sssp.Plan(s.vertices, s.rows, s.ownRows, s.devices) },
		newSearch: func(ctx context.Context, in input) (search, error) {
			return found(sssp.New(ctx, in.team, in.graphs, in.parents, in.distances, in.counted))
		},
	}.withMemory()
}

// textbook returns the strategy of a technique.
func textbook(t techniques.Technique) strategy {
	return strategy{
		Strategy: engine.Strategy{Kernel: t.Kernel, Name: t.Name, Doc: t.Doc, Source: t.Source, Structure: t.Structure, UsesDelta: t.UsesDelta},
		load:     t.Load,
		plan:     func(s sizes) []engine.Allocation { return t.Plan(s.vertices, s.rows, s.arcs) },
		newSearch: func(ctx context.Context, in input) (search, error) {
			if t.Kernel == engine.SSSP {
				return found(t.NewPaths(ctx, in.device(), in.graphs[0], in.parents[0], in.distances[0], in.delta, in.counted))
			}
			return found(t.New(ctx, in.device(), in.graphs[0], in.parents[0], in.counted))
		},
	}.withMemory()
}

// found returns a search that was created, and no interface that holds a nil pointer with an
// error.
func found[S search](s S, err error) (search, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// defaultL2 is the second-level cache of an H200 in bytes, for memory estimates
// without a device.
const defaultL2 = 60 << 20

// withMemory fills in the memory estimate for one device, which assumes the maximum numbers of
// rows and arcs.
func (s strategy) withMemory() strategy {
	s.Memory = func(vertices, tuples uint64) []engine.Allocation {
		rows := min(vertices, 2*tuples)
		return s.plan(sizes{vertices: vertices, rows: rows, ownLabels: vertices, ownRows: rows, exceptions: rows, arcs: 2 * tuples, devices: 1, l2: defaultL2})
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

// strategyOf returns the strategy with the kernel and name of another, as it searches a graph in
// that layout. Only the default ones search split rows, or on several devices.
func (p planner) strategyOf(of engine.Strategy, job engine.Job, l layout) (strategy, bool) {
	s, ok := lookUp(of)
	byHubs := l.byHubs && s.Kernel == engine.BFS
	switch {
	case !ok:
		return s, false
	case s.Name != defaultStrategy:
		return s, p.count() == 1 && !byHubs
	case byHubs:
		return s.byHubs(p.formByHubs(job.Vertices), p.count(), l.splits()), true
	case p.distributed:
		return s.distributed(), true
	case s.Kernel == engine.SSSP:
		return defaultSSSP(p.count(), l.splits()), true
	case l.splits() && !l.hasPrefix():
		return s.onHost(l, p.tails(job, l, s.Kernel)), true
	}
	return defaultBFS(p.count(), l.splits()), true
}

// byHubs returns the search of BFS by the depths of hubs, of graphs in a form, on that many devices, of
// split rows or others. Of these, nothing is counted.
func (s strategy) byHubs(f hubs.Form, devices int, split bool) strategy {
	s.load, s.optional, s.uncounted = func(d *device.Device) error { return hubs.Load(d, devices, split) }, nil, !split
	s.wide = true
	s.plan = func(z sizes) []engine.Allocation { return hubs.Plan(f, z.ownLabels, z.ownRows, z.rows, devices) }
	s.newSearch = func(ctx context.Context, in input) (search, error) {
		var graphs []*hubs.Graph
		var parents []hubs.Parents
		for i, g := range in.graphs {
			graphs = append(graphs, g.ByHubs)
			p := hubs.Parents{Narrow: in.parents[i]}
			if in.wide != nil {
				p = hubs.Parents{Wide: in.wide[i]}
			}
			parents = append(parents, p)
		}
		return found(hubs.New(ctx, in.team, graphs, parents, in.counted))
	}
	return s
}

// distributed returns the search of a default strategy on devices that do not access each
// other's memory.
func (s strategy) distributed() strategy {
	s.optional = nil
	if s.Kernel == engine.SSSP {
		s.load = distributed.LoadPaths
		s.plan = func(z sizes) []engine.Allocation { return distributed.PathsPlan(z.vertices, z.rows, z.ownRows) }
		s.newSearch = func(ctx context.Context, in input) (search, error) {
			return found(distributed.NewPaths(ctx, in.team, in.exchange, in.graphs, in.parents, in.distances, in.buffers))
		}
		return s
	}
	s.load = distributed.Load
	s.plan = func(z sizes) []engine.Allocation { return distributed.Plan(z.vertices, z.rows, z.ownRows) }
	s.newSearch = func(ctx context.Context, in input) (search, error) {
		return found(distributed.New(ctx, in.team, in.exchange, in.graphs, in.parents, in.buffers))
	}
	return s
}

// onHost returns the search of BFS if all neighbours, tails of them, are in host memory.
func (s strategy) onHost(l layout, tails uint64) strategy {
	s.load, s.optional = hostrows.Load, nil
	s.plan = func(z sizes) []engine.Allocation { return l.form.Plan(z.vertices, z.rows, tails) }
	s.newSearch = func(ctx context.Context, in input) (search, error) {
		return found(hostrows.New(ctx, in.device(), in.graphs[0], in.parents[0], l.form, in.host, in.counted))
	}
	return s
}
