//go:build cuda

package gpu

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/conformance"
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/validate"
)

// The plan equals the memory in use to the byte, on a graph that has the maximum numbers of rows and arcs
// that the plan assumes, for each strategy, for both kernels, and with labels of 48 bits.
func TestPlanIsWhatIsTaken(t *testing.T) {
	for _, of := range append(strategiesOf(engine.BFS), shortestPaths()) {
		t.Run(string(of.Kernel)+" "+of.Name, func(t *testing.T) { checkTaken(t, one, of) })
	}
	t.Run("both kernels", func(t *testing.T) { checkTaken(t, one, bothKernels()...) })
	wide := one
	wide.wide = true
	t.Run("48 bits", func(t *testing.T) { checkTaken(t, wide, bothKernels()...) })
}

// checkTaken compares the plan of a loaded graph with the memory in use.
func checkTaken(t *testing.T, a arrangement, strategies ...engine.Strategy) {
	const vertices = 300
	g := conformance.Graph{Vertices: vertices, Tuples: engine.Tuples{Weights: slices.Repeat([]float32{1}, vertices)}}
	for v := range engine.Label(vertices) { // deep enough for the tables of deep trees
		g.Tuples.Edges = append(g.Tuples.Edges, engine.Edge{U: v, V: (v + 1) % vertices})
	}
	r := startTeam(t, a, Options{})
	job, e := a.job(g, 64, strategies...), r.engines[0]
	d := e.members[0].device
	r.provide(t, g, job)
	left, _, err := d.Memory()
	if err != nil {
		t.Fatal(err)
	}
	plan := slices.DeleteFunc(e.Plan(job).Memory, func(a engine.Allocation) bool {
		return a.Name == "exceptions" || a.Name == "minor exceptions" // vertices whose first neighbour is no hub: all are hubs here
	})
	deep := validate.DeepPlan(vertices)[0]
	isDeep := func(a engine.Allocation) bool { return a == deep } // allocated at the first deep tree
	without := slices.DeleteFunc(slices.Clone(plan), isDeep)
	compare := func(when string, got uint64, plan []engine.Allocation, phase engine.Phase) {
		t.Helper()
		if want := engine.PeakIn(plan, engine.DeviceMemory, phase); got != want {
			t.Errorf("%s: %d bytes, %d planned", when, got, want)
		}
	}
	if want := engine.Peak(e.Plan(job).Memory, engine.DeviceMemory); d.Reserved() != want {
		t.Errorf("%d bytes are reserved, %d planned", d.Reserved(), want)
	}
	compare("after loading", d.Reserved()-d.Free(), plan, engine.Loading)
	if _, err := e.Construct(t.Context()); err != nil {
		t.Fatal(err)
	}
	compare("in construction", d.Peak(), plan, engine.Loading|engine.Construction)
	if err := r.open(t.Context(), 0, job); err != nil {
		t.Fatal(err)
	}
	compare("until the search is prepared", d.Peak(), without, engine.Loading|engine.Construction|engine.Searching)
	for _, s := range r.searchers[0] {
		for root := range s.Capacity() {
			if err := searched(t.Context(), s, engine.Label(root)); err != nil {
				t.Fatal(err)
			}
		}
		if trees, err := s.Check(t.Context()); err != nil || trees[0].Depth != vertices/2 {
			t.Fatalf("%+v, %v", trees, err)
		}
	}
	compare("in the search", d.Reserved()-d.Free(), plan, engine.Search)
	if now, _, err := d.Memory(); err != nil || now+driverBytes < left { // what it took for itself
		t.Errorf("the driver has %d bytes, and had %d when the memory was reserved (%v)", now, left, err)
	}
}

