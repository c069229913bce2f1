//go:build cuda

package techniques

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
)

// withLog returns the techniques of SSSP with a log of that capacity.
func withLog(capacity uint64) []Technique {
	p := paths{capacity: capacity}
	return []Technique{
		with("bellman-ford", func() search { return &bellmanFordSearch{paths: p} }),
		with("near-far", func() search { return &nearFarSearch{paths: p} }),
		with("delta-stepping", func() search { return &deltaSteppingSearch{paths: p} }),
	}
}

// weighted returns tuples with the same weight everywhere.
func weighted(edges []engine.Edge, weight float32) engine.Tuples {
	return engine.Tuples{Edges: edges, Weights: slices.Repeat([]float32{weight}, len(edges))}
}

// A round with more arcs than the log holds is processed in portions, which divide rows.
func TestSmallLogs(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(5, 6))
	const vertices = 100
	edges := devicetest.RandomTuples(r, vertices)
	for v := range engine.Label(vertices) { // a long row, and repeated arcs
		edges = append(edges, engine.Edge{U: 7, V: v}, engine.Edge{U: v, V: 7})
	}
	mixed := weighted(edges, 0)
	for i := range mixed.Weights {
		mixed.Weights[i] = r.Float32()
	}
	for name, tuples := range map[string]engine.Tuples{"zero": weighted(edges, 0), "uniform": mixed} {
		c := newPathCase(t, d, vertices, tuples)
		for _, capacity := range []uint64{1, 3, 64} {
			t.Run(fmt.Sprint(name, capacity), func(t *testing.T) { c.run(t, withLog(capacity), []float32{0.1}, 0, vertices-1) })
		}
	}
}

// A vertex whose row is divided is relaxed again if it improves between the portions, and
// so is a vertex that improves before its own portion. The root's arcs give the vertices of
// a row large distances, and the path along the row small ones.
func TestImprovedBetweenPortions(t *testing.T) {
	d := devicetest.Open(t)
	const n = 40
	var tuples engine.Tuples
	for v := range engine.Label(n) {
		for w := range v {
			distance := v - w // along the path it is 1 each
			tuples.Edges = append(tuples.Edges, engine.Edge{U: v, V: w})
			tuples.Weights = append(tuples.Weights, float32(distance*distance))
		}
	}
	c := newPathCase(t, d, n, tuples)
	for _, capacity := range []uint64{1, 7, n} {
		c.run(t, withLog(capacity), []float32{1, 10, 1e9}, 0, n/2)
	}
}

// On a path every vertex is relaxed once, and the numbers of launches are known: two for
// the start and for each round, one for each collection of the pile, and one for the results.
func TestPathCounts(t *testing.T) {
	const n = 50
	c := newPathCase(t, devicetest.Open(t), n, weighted(path(n), 1))
	inf := float32(math.Inf(1))
	for _, w := range []struct {
		technique   string
		delta       float32
		collections int64
	}{
		{"bellman-ford", 1, 0},
		{"near-far", inf, 0},
		{"near-far", n, 0},
		{"near-far", 1, n - 1},
		{"near-far", 2, n/2 - 1},
		{"near-far", 1e-3, 2 * (n - 1)}, // the first is in vain, the second goes to the least distance
		{"near-far", math.SmallestNonzeroFloat32, 2 * (n - 1)},
		{"delta-stepping", inf, 0},
		{"delta-stepping", n, 0},
		{"delta-stepping", 1, n - 1},
		{"delta-stepping", 2, n/2 - 1},
		{"delta-stepping", 1e-3, 2 * (n - 1)},
		{"delta-stepping", math.SmallestNonzeroFloat32, 2 * (n - 1)},
	} {
		s := c.new(t, named(w.technique), w.delta, true)
		for range 2 { // the counts of a search do not include earlier searches
			c.search(t, s, 0)
			n, err := s.Counts()
			if want := 3 + 2*int64(c.vertices) + w.collections; err != nil || n.Examined != 2*int64(c.vertices-1) || n.Launches != want {
				t.Errorf("%s, delta %v: %+v, want %d launches (%v)", w.technique, w.delta, n, want, err)
			}
		}
	}
	if _, err := c.new(t, named("near-far"), 1, false).Counts(); err == nil {
		t.Error("a search that does not count has counts")
	}
}

// steps returns the rounds of a search from root as "step frontier>found".
func (c *pathCase) steps(t *testing.T, technique Technique, delta float32, root engine.Label) (list []string) {
	t.Helper()
	for _, l := range c.search(t, c.new(t, technique, delta, false), root).Levels {
		list = append(list, fmt.Sprintf("%s %d>%d", l.Step, l.Frontier, l.Found))
	}
	return list
}

// A round improves the vertex u twice. With a log of three entries the first arc of u's row
// is in the portion of the first improvement, and the rest of the row is in the next portion.
// With one entry the first improvement precedes the row. In both cases u is in the next
// queue once, because of the second improvement.
func TestStepsInPortions(t *testing.T) {
	const p, q, x, y, u, leaf = 1, 2, 3, 4, 5, 6
	tuples := engine.Tuples{
		Edges:   []engine.Edge{{U: 0, V: p}, {U: 0, V: q}, {U: p, V: x}, {U: p, V: u}, {U: q, V: y}, {U: x, V: u}, {U: y, V: u}, {U: u, V: leaf}},
		Weights: []float32{1, 2, 1, 50, 1, 40, 10, 60},
	}
	c := newPathCase(t, devicetest.Open(t), 7, tuples)
	want := []string{"round 1>2", "round 2>3", "round 3>3", "round 2>1", "round 1>0"}
	for _, capacity := range []uint64{1, 3} {
		if got := c.steps(t, withLog(capacity)[0], 1, 0); !slices.Equal(got, want) {
			t.Errorf("%d entries: %q, want %q", capacity, got, want)
		}
	}
}

