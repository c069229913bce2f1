//go:build cuda

package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	"graph500/kronecker"
	"graph500/parallel"
	rules "graph500/validate"
)

// weightedGraph is a list of tuples with weights over n vertices.
type weightedGraph struct {
	n int
	engine.Tuples
}

// add appends a tuple.
func (g *weightedGraph) add(u, v int, w float32) {
	g.Edges, g.Weights = append(g.Edges, joined(u, v)), append(g.Weights, w)
}

// officialWeights is the Kronecker graph of edge factor 16 with its weights.
func officialWeights(scale int) weightedGraph {
	g := weightedGraph{1 << scale, engine.Tuples{Edges: devicetest.OfficialTuples(scale)}}
	g.Weights = make([]float32, len(g.Edges))
	kronecker.New(devicetest.Official(scale)).Weights(g.Weights, 0)
	return g
}

// arc leads to a vertex.
type arc struct {
	to     engine.Local
	weight float32
}

// arcs lists the arcs of every vertex, without self loops.
func (g weightedGraph) arcs() [][]arc {
	arcs := make([][]arc, g.n)
	for i, e := range g.Edges {
		if e.U != e.V {
			arcs[e.U] = append(arcs[e.U], arc{e.V, g.Weights[i]})
			arcs[e.V] = append(arcs[e.V], arc{e.U, g.Weights[i]})
		}
	}
	return arcs
}

// shortest is a serial search that relaxes the arcs of changed vertices until nothing
// changes.
func (g weightedGraph) shortest(root engine.Local) rules.Search {
	s := rules.Search{
		Root:      engine.Vertex(root),
		Parents:   slices.Repeat([]engine.Local{engine.None}, g.n),
		Distances: slices.Repeat([]float32{engine.Unreached}, g.n),
	}
	arcs := g.arcs()
	s.Parents[root], s.Distances[root] = root, 0
	for queue := []engine.Local{root}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		for _, a := range arcs[u] {
			if via := s.Distances[u] + a.weight; s.Distances[a.to] < 0 || via < s.Distances[a.to] {
				s.Parents[a.to], s.Distances[a.to] = u, via
				queue = append(queue, a.to)
			}
		}
	}
	return s
}

// corruptPaths changes a search at one vertex. It may remain right.
func (g weightedGraph) corruptPaths(r *rand.Rand, s rules.Search, arcs [][]arc) {
	inf := float32(math.Inf(1))
	values := []float32{0, float32(math.Copysign(0, -1)), 1e-45, 0.5, 1, 1e9, math.MaxFloat32, inf, -inf, float32(math.NaN()), -1, -1e-45}
	v := engine.Local(r.IntN(g.n))
	switch kind := r.IntN(8); {
	case kind == 0:
		s.Parents[v] = engine.None
	case kind == 1:
		s.Parents[v] = engine.Local(r.IntN(g.n + 2))
	case kind == 2:
		s.Parents[v], s.Distances[v] = engine.None, engine.Unreached
	case kind == 3:
		s.Distances[v] = values[r.IntN(len(values))]
	case kind == 4:
		s.Distances[v] = math.Nextafter32(s.Distances[v], inf*float32(2*r.IntN(2)-1))
	case len(arcs[v]) == 0:
	case kind == 5: // any neighbour
		s.Parents[v] = arcs[v][r.IntN(len(arcs[v]))].to
	case kind == 6: // another neighbour that fits, if any
		for _, a := range arcs[v] {
			if s.Distances[a.to]+a.weight == s.Distances[v] {
				s.Parents[v] = a.to
			}
		}
	default: // a detour
		a := arcs[v][r.IntN(len(arcs[v]))]
		s.Parents[v], s.Distances[v] = a.to, s.Distances[a.to]+a.weight
	}
}

// pathBench has one weighted graph on the device, and the host's checker as the
// reference.
type pathBench struct {
	g       weightedGraph
	checker *rules.Checker
	live    Results
	tuples  *generate.Tuples
	width
}

