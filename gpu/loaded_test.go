//go:build cuda

package gpu

import (
	"fmt"
	"slices"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/memory"
)

// smallLimit is a memory limit for small graphs that leaves memory for other engines.
const smallLimit = 1 << 25

// hostPart is the number of tuples on the device in tests with tuples on the host.
const hostPart = 500

// loadedJob is a run of the default search of a kernel on loaded tuples.
func loadedJob(of engine.Strategy, vertices uint64, tuples engine.Tuples) engine.Job {
	return engine.Job{Vertices: vertices, Tuples: uint64(len(tuples.Edges)), Loaded: true, Strategies: []engine.Strategy{of}, Searches: 64, Delta: 0.1}
}

// loadOnHost returns an engine with the graph of the tuples, which must stay on the host, and
// the facts of the graph without those of the residency.
func loadOnHost(t *testing.T, e *testEngine, vertices uint64, tuples engine.Tuples) engine.Graph {
	t.Helper()
	job := loadedJob(e.strategy, vertices, tuples)
	job.Wide, job.LoadedWide = e.wide, e.wide
	if job.Weighted() {
		tuples = owned(t, tuples)
	} else {
		tuples = inMemory(t, tuples.Edges)
	}
	if e.wide {
		tuples = widened(t, tuples)
	}
	if err := e.Load(t.Context(), vertices, tuples); err != nil {
		t.Fatal(err)
	}
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.HostTuples != engine.PageLocked || info.Regenerated {
		t.Fatalf("%+v", info)
	}
	plan := e.Plan(job).Memory
	if peak, most := e.device.Peak(), engine.Peak(plan, engine.DeviceMemory); peak > most || most > e.Engine.limit.Bytes {
		t.Errorf("%d bytes taken, %d planned, limit %d", peak, most, e.Engine.limit.Bytes)
	}
	bytes := 8 * job.Tuples
	if e.wide {
		bytes = 12 * job.Tuples
	}
	if job.Weighted() {
		bytes += 4 * job.Tuples
	}
	if most := engine.PeakIn(plan, engine.HostMemory, engine.Construction); most < bytes+uint64(info.HostBytes) {
		t.Errorf("%d bytes of host memory planned, tuples and neighbours take %d", most, bytes+uint64(info.HostBytes))
	}
	info.HostTuples, info.Prefix, info.HostBytes = "", 0, 0
	return info
}

// onlyParts returns the memory limit with which tuples do not fit, but all else does, with
// that many searches validated together.
func onlyParts(job engine.Job, batch int) uint64 {
	p := planned(0)
	return engine.Peak(p.required(job, whole(hostPart, construct.MostGroups, batch)), engine.DeviceMemory)
}

// Every residency searches a loaded graph whose tuples do not fit in the device's memory, with
// labels of either width.
func TestLoadedTuplesOnHost(t *testing.T) {
	spec := devicetest.Official(8)
	tuples := officialWeighted(spec)
	for i, residency := range engine.Residencies() {
		if residency == engine.AutoResidency {
			continue // it is one of the others
		}
		for k, wide := range []bool{false, true} {
			if testing.Short() && residency != engine.Resident && k != i%2 {
				continue
			}
			t.Run(fmt.Sprintf("%s, 48 bits: %v", residency, wide), func(t *testing.T) {
				job := loadedJob(named(defaultStrategy), spec.Vertices(), tuples)
				limit := uint64(smallLimit)
				if job.Wide, job.LoadedWide = wide, wide; residency == engine.Resident {
					limit = onlyParts(job, maxBatch)
				}
				e := startWith(t, named(defaultStrategy), limit, hostPart)
				e.wide, e.planner.residency = wide, residency
				_, c, want := onCPU(t, int(spec.Vertices()), tuples.Edges)
				if info := loadOnHost(t, e, spec.Vertices(), tuples); info != want {
					t.Errorf("%+v, want %+v", info, want)
				}
				if n := e.searcher.Capacity(); residency == engine.Resident && n != maxBatch {
					t.Errorf("%d searches are validated together", n)
				}
				for _, root := range e.keys(t, spec, 2, want) {
					compare(t, e, c, root)
				}
			})
		}
	}
}