// The rounds of a triangle whose long side, 0-2, has the weight 3, with a leaf 3 at 2.
func TestSteps(t *testing.T) {
	tuples := engine.Tuples{Edges: []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 0, V: 2}, {U: 2, V: 3}}, Weights: []float32{1, 1, 3, 10}}
	c := newPathCase(t, devicetest.Open(t), 4, tuples)
	for _, w := range []struct {
		technique string
		delta     float32
		want      []string
	}{
		{"near-far", 2.5, []string{"near 1>2", "near 1>1", "near 1>1", "far 2>0", "far 1>0", "near 1>0"}},
		{"delta-stepping", 2.5, []string{"light 1>1", "light 1>1", "light 1>0", "heavy 2>1", "heavy 1>0"}},
	} {
		if got := c.steps(t, named(w.technique), w.delta, 0); !slices.Equal(got, w.want) {
			t.Errorf("%s: %q, want %q", w.technique, got, w.want)
		}
	}
}

// An arc is light if its weight is below delta, and a distance is in a bucket if it is
// below the bucket's end.
func TestDeltaItself(t *testing.T) {
	c := newPathCase(t, devicetest.Open(t), 2, weighted(path(2), 0.5))
	below := math.Nextafter32(0.5, 1)
	for _, w := range []struct {
		technique string
		delta     float32
		want      []string
	}{
		{"near-far", 0.5, []string{"near 1>1", "far 1>0", "near 1>0"}},
		{"near-far", below, []string{"near 1>1", "near 1>0"}},
		{"delta-stepping", 0.5, []string{"heavy 1>1", "heavy 1>0"}},
		{"delta-stepping", below, []string{"light 1>1", "light 1>0"}},
	} {
		if got := c.steps(t, named(w.technique), w.delta, 0); !slices.Equal(got, w.want) {
			t.Errorf("%s, delta %v: %q, want %q", w.technique, w.delta, got, w.want)
		}
	}
}

func TestBoundAbove(t *testing.T) {
	largest := float32(math.MaxFloat32)
	for _, c := range []struct{ distance, bound, want float32 }{
		{0, 0.1, 0.1},
		{0.1, 0.1, math.Nextafter32(0.1, 1)},
		{1e9, 1, math.Nextafter32(1e9, 2e9)},
		{0, 0, math.SmallestNonzeroFloat32},
		{largest, 1, float32(math.Inf(1))},
		{1, float32(math.Inf(1)), float32(math.Inf(1))},
	} {
		if got := math.Float32frombits(boundAbove(c.distance, c.bound)); got != c.want {
			t.Errorf("bound %v above %v: %v, want %v", c.bound, c.distance, got, c.want)
		}
	}
}

func TestPathsStopWithTheContext(t *testing.T) {
	c := newPathCase(t, devicetest.Open(t), 3, weighted(path(3), 1))
	for _, technique := range techniquesOf(engine.SSSP) {
		s := c.new(t, technique, 0.1, false)
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		cancel(stop)
		c.clear(t)
		if err := s.Search(ctx, 0); err != stop {
			t.Errorf("%s: err = %v", technique.Name, err)
		}
		c.search(t, s, 1)
	}
}

// A failed NewPaths frees all memory.
func TestFailedNewPaths(t *testing.T) {
	d := devicetest.OpenWith(t, device.Options{})
	if err := d.Reserve(32 << 20); err != nil {
		t.Fatal(err)
	}
	c := newPathCase(t, d, 1000, weighted(path(1000), 1))
	attempt := func(ctx context.Context, technique Technique, delta float32) error {
		t.Helper()
		before := d.Free()
		s, err := technique.NewPaths(ctx, d, c.graph, c.parents, c.distances, delta, false)
		if err == nil {
			t.Errorf("%s: no error", technique.Name)
			devicetest.Close(t, s)
		}
		if d.Free() != before {
			t.Errorf("%s: %d bytes are free after %d", technique.Name, d.Free(), before)
		}
		return err
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	for _, technique := range techniquesOf(engine.SSSP) {
		if err := attempt(ctx, technique, 0.1); err != stop {
			t.Errorf("%s: err = %v", technique.Name, err)
		}
		if technique.UsesDelta {
			for _, delta := range []float32{0, -1, float32(math.NaN())} {
				attempt(t.Context(), technique, delta)
			}
		}
		plan := technique.Plan(uint64(c.vertices), uint64(c.graph.ByWeight.Rows.Len()), uint64(c.graph.ByWeight.Arcs.Len()))
		_, free := devicetest.Borrowed[byte](t, d, int(d.Free()-engine.Peak(plan, engine.DeviceMemory)+device.Alignment))
		var full *device.MemoryError
		if err := attempt(t.Context(), technique, 0.1); !errors.As(err, &full) {
			t.Errorf("%s: err = %v", technique.Name, err)
		}
		free()
		if _, err := technique.New(t.Context(), d, nil, c.parents, false); err == nil {
			t.Errorf("%s is a technique of BFS", technique.Name)
		}
	}
	attempt(t.Context(), named("push"), 0.1)
}