// withPaths calls f with the graph on the device.
func withPaths(t testing.TB, d *device.Device, g weightedGraph, f func(b *pathBench)) {
	t.Helper()
	team := parallel.NewTeam(2)
	defer team.Close()
	b := &pathBench{g: g}
	var err error
	if b.checker, err = rules.New(team, uint64(g.n), engine.SSSP); err != nil {
		t.Fatal(err)
	}
	parents, freeParents := devicetest.Borrowed[engine.Local](t, d, g.n)
	distances, freeDistances := devicetest.Borrowed[float32](t, d, g.n)
	b.live = Results{parents, distances}
	b.tuples = generatetest.Load(t, d, generate.Config{}, g.Tuples)
	f(b)
	devicetest.Close(t, b.checker, b.tuples)
	freeDistances()
	freeParents()
}

// newPaths returns an empty batch with that capacity, with poison in its memory.
func (b *pathBench) newPaths(t testing.TB, d *device.Device, searches int) *Trees {
	t.Helper()
	k, err := NewTrees(d, engine.SSSP, b.live, searches)
	if err != nil {
		t.Fatal(err)
	}
	c := k.columns
	if err := errors.Join(c.parents.Fill(devicetest.Poison), c.distances.Fill(devicetest.Poison)); err != nil {
		t.Fatal(err)
	}
	return k
}

// keep writes a search to the live arrays and adds it to the batch.
func (b *pathBench) keep(t testing.TB, k *Trees, s rules.Search) {
	t.Helper()
	if err := errors.Join(b.live.Parents.Write(0, s.Parents), b.live.Distances.Write(0, s.Distances), k.Keep(s.Root)); err != nil {
		t.Fatal(err)
	}
}

// judge compares the results for a batch of searches with those of the host, and returns
// the error of the validation. tuples are those of the graph.
func (b *pathBench) judge(t testing.TB, k *Trees, tuples *generate.Tuples, searches []rules.Search) (verdict error) {
	t.Helper()
	ctx := t.Context()
	for _, check := range []struct {
		name   string
		device func(context.Context, *generate.Tuples) ([]engine.Tree, error)
		host   func(s []rules.Search) ([]engine.Tree, error)
	}{
		{"CountEdges", k.CountEdges, func(s []rules.Search) ([]engine.Tree, error) { return b.checker.CountEdges(ctx, b.g.Tuples, s) }},
		{"Check", k.Check, func(s []rules.Search) ([]engine.Tree, error) { return b.checker.Check(ctx, b.g.Tuples, s) }},
	} {
		for _, s := range searches {
			b.keep(t, k, s)
		}
		k.poison(t)
		c := k.columns
		err := errors.Join(c.joined.Fill(devicetest.Poison), c.alone.Parents.Fill(devicetest.Poison), c.alone.Distances.Fill(devicetest.Poison))
		if k.Capacity() > 1 { // live is no longer needed
			err = errors.Join(err, b.live.Parents.Fill(devicetest.Poison), b.live.Distances.Fill(devicetest.Poison))
		}
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := check.host(searches)
		got, err := check.device(ctx, tuples)
		if !slices.Equal(got, want) || !reflect.DeepEqual(err, wantErr) {
			t.Fatalf("%s of %d of %d searches, %d vertices, %d tuples:\n%+v, %v\nwant %+v, %v", check.name, len(searches), k.Capacity(), b.g.n, len(b.g.Edges), got, err, want, wantErr)
		}
		verdict = err
		b.checkKept(t, k, searches)
		k.Drop()
	}
	return verdict
}

// checkKept compares the results that a batch returns with those that it was given.
func (b *pathBench) checkKept(t testing.TB, k *Trees, searches []rules.Search) {
	t.Helper()
	for i, s := range searches {
		kept, err := k.Results(i)
		if err != nil {
			t.Fatal(err)
		}
		sameBits := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
		if !slices.Equal(devicetest.Host(t, kept.Parents), s.Parents) || !slices.EqualFunc(devicetest.Host(t, kept.Distances), s.Distances, sameBits) {
			t.Fatalf("search %d was changed", i)
		}
	}
}