func TestLoadedWeightsOnHost(t *testing.T) {
	spec := devicetest.Official(8)
	tuples := officialWeighted(spec)
	for _, residency := range []engine.Residency{engine.Resident, engine.Prefix} {
		job := loadedJob(shortestPaths(), spec.Vertices(), tuples)
		wide, limit := residency == engine.Prefix, uint64(smallLimit)
		if job.Wide, job.LoadedWide = wide, wide; residency == engine.Resident {
			limit = onlyParts(job, 1)
		}
		e := startWith(t, shortestPaths(), limit, hostPart)
		e.wide, e.planner.residency = wide, residency
		c, want := pathsOnCPU(t, spec.Vertices(), tuples)
		if info := loadOnHost(t, e, spec.Vertices(), tuples); info != want {
			t.Errorf("%s: %+v, want %+v", residency, info, want)
		}
		comparePaths(t, e.searcher, c, e.keys(t, spec, 3, want))
	}
}

// Errors name the first wrong tuple, in whatever part it is.
func TestWrongTuplesOnHost(t *testing.T) {
	tuples := engine.Tuples{Edges: slices.Repeat([]engine.Edge{{U: 0, V: 1}}, 9), Weights: make([]float32, 9)}
	tuples.Edges[6].V, tuples.Edges[8].U, tuples.Weights[5] = 5, 7, -1
	for of, want := range map[string]string{
		"bfs": "graph: tuple 6 (0, 5) names a vertex beyond the last one, 2", "sssp": "graph: tuple 5 has weight -1, weights must be finite and 0 or more",
	} {
		e := startWith(t, engine.Strategy{Kernel: engine.Kernel(of), Name: defaultStrategy}, smallLimit, 2)
		e.planner.residency = engine.Prefix
		if err := e.Load(t.Context(), 3, owned(t, tuples)); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Engine.Construct(t.Context()); err == nil || err.Error() != want {
			t.Errorf("%s: %v", of, err)
		}
	}
}

// The plan of a loaded graph has the tuples on the host, and not on the device, if they do
// not fit there.
func TestPlanOfTuplesOnHost(t *testing.T) {
	job := weightedJob(officialJob(29, true))
	p := planned(139 << 30)
	l := p.layoutOf(job)
	plan := append(p.plan(job, l), onHost(job, l.capacity < job.Tuples)...)
	for _, want := range []engine.Allocation{
		{Name: "tuples, a part at a time", Bytes: 4 * regeneratedPart, Place: engine.DeviceMemory},
		{Name: "weights, the next part", Bytes: 2 * regeneratedPart, Place: engine.DeviceMemory},
		{Name: "tuples on the host", Bytes: 8 * job.Tuples},
		{Name: "weights on the host", Bytes: 4 * job.Tuples},
	} {
		if !slices.Contains(plan, want) {
			t.Errorf("no %+v in %+v of %s", want, plan, memory.Size(p.limit))
		}
	}
}

// With the number of connected vertices, less memory is planned, and it is enough.
func TestConnectedVerticesOfLoadedTuples(t *testing.T) {
	const vertices = 1 << 12
	var edges []engine.Edge
	for v := engine.Label(0); v < vertices/8; v++ { // a ring with chords, and isolated vertices
		edges = append(edges, engine.Edge{U: 8 * v, V: (8*v + 8) % vertices}, engine.Edge{U: 8 * v, V: (64*v + 8) % vertices}, engine.Edge{U: 8 * v, V: 0})
	}
	of := named(defaultStrategy)
	unknown := loadedJob(of, vertices, engine.Tuples{Edges: edges})
	job := unknown
	job.Connected = vertices / 8
	p := planned(0)
	p.part, p.residency, p.hubsFrom = hostPart, engine.Prefix, 1
	smallest := func(job engine.Job) uint64 {
		return engine.Peak(p.required(job, p.leastSplit(job)), engine.DeviceMemory)
	}
	limit := smallest(job)
	if limit >= smallest(unknown) {
		t.Errorf("%d bytes, without the number of connected vertices %d", limit, smallest(unknown))
	}
	e := startSplit(t, of, engine.Prefix, limit)
	e.planner.part = hostPart
	if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}); err != nil {
		t.Fatal(err)
	}
	if err := e.Engine.Load(t.Context(), vertices, inMemory(t, edges)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Construct(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, c, _ := onCPU(t, vertices, edges)
	compare(t, e, c, 8)
	if peak, plan := e.device.Peak(), engine.Peak(e.Plan(job).Memory, engine.DeviceMemory); peak > plan || plan > e.Engine.limit.Bytes {
		t.Errorf("%d bytes taken, %d planned, limit %d", peak, plan, e.Engine.limit.Bytes)
	}
}