// The memory limit is the given or the free memory, less driverBytes and 8 bytes for 4 KiB of the GPUs of other ranks.
func TestMemory(t *testing.T) {
	e := startTeam(t, one, Options{}).engines[0]
	free, _, err := e.members[0].device.Memory()
	if err != nil {
		t.Fatal(err)
	}
	if limit := e.Memory(); limit.Bytes != free-driverBytes || !strings.HasPrefix(limit.Source, "free memory of ") {
		t.Errorf("%+v of %d bytes", limit, free)
	}
	for _, given := range []uint64{driverBytes + 1<<20, driverBytes + 1<<20 + 77, 1, free + 1} {
		other, err := New(t.Context(), cluster.Alone(), []int{0}, Options{MaxBytes: given})
		if err != nil {
			t.Fatal(err)
		}
		left, _, err := other.members[0].device.Memory() // less than before by the other engine's context
		if err != nil {
			t.Fatal(err)
		}
		want := min(given, left) - min(driverBytes, given, left)
		want -= want % device.Alignment
		limit := other.Memory()
		if limit.Bytes != want || strings.Contains(limit.Source, "-gpu-memory") != (given < free) {
			t.Errorf("%d bytes given: %+v", given, limit)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
	m, given := member{device: e.members[0].device}, uint64(driverBytes+64<<20)
	if err := m.limitMemory(given, 3); err != nil || m.limit.Bytes != 64<<20-(3*given/512+device.Alignment-1)/device.Alignment*device.Alignment {
		t.Errorf("%d bytes given, memory of three GPUs opened: %+v, %v", given, m.limit, err)
	}
}

// Another process may take memory between the plan and the reservation.
func TestOutOfMemory(t *testing.T) {
	e, other := startTeam(t, one, Options{}).engines[0], startTeam(t, one, Options{}).engines[0]
	free, _, err := e.members[0].device.Memory()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.members[0].device.Reserve(free - 64<<20); err != nil {
		t.Fatal(err)
	}
	err = e.Prepare(t.Context(), []engine.Plan{e.Plan(officialJob(20, false))}, nil)
	var full *device.MemoryError
	if !errors.As(err, &full) || full.Reserved != 0 || !strings.HasPrefix(err.Error(), "preparation on GPU 0: out of GPU memory: the arena needs ") {
		t.Error(err)
	}
}

// An engine knows its devices. Several GPUs take labels of one bit more than one GPU does. The width of the
// labels of the tuples is reported.
func TestInfo(t *testing.T) {
	e := startTeam(t, one, Options{}).engines[0]
	info := e.Info()
	d := info.Device
	if d.Name == "" || d.Driver == "" || d.BusID == "" || d.Architecture == "" || d.Multiprocessors < 1 || d.ClockMHz < 1 || d.MemoryClockMHz < 1 {
		t.Errorf("%+v", d)
	}
	if free := e.Memory().Bytes; free == 0 || free > d.Memory {
		t.Errorf("%d of %d bytes are free", free, d.Memory)
	}
	if info.MaxVertices != 1<<30 || info.LabelBits != 30 {
		t.Errorf("at most %d vertices, labels of %d bits", info.MaxVertices, info.LabelBits)
	}
	if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(officialJob(1, true))}, nil); err != nil {
		t.Fatal(err)
	}
	if rate, err := e.CopyBandwidth(); err != nil || rate <= 0 {
		t.Errorf("%g bytes a second, %v", rate, err)
	}
	if d := e.members[0].device; d.Free() != d.Reserved() {
		t.Errorf("%d of %d bytes are free after the measurement", d.Free(), d.Reserved())
	}
	for _, a := range []arrangement{{1, 2, engine.PeerExchange, false}, {1, 2, engine.HostExchange, true}} {
		e := startTeam(t, a, Options{}).engines[0]
		want := map[bool]int{false: 31, true: 48}[a.wide]
		job := a.job(conformance.Graph{Vertices: 1 << 11}, 1, named(defaultStrategy))
		if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}, nil); err != nil {
			t.Fatal(err)
		}
		if info := e.Info(); info.LabelBits != want || info.MaxVertices != 1<<31 || info.Exchange != a.exchange || len(info.Devices) != 2 {
			t.Errorf("%+v", info)
		}
		for vertices, fits := range map[uint64]bool{1 << 31: true, 1<<31 + 1: false} {
			err := e.begin(vertices)
			if tooWide := err != nil && strings.Contains(err.Error(), "need labels of more than 31 bits"); tooWide == fits {
				t.Errorf("%d vertices: %v", vertices, err)
			}
		}
	}
}