// randomWeighted returns a small graph with loops, duplicate tuples and several
// components, or a deep one, with weights of one of several kinds.
func randomWeighted(r *rand.Rand) weightedGraph {
	plain := randomGraph(r)
	g := weightedGraph{plain.n, engine.Tuples{Edges: plain.tuples}}
	for range min(len(g.Edges), r.IntN(6)) {
		g.Edges = append(g.Edges, g.Edges[r.IntN(len(g.Edges))])
	}
	some := []float32{0, 1, 0.5, 0.25, 0.1, 1e-9, 1.0 / (1 << 24), 3e-8}
	huge := []float32{0, 1, 1e-45, 1e9, 1e37, 9e37, 1.2e38}
	kind := r.IntN(5)
	for range g.Edges {
		w := float32(kind) / 2
		switch kind {
		case 2:
			w = r.Float32()
		case 3:
			w = some[r.IntN(len(some))]
		case 4:
			w = huge[r.IntN(len(huge))]
		}
		g.Weights = append(g.Weights, w)
	}
	return g
}

// TestPathsOfRandomGraphs compares the results with those of the host for right and
// corrupted searches, in batches of every capacity.
func TestPathsOfRandomGraphs(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(6, 0))
	verdicts := make(map[string]int)
	for range devicetest.Sized(600, 60) {
		g := randomWeighted(r)
		arcs := g.arcs()
		withPaths(t, d, g, func(b *pathBench) {
			k := b.newPaths(t, d, 1+r.IntN(mostSearches))
			for range 3 {
				var searches []rules.Search
				changed := r.IntN(2 * k.Capacity()) // none in half of the batches
				for i := range r.IntN(k.Capacity() + 1) {
					s := g.shortest(engine.Local(r.IntN(g.n)))
					if i == changed {
						for range 1 + r.IntN(3) {
							g.corruptPaths(r, s, arcs)
						}
					}
					searches = append(searches, s)
				}
				var broken *rules.Error
				if errors.As(b.judge(t, k, b.tuples, searches), &broken) {
					verdicts[broken.Rule.String()]++
				} else {
					verdicts["right"]++
				}
			}
			devicetest.Close(t, k)
		})
	}
	t.Log(verdicts)
	for _, verdict := range []string{"right", "root", "entry", "path", "distance", "tight", "relaxed"} {
		if verdicts[verdict] == 0 && !testing.Short() {
			t.Errorf("no search with verdict %q", verdict)
		}
	}
}

// TestPathsOfOfficialGraphs validates right and corrupted searches with all tuples in
// memory and with regenerated ones.
func TestPathsOfOfficialGraphs(t *testing.T) {
	d := devicetest.Open(t)
	for _, c := range []struct {
		scale int
		room  uint64
	}{{4, 1 << 40}, {4, 1}, {7, 255}, {9, 1 << 40}, {10, 1001}, {14, 1 << 40}} {
		if testing.Short() && c.scale > 9 {
			continue
		}
		g := officialWeights(c.scale)
		arcs := g.arcs()
		tuples := generatetest.Generate(t, d, devicetest.Official(c.scale), generate.Config{Capacity: c.room, Weighted: true})
		withPaths(t, d, g, func(b *pathBench) {
			r := rand.New(rand.NewPCG(c.room, 2))
			for _, capacity := range devicetest.Sized([]int{1, 2, 3, 5, 8}, []int{1, 4}) {
				k := b.newPaths(t, d, capacity)
				for wrong := -1; wrong < capacity; wrong++ {
					var searches []rules.Search
					for i := range capacity {
						s := g.shortest(g.Edges[r.IntN(len(g.Edges))].U)
						if i == wrong {
							g.corruptPaths(r, s, arcs)
						}
						searches = append(searches, s)
					}
					if err := b.judge(t, k, tuples, searches); wrong < 0 && err != nil {
						t.Fatal(err)
					}
				}
				devicetest.Close(t, k)
			}
		})
		devicetest.Close(t, tuples)
	}
}

