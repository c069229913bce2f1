//go:build cuda

package gpu

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/validate"
	"graph500/kronecker"
)

// free returns the free bytes of the device's memory.
func (e *testEngine) free(t *testing.T) uint64 {
	t.Helper()
	free, _, err := e.device.Memory()
	if err != nil {
		t.Fatal(err)
	}
	return free
}

// used returns the used bytes of the arena.
func (e *testEngine) used() uint64 { return e.device.Reserved() - e.device.Free() }

// The plan equals the memory in use to the byte, on a graph that has the maximum
// numbers of rows and arcs that the plan assumes.
func TestPlanIsWhatIsTaken(t *testing.T) {
	eachStrategy(t, func(t *testing.T, strategy string) { checkTaken(t, start(t, strategy)) })
}

// checkTaken compares the plan of a loaded graph with the memory in use.
func checkTaken(t *testing.T, e *testEngine) {
	t.Helper()
	const vertices = 300
	var cycle []engine.Edge // deep enough for validation to use its table for deep trees
	for v := range engine.Label(vertices) {
		cycle = append(cycle, engine.Edge{U: v, V: (v + 1) % vertices})
	}
	if err := e.Load(t.Context(), vertices, inMemory(t, cycle)); err != nil {
		t.Fatal(err)
	}
	plan := slices.DeleteFunc(e.Plan(e.jobs[0].Job).Memory, func(a engine.Allocation) bool {
		return a.Name == "exceptions" || a.Name == "minor exceptions" // vertices whose first neighbour is no hub: all are hubs here
	})
	without := slices.DeleteFunc(slices.Clone(plan), func(a engine.Allocation) bool {
		return a == validate.DeepPlan(vertices)[0] // allocated at the first deep tree
	})
	of := func(phase engine.Phase) uint64 { return engine.PeakIn(plan, engine.DeviceMemory, phase) }
	reserved, left := e.device.Reserved(), e.free(t)
	if want := engine.Peak(e.Plan(e.jobs[0].Job).Memory, engine.DeviceMemory); reserved != want {
		t.Errorf("%d bytes are reserved, %d planned", reserved, want)
	}
	if e.used() != of(engine.Loading) {
		t.Errorf("%d bytes after loading, %d planned", e.used(), of(engine.Loading))
	}
	if _, err := e.Engine.Construct(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e.device.Peak() != of(engine.Loading|engine.Construction) {
		t.Errorf("%d bytes in construction, %d planned", e.device.Peak(), of(engine.Loading|engine.Construction))
	}
	if err := e.use(t.Context(), e.strategy); err != nil {
		t.Fatal(err)
	}
	if want := engine.PeakIn(without, engine.DeviceMemory, engine.Loading|engine.Construction|engine.Searching); e.device.Peak() != want {
		t.Errorf("%d bytes until the search is prepared, %d planned", e.device.Peak(), want)
	}
	if err := errors.Join(e.Clear(), e.Search(t.Context(), 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e.used() != of(engine.Search) {
		t.Errorf("%d bytes in the search, %d planned", e.used(), of(engine.Search))
	}
	if now := e.free(t); now+driverBytes < left { // what it took for itself
		t.Errorf("the driver has %d bytes, and had %d when the memory was reserved", now, left)
	}
	if err := e.closeSearcher(); err != nil {
		t.Error(err)
	}
}

// An official graph uses at most the planned memory, for each memory limit.
func TestPlanCoversWhatIsTaken(t *testing.T) {
	spec := devicetest.Official(devicetest.Sized(12, 10))
	vertices, tuples := official(spec.Scale)
	for _, l := range []layout{whole(tuples, 4, 1), whole(1<<12, 4, 1), whole(1<<12, 6, 3), whole(1<<12, 4, maxBatch)} {
		job := engine.Job{Vertices: vertices, Tuples: tuples, Connected: spec.MaxConnected(), Strategies: []engine.Strategy{named("default")}, Searches: maxBatch}
		most := engine.Peak(planned(0).required(job, l), engine.DeviceMemory)
		e := startWith(t, named("default"), most, 1<<12)
		if err := e.Generate(t.Context(), spec, nil); err != nil {
			t.Fatal(err)
		}
		root := constructed(t, e, spec)
		if err := errors.Join(e.Clear(), e.Search(t.Context(), root)); err != nil {
			t.Fatal(err)
		}
		for range e.searcher.Capacity() {
			if err := e.searcher.Keep(); err != nil {
				t.Fatal(err)
			}
		}
		if trees, err := e.searcher.Check(t.Context()); err != nil || len(trees) != e.searcher.Capacity() {
			t.Fatalf("%d trees of %d, %v", len(trees), e.searcher.Capacity(), err)
		}
		if e.device.Reserved() > most {
			t.Errorf("%+v: %d bytes are reserved of %d", l, e.device.Reserved(), most)
		}
	}
}

// The memory limit is the given or the free memory, less driverBytes.
func TestMemory(t *testing.T) {
	e := start(t, "default")
	free := e.free(t)
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
}

// Another process may take memory between the plan and the reservation.
func TestOutOfMemory(t *testing.T) {
	e, other := start(t, "default"), start(t, "default")
	const taken = 64 << 20
	if err := other.members[0].device.Reserve(e.free(t) - taken); err != nil {
		t.Fatal(err)
	}
	err := e.prepare(generated(kronecker.Spec{Scale: 20, EdgeFactor: 16}))
	var full *device.MemoryError
	if !errors.As(err, &full) || full.Reserved != 0 || !strings.HasPrefix(err.Error(), "preparation on GPU 0: out of GPU memory: the arena needs ") {
		t.Error(err)
	}
}
