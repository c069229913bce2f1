//go:build cuda

package techniques

import (
	"context"
	"errors"
	"slices"
	"testing"

	"graph500/conformance"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/construct/constructtest"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
)

// techniquesOf returns the techniques of a kernel.
func techniquesOf(k engine.Kernel) []Technique {
	return slices.DeleteFunc(All(), func(t Technique) bool { return t.Kernel != k })
}

// testCase is a graph on the host and on the device.
type testCase struct {
	device   *device.Device
	vertices int
	graph    *construct.Graph
	parents  device.Array[engine.Label]
	tuples   []engine.Edge
}

// newTestCase returns a test case that lives until the test ends.
func newTestCase(t *testing.T, d *device.Device, vertices int, tuples []engine.Edge) *testCase {
	t.Helper()
	c := &testCase{device: d, vertices: vertices, tuples: tuples}
	onDevice := generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: tuples})
	t.Cleanup(func() { devicetest.Close(t, onDevice) })
	var err error
	if c.graph, err = constructtest.OnOne(t, d, vertices, onDevice, construct.Form{}, construct.Input{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { devicetest.Close(t, c.graph) })
	c.parents = devicetest.Array[engine.Label](t, d, vertices)
	return c
}

// new prepares a search in memory with arbitrary contents and closes it when the test
// ends. It checks that the memory in use equals the plan.
func (c *testCase) new(t *testing.T, technique Technique, counted bool) *Search {
	t.Helper()
	devicetest.Dirty(t, c.device, 8<<20)
	free := c.device.Free()
	s, err := technique.New(t.Context(), c.device, c.graph, c.parents, counted)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		devicetest.Close(t, s)
		if c.device.Free() != free {
			t.Errorf("%d bytes are free after %d", c.device.Free(), free)
		}
	})
	plan := technique.Plan(uint64(c.vertices), uint64(c.graph.ByDegree.Rows.Len()), uint64(c.graph.ByDegree.Neighbors.Len()))
	if taken, want := free-c.device.Free(), engine.Peak(plan, engine.DeviceMemory); taken != want {
		t.Errorf("%d bytes are used, %d planned", taken, want)
	}
	return s
}

// search searches from root and checks parents and levels.
func (c *testCase) search(t *testing.T, s *Search, root engine.Label) {
	t.Helper()
	if err := c.parents.Fill(0xFF); err != nil {
		t.Fatal(err)
	}
	if err := s.Search(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	answer := conformance.AnswerOf(c.vertices, engine.Tuples{Edges: c.tuples}, root)
	profile, err := s.Profile()
	if err := errors.Join(err, answer.Judge(engine.BFS, devicetest.Host(t, c.parents), nil), answer.JudgeLevels(profile)); err != nil {
		t.Fatal(err)
	}
	if profile.DeviceSeconds <= 0 {
		t.Fatalf("%v s by the device's clock", profile.DeviceSeconds)
	}
}

func path(vertices int) (tuples []engine.Edge) {
	for v := range engine.Label(vertices - 1) {
		tuples = append(tuples, engine.Edge{U: v + 1, V: v})
	}
	return tuples
}

// Every technique, and its form that counts, searches an official graph.
func TestOfficialGraphs(t *testing.T) {
	scale := devicetest.Sized(12, 8)
	c := newTestCase(t, devicetest.Open(t), 1<<scale, devicetest.OfficialTuples(scale))
	for _, technique := range techniquesOf(engine.BFS) {
		t.Run(technique.Name, func(t *testing.T) {
			for _, counted := range []bool{false, true} {
				s := c.new(t, technique, counted)
				for _, e := range c.tuples[:2] {
					c.search(t, s, e.U)
				}
			}
		})
	}
}

// For some techniques the exact work counts of a search are known.
func TestCounts(t *testing.T) {
	const leaves = 999
	var star []engine.Edge
	for v := range engine.Label(leaves) {
		star = append(star, engine.Edge{U: 0, V: v + 1})
	}
	c := newTestCase(t, devicetest.Open(t), leaves+1, star)
	const arcs = 2 * leaves
	want := map[string]engine.Counts{ // from the centre: two levels, the second in vain
		"push":            {Examined: arcs, Launches: 3},
		"pull":            {Examined: leaves, Launches: 3},
		"edge":            {Examined: 2 * arcs, Launches: 3},
		"spmv":            {Examined: leaves, Atomics: (leaves + device.BlockThreads) / device.BlockThreads, Launches: 5},
		"bitmap-frontier": {Examined: arcs, Launches: 3},
	}
	for _, technique := range techniquesOf(engine.BFS) {
		w, ok := want[technique.Name]
		if !ok {
			continue
		}
		s := c.new(t, technique, true)
		for range 2 { // the counts of a search do not include earlier searches
			c.search(t, s, 0)
			if got, err := s.Counts(); err != nil || got != w {
				t.Errorf("%s: %+v, want %+v (%v)", technique.Name, got, w, err)
			}
		}
		if _, err := c.new(t, technique, false).Counts(); err == nil {
			t.Errorf("%s: a search that does not count has counts", technique.Name)
		}
	}
}

func TestStopsWithItsContext(t *testing.T) {
	c := newTestCase(t, devicetest.Open(t), 3, []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}})
	for _, technique := range techniquesOf(engine.BFS) {
		s := c.new(t, technique, false)
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		cancel(stop)
		if err := s.Search(ctx, 0); err != stop {
			t.Errorf("%s: err = %v", technique.Name, err)
		}
		c.search(t, s, 1)
	}
}