// trapGraph returns a graph with root 0 whose distances exhibit every trap:
//
//	0 -.5- 1 -.25- 2 -.125- 3      and 0 -.9- 2, two tuples of other weights for 1-2
//	0 -1- 4, 0 -1- 5, 4 -1e-9- 5   absorbed weight
//	3 -0- 6, 6 -0- 7, 7 -0- 6      zero weights
//	0 -0- 8                        a second vertex at distance 0
//	9 -.5- 10 -1e-9- 11 -.5- 9     another component
//	12                             isolated, with a self loop of weight 0
func trapGraph() weightedGraph {
	g := weightedGraph{n: 70}
	g.add(0, 1, .5)
	g.add(2, 1, .75)
	g.add(1, 2, .25)
	g.add(1, 2, .5)
	g.add(2, 3, .125)
	g.add(0, 2, .9)
	g.add(0, 4, 1)
	g.add(5, 0, 1)
	g.add(4, 5, 1e-9)
	g.add(3, 6, 0)
	g.add(6, 7, 0)
	g.add(7, 6, 0)
	g.add(8, 0, 0)
	g.add(9, 10, .5)
	g.add(10, 11, 1e-9)
	g.add(9, 11, .5)
	g.add(12, 12, 0)
	g.add(0, 0, 0)
	return g
}

// claimed is the result of a search at one vertex.
type claimed struct {
	vertex, parent engine.Local
	distance       float32
}

// TestPathsBrokenRules breaks every rule on purpose, alone and at each place of a batch.
func TestPathsBrokenRules(t *testing.T) {
	d := devicetest.Open(t)
	g := trapGraph()
	const none, unreached = engine.None, engine.Unreached
	inf, nan, minus0 := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	withPaths(t, d, g, func(b *pathBench) {
		alone, batch := b.newPaths(t, d, 1), b.newPaths(t, d, 3)
		right := []rules.Search{g.shortest(0), g.shortest(9), g.shortest(3)}
		if err := b.judge(t, batch, b.tuples, right); err != nil {
			t.Fatal(err)
		}
		for _, m := range []struct {
			name string
			rule rules.Rule
			set  []claimed
		}{
			{"root without parent", rules.Root, []claimed{{0, none, unreached}}},
			{"root with a parent", rules.Root, []claimed{{0, 8, 0}}},
			{"parent out of range", rules.Entry, []claimed{{3, 70, .875}}},
			{"isolated vertex its own parent", rules.Entry, []claimed{{12, 12, 0}}},
			{"other component at 1e9, cycle", rules.Path, []claimed{{9, 10, 1e9}, {10, 9, 1e9}, {11, 9, 1e9}}},
			{"cycle of absorbed weights", rules.Path, []claimed{{4, 5, 1}, {5, 4, 1}}},
			{"cycle of zero weights", rules.Path, []claimed{{6, 7, .875}, {7, 6, .875}}},
			{"NaN", rules.Distance, []claimed{{5, 0, nan}}},
			{"NaN outside", rules.Distance, []claimed{{20, none, nan}}},
			{"-0 at distance 0", rules.Distance, []claimed{{8, 0, minus0}}},
			{"-0 at the root", rules.Distance, []claimed{{0, 0, minus0}}},
			{"negative", rules.Distance, []claimed{{4, 0, -.5}}},
			{"infinite", rules.Distance, []claimed{{7, 6, inf}}},
			{"root at 1", rules.Distance, []claimed{{0, 0, 1}}},
			{"reached without distance", rules.Distance, []claimed{{3, 2, unreached}}},
			{"outside with distance 0", rules.Distance, []claimed{{69, none, 0}}},
			{"other component hung on the root at 1e9", rules.Tight, []claimed{{9, 0, 1e9}, {10, 9, 1e9}, {11, 9, 1e9}}},
			{"isolated vertex claimed", rules.Tight, []claimed{{12, 0, 0}}},
			{"parent whose weight does not fit", rules.Tight, []claimed{{2, 0, .75}}},
			{"one ulp too long", rules.Tight, []claimed{{4, 0, math.Nextafter32(1, 2)}}},
			{"one ulp too short", rules.Tight, []claimed{{4, 0, math.Nextafter32(1, 0)}}},
			{"detour", rules.Relaxed, []claimed{{2, 0, .9}, {3, 2, 1.025}, {6, 3, 1.025}, {7, 6, 1.025}}},
			{"larger duplicate weight", rules.Relaxed, []claimed{{2, 1, 1}, {3, 2, 1.125}, {6, 3, 1.125}, {7, 6, 1.125}}},
			{"unreached leaf at distance 0", rules.Relaxed, []claimed{{8, none, unreached}}},
		} {
			t.Run(m.name, func(t *testing.T) {
				wrong := rules.Search{Root: 0, Parents: slices.Clone(right[0].Parents), Distances: slices.Clone(right[0].Distances)}
				for _, c := range m.set {
					wrong.Parents[c.vertex], wrong.Distances[c.vertex] = c.parent, c.distance
				}
				var broken *rules.Error
				if err := b.judge(t, alone, b.tuples, []rules.Search{wrong}); !errors.As(err, &broken) || broken.Rule != m.rule {
					t.Fatalf("%v, want rule %v", err, m.rule)
				}
				for at := range right {
					searches := slices.Clone(right)
					searches[at] = wrong
					b.judge(t, batch, b.tuples, searches)
				}
			})
		}
		devicetest.Close(t, alone, batch)
	})
}

// TestPathsOfNastyGraphs validates right and broken searches of graphs that expose
// typical errors, also trees too deep for a table of bytes.
func TestPathsOfNastyGraphs(t *testing.T) {
	d := devicetest.Open(t)
	star, path, zeros, tuple := weightedGraph{n: 3001}, weightedGraph{n: 1301}, weightedGraph{n: 300}, weightedGraph{n: 40}
	for v := 1; v < star.n; v++ {
		star.add(v, 0, float32(v%7)/8)
		star.add(0, v, float32(v%5)/4)
	}
	for v := 1; v < path.n; v++ {
		path.add(v, v-1, 1/float32(v))
	}
	for v := 1; v < zeros.n; v++ {
		zeros.add(v, v/2, 0)
	}
	for i := range 5000 {
		tuple.add(7+26*(i%2), 33-26*(i%2), 1+float32(i%3))
	}
	for _, g := range []weightedGraph{
		{n: 1},
		{n: 33},
		{1, engine.Tuples{Edges: []engine.Edge{joined(0, 0), joined(0, 0)}, Weights: []float32{0, 1}}},
		{70, engine.Tuples{Edges: []engine.Edge{joined(3, 3), joined(69, 69), joined(3, 3)}, Weights: []float32{1, 0, 0.5}}},
		{6, engine.Tuples{Edges: []engine.Edge{joined(0, 1), joined(1, 2), joined(3, 4), joined(4, 4)}, Weights: []float32{1, 0, 0.5, 0.5}}},
		trapGraph(), star, path, zeros, tuple,
	} {
		withPaths(t, d, g, func(b *pathBench) {
			for _, capacity := range []int{1, 4} {
				k := b.newPaths(t, d, capacity)
				roots := []int{0, g.n / 2, g.n - 1, 7 % g.n}[:capacity]
				var right []rules.Search
				for _, root := range roots {
					right = append(right, g.shortest(engine.Local(root)))
				}
				b.judge(t, k, b.tuples, nil)
				if err := b.judge(t, k, b.tuples, right); err != nil {
					t.Fatal(err)
				}
				for i := range right {
					alone := rules.Search{Root: right[i].Root, Parents: slices.Repeat([]engine.Local{engine.None}, g.n), Distances: slices.Repeat([]float32{engine.Unreached}, g.n)}
					alone.Parents[right[i].Root], alone.Distances[right[i].Root] = engine.Local(right[i].Root), 0
					searches := slices.Clone(right)
					searches[i] = alone
					b.judge(t, k, b.tuples, searches)
				}
				devicetest.Close(t, k)
			}
		})
	}
}