// A failed New frees all memory.
func TestFailedNewFreesMemory(t *testing.T) {
	d := devicetest.OpenWith(t, device.Options{})
	if err := d.Reserve(4 << 20); err != nil {
		t.Fatal(err)
	}
	c := newTestCase(t, d, 1000, path(1000))
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	for _, technique := range techniquesOf(engine.BFS) {
		if _, err := technique.New(ctx, d, c.graph, c.parents, false); err != stop {
			t.Errorf("%s: err = %v", technique.Name, err)
		}
		plan := technique.Plan(uint64(c.vertices), uint64(c.graph.ByDegree.Rows.Len()), uint64(c.graph.ByDegree.Neighbors.Len()))
		left := engine.Peak(plan, engine.DeviceMemory) - device.Alignment
		_, free := devicetest.Borrowed[byte](t, d, int(d.Free()-left))
		var full *device.MemoryError
		if _, err := technique.New(t.Context(), d, c.graph, c.parents, false); !errors.As(err, &full) {
			t.Errorf("%s: err = %v", technique.Name, err)
		}
		if d.Free() != left {
			t.Errorf("%s: %d bytes are free after %d", technique.Name, d.Free(), left)
		}
		free()
	}
}

// Every technique has an implementation, the text for the list of strategies, and a plan that
// grows with the graph.
func TestTable(t *testing.T) {
	if len(implementations) != len(Texts()) {
		t.Errorf("%d implementations, %d texts", len(implementations), len(Texts()))
	}
	names := make(map[string]bool)
	for _, technique := range All() {
		if technique.newSearch == nil || len(technique.modules) == 0 {
			t.Fatalf("%s has no implementation", technique.Name)
		}
		if technique.Name == "" || names[technique.Name] || technique.Doc == "" || technique.Source == "" ||
			!slices.Contains([]string{"CSR", "CSC", "COO", "CSR, CSC"}, technique.Structure) {
			t.Errorf("%+v", technique)
		}
		names[technique.Name] = true
		bytes := func(vertices, rows, arcs uint64) uint64 {
			return engine.Peak(technique.Plan(vertices, rows, arcs), engine.DeviceMemory)
		}
		if small, large := bytes(1<<20, 1<<19, 1<<24), bytes(1<<24, 1<<23, 1<<28); small == 0 || large <= small {
			t.Errorf("%s needs %d and %d bytes", technique.Name, small, large)
		}
	}
}