// TestPathsWithInvalidTuples has tuples out of range and tuples with invalid weights.
func TestPathsWithInvalidTuples(t *testing.T) {
	d := devicetest.Open(t)
	inf := float32(math.Inf(1))
	for _, bad := range []engine.Tuples{
		{Edges: []engine.Edge{joined(0, 1), joined(2, 3), joined(7, 0)}, Weights: []float32{1, 1, 1}},
		{Edges: []engine.Edge{joined(0, 1), joined(2, 2), joined(1, 0)}, Weights: []float32{1, -1, inf}},
		{Edges: []engine.Edge{joined(0, 1), joined(2, 1), joined(1, 0)}, Weights: []float32{1, 1, inf}},
		{Edges: []engine.Edge{joined(0, 1), joined(2, 1), joined(1, 0)}, Weights: []float32{1, 1, float32(math.NaN())}},
		{Edges: []engine.Edge{joined(0, 1), joined(2, 1), joined(1, 0)}, Weights: []float32{1, float32(math.Copysign(0, -1)), 1}},
	} {
		withPaths(t, d, weightedGraph{3, bad}, func(b *pathBench) {
			k := b.newPaths(t, d, 2)
			s := rules.Search{Root: 0, Parents: []engine.Local{0, 0, 1}, Distances: []float32{0, 1, 1}}
			b.judge(t, k, b.tuples, []rules.Search{s, s})
			s.Distances = []float32{0, 5, 5}
			b.judge(t, k, b.tuples, []rules.Search{s, s})
			devicetest.Close(t, k)
		})
	}
}

// TestPathsWithoutWeights validates searches of SSSP with tuples without weights.
func TestPathsWithoutWeights(t *testing.T) {
	d := devicetest.Open(t)
	withPaths(t, d, trapGraph(), func(b *pathBench) {
		plain := generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: b.g.Edges})
		k := b.newPaths(t, d, 1)
		b.keep(t, k, b.g.shortest(0))
		if _, err := k.Check(t.Context(), plain); err == nil {
			t.Error("validated without weights")
		}
		devicetest.Close(t, plain, k)
	})
}

// TestPathsLargeIndex checks tuples with indices above 2^32.
func TestPathsLargeIndex(t *testing.T) {
	d := devicetest.Open(t)
	g := weightedGraph{n: 4}
	g.add(0, 1, 1)
	g.add(1, 2, 1)
	g.add(2, 3, 2)
	withPaths(t, d, g, func(b *pathBench) {
		k := b.newPaths(t, d, 2)
		s := g.shortest(0)
		s.Parents[3], s.Distances[3] = engine.None, engine.Unreached
		b.keep(t, k, g.shortest(1))
		b.keep(t, k, s)
		for i := range 2 {
			results, err := k.Results(i)
			if err == nil {
				err = k.beginPaths(t.Context(), i, results)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := b.tuples.Each(t.Context(), func(part generate.Part) error {
			part.First = 5 << 32
			return k.relax(2, part)
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := k.endPaths(t.Context(), 0, b.tuples); err != nil {
			t.Error(err)
		}
		want := rules.RelaxedError(0, 5<<32+2, joined(2, 3), 2, [2]float32{2, engine.Unreached})
		if _, err := k.endPaths(t.Context(), 1, b.tuples); !reflect.DeepEqual(err, error(want)) {
			t.Errorf("%v; want %v", err, want)
		}
		devicetest.Close(t, k)
	})
}

// TestPathsMemory compares the memory in use with the plan, without and with deep trees,
// which share their memory.
func TestPathsMemory(t *testing.T) {
	d := devicetest.Open(t)
	path := weightedGraph{n: 1301}
	for v := 1; v < path.n; v++ {
		path.add(v, v-1, 0.25)
	}
	deep := path.shortest(0)
	vertices := uint64(path.n)
	withPaths(t, d, path, func(b *pathBench) {
		for _, searches := range []int{1, 2, 3, 8} {
			free := d.Free()
			k := b.newPaths(t, d, searches)
			plan := Plan(engine.SSSP, vertices, searches)
			if taken, want := free-d.Free(), engine.Peak(plan, engine.DeviceMemory); taken != want {
				t.Errorf("%d searches use %d bytes, %d planned", searches, taken, want)
			}
			b.judge(t, k, b.tuples, slices.Repeat([]rules.Search{deep}, searches))
			plan = append(plan, DeepPlan(vertices)...)
			if taken, want := free-d.Free(), engine.Peak(plan, engine.DeviceMemory); taken != want {
				t.Errorf("%d deep searches use %d bytes, %d planned", searches, taken, want)
			}
			for i := range searches + 1 {
				if err := k.Keep(0); (err == nil) != (i < searches) {
					t.Errorf("search %d of %d: %v", i, searches, err)
				}
			}
			devicetest.Close(t, k)
			if d.Free() != free {
				t.Errorf("%d bytes are free after %d", d.Free(), free)
			}
		}
		free := d.Free()
		if _, err := NewTrees(d, engine.SSSP, b.live, mostSearches+1); err == nil || d.Free() != free {
			t.Errorf("more than %d searches: %v", mostSearches, err)
		}
		if _, err := NewTrees(d, engine.SSSP, Results{Parents: b.live.Parents}, 1); err == nil {
			t.Error("no distances")
		}
	})
}

// TestPathsCancelled validates with an ended context, and then another batch.
func TestPathsCancelled(t *testing.T) {
	d := devicetest.Open(t)
	stop := errors.New("stop")
	g := officialWeights(7)
	tuples := generatetest.Generate(t, d, devicetest.Official(7), generate.Config{Capacity: 100, Weighted: true})
	withPaths(t, d, g, func(b *pathBench) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stop)
		s := g.shortest(g.Edges[0].U)
		k := b.newPaths(t, d, 3)
		for _, work := range []func(context.Context, *generate.Tuples) ([]engine.Tree, error){k.Check, k.CountEdges} {
			b.keep(t, k, s)
			b.keep(t, k, s)
			if _, err := work(ctx, tuples); !errors.Is(err, stop) {
				t.Error(err)
			}
			k.Drop()
		}
		b.judge(t, k, tuples, []rules.Search{s})
		devicetest.Close(t, k)
	})
	devicetest.Close(t, tuples)
}

// BenchmarkValidatePaths validates searches of SSSP, one alone and eight together. The
// host's search of scale 24 takes minutes.
func BenchmarkValidatePaths(b *testing.B) {
	d := devicetest.Open(b)
	for _, scale := range []int{16, 20, 22, 24} {
		b.Run(fmt.Sprintf("scale=%d", scale), func(b *testing.B) {
			g := officialWeights(scale)
			s := g.shortest(g.Edges[0].U)
			for _, searches := range []int{1, mostSearches} {
				b.Run(fmt.Sprintf("searches=%d", searches), func(b *testing.B) {
					withPaths(b, d, g, func(bench *pathBench) { bench.measure(b, d, s, searches) })
				})
			}
		})
	}
}

// measure validates that many copies of a search together.
func (b *pathBench) measure(of *testing.B, d *device.Device, s rules.Search, searches int) {
	k := b.newPaths(of, d, searches)
	for range searches {
		b.keep(of, k, s)
	}
	for of.Loop() {
		if _, err := k.Check(of.Context(), b.tuples); err != nil {
			of.Fatal(err)
		}
	}
	of.ReportMetric(float64(of.Elapsed().Nanoseconds())/float64(of.N*searches), "ns/search")
	devicetest.Close(of, k)
}
