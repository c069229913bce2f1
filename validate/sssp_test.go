package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"graph500/conformance"
	"graph500/engine"
	"graph500/vector"
)

// judgeSearches compares the results of Check, of the batch and of single with those
// of the reference rules, applied to one search after the other.
func judgeSearches(t fataler, c *Checker, g weightedGraph, searches []Search) {
	t.Helper()
	var right []engine.Tree // of the searches before the first wrong one
	var failure error       // of the first wrong one
	for i, s := range searches {
		tree, err := judgeSearch(t, c, g, s)
		if err != nil {
			failure = err
		}
		if failure == nil {
			right = append(right, tree)
		}
		if group := i / MinBatch * MinBatch; i == group {
			judgeBatch(t, c, g, searches[group:min(group+MinBatch, len(searches))])
		}
		if failure != nil {
			break
		}
	}
	trees, err := c.Check(context.Background(), g.all(), searches)
	if !slices.Equal(trees, right) || fmt.Sprint(err) != fmt.Sprint(failure) {
		t.Fatalf("%+v, %v; want %+v, %v", trees, err, right, failure)
	}
}

// judgeSearch compares the result of single with that of the reference rules and
// returns it.
func judgeSearch(t fataler, c *Checker, g weightedGraph, s Search) (engine.Tree, error) {
	t.Helper()
	tree, err := c.single.check(context.Background(), g.all(), s)
	rule, place, ok := g.firstBrokenSSSP(s)
	if ok {
		if want := g.factsOf(s); err != nil || tree != want {
			t.Fatalf("%+v, %v; want %+v", tree, err, want)
		}
		return tree, nil
	}
	var broken *Error
	if !errors.As(err, &broken) || tree != (engine.Tree{}) {
		t.Fatalf("%+v, %v; want rule %v at %d", tree, err, rule, place)
	}
	found := broken.Vertex
	if rule == Relaxed {
		found = broken.Tuple
	}
	if broken.Rule != rule || rule != Size && found != int64(place) || broken.Root != s.Root {
		t.Fatalf("%v; want rule %v at %d", err, rule, place)
	}
	line := err.Error()
	if strings.Contains(line, "\n") || !strings.Contains(line, fmt.Sprintf("root %d breaks rule %q", s.Root, rule)) ||
		!strings.Contains(line, rule.Sentence()) || rule != Size && !strings.Contains(line, fmt.Sprint(place)) {
		t.Fatalf("message %q", line)
	}
	return tree, err
}

// judgeBatch checks that the batch confirms every correct search that fits its rows,
// with the right facts, and no other.
func judgeBatch(t fataler, c *Checker, g weightedGraph, searches []Search) {
	t.Helper()
	found, err := c.batch.check(context.Background(), g.all(), searches)
	if err != nil {
		t.Fatalf("%v", err)
	}
	isLarge := func(d float32) bool { return d > math.Float32frombits(maxSummand) }
	for i, s := range searches {
		want := engine.Tree{}
		if _, _, ok := g.firstBrokenSSSP(s); ok && !slices.ContainsFunc(g.weights, isLarge) && !slices.ContainsFunc(s.Distances, isLarge) {
			if want = g.factsOf(s); want.Depth > maxCode-rootCode {
				want = engine.Tree{}
			}
		}
		if found[i] != want {
			t.Fatalf("search %d: the batch finds %+v, want %+v", i, found[i], want)
		}
	}
}

// TestRandomSearches compares the checker with the references on small graphs, for
// correct searches and for searches with a few random changes.
func TestRandomSearches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawWeighted(t)
		searches := make([]Search, rapid.IntRange(0, 3*MinBatch/2).Draw(t, "searches"))
		changed := rapid.SliceOfN(rapid.IntRange(0, 2*MinBatch), 0, 3).Draw(t, "changed")
		for i := range searches {
			s := g.shortest(engine.Label(rapid.IntRange(0, g.n-1).Draw(t, "root")))
			if slices.Contains(changed, i) {
				for range rapid.IntRange(1, 4).Draw(t, "changes") {
					changeSearch(t, g, s)
				}
			}
			if _, _, ok := g.firstBrokenSSSP(s); ok != g.isShortest(s) {
				t.Fatalf("rules and definition disagree")
			}
			searches[i] = s
		}
		withKernel(t, g.n, engine.SSSP, func(_ int, c *Checker) { judgeSearches(t, c, g, searches) })
	})
}

// changeSearch changes a search in one place, or in one subtree. It may remain valid.
func changeSearch(t *rapid.T, g weightedGraph, s Search) {
	inf := float32(math.Inf(1))
	values := []float32{0, float32(math.Copysign(0, -1)), 1e-45, 0.5, 1, 1e9, math.MaxFloat32, inf, -inf, float32(math.NaN()), -1, -1e-45}
	v := rapid.IntRange(0, g.n-1).Draw(t, "v")
	arcs := g.graph().Rows()[v]
	switch kind := rapid.IntRange(0, 11).Draw(t, "kind"); {
	case kind == 0:
		s.Parents[v] = engine.None
	case kind == 1:
		s.Parents[v] = engine.Label(rapid.IntRange(0, g.n+1).Draw(t, "p"))
	case kind == 2:
		s.Parents[v], s.Distances[v] = engine.None, engine.Unreached
	case kind == 3:
		s.Distances[v] = rapid.SampledFrom(values).Draw(t, "d")
	case kind == 4:
		s.Distances[v] = math.Nextafter32(s.Distances[v], inf*float32(rapid.IntRange(0, 1).Draw(t, "up")*2-1))
	case len(arcs) == 0:
	case kind == 5: // any neighbour
		s.Parents[v] = rapid.SampledFrom(arcs).Draw(t, "a").To
	case kind == 6: // another neighbour that fits, if any
		for _, a := range arcs {
			if s.Distances[a.To]+a.Weight == s.Distances[v] {
				s.Parents[v] = a.To
			}
		}
	default: // a detour, for the whole subtree
		a := rapid.SampledFrom(arcs).Draw(t, "a")
		g.graph().Hang(conformance.Results{Parents: s.Parents, Distances: s.Distances}, engine.Label(v), a.To, s.Distances[a.To]+a.Weight)
	}
}

// nastyGraph returns the graph of the traps.
func nastyGraph() weightedGraph {
	g := conformance.TrapGraph()
	return weightedGraph{testGraph{g.Vertices, g.Tuples.Edges}, g.Tuples.Weights}
}

// A wrongSearch is a change that makes the search from root 0 of nastyGraph wrong.
type wrongSearch struct {
	name   string
	rule   Rule
	change func(s *Search)
}

// of returns a changed copy of a search.
func (w wrongSearch) of(s Search) Search {
	s = clone(s)
	w.change(&s)
	return s
}

// wrongSearches lists the traps of a kernel, and results of other lengths.
func wrongSearches(k engine.Kernel, g weightedGraph) (list []wrongSearch) {
	for _, trap := range conformance.Traps(k, g.graph()) {
		list = append(list, wrongSearch{trap.Name, ruleNamed(trap.Rule), func(s *Search) { trap.Change(conformance.Results{Parents: s.Parents, Distances: s.Distances}) }})
	}
	list = append(list, wrongSearch{"short parents", Size, func(s *Search) { s.Parents = s.Parents[1:] }})
	if k == engine.SSSP {
		list = append(list, wrongSearch{"short distances", Size, func(s *Search) { s.Distances = s.Distances[1:] }})
	}
	return list
}

// ruleNamed returns the rule of that name.
func ruleNamed(name string) (r Rule) {
	for r.String() != name {
		r++
	}
	return r
}

// TestWrongSearches makes every kind of error, at several positions of a batch, with
// the ends of the tuples in both orders.
func TestWrongSearches(t *testing.T) {
	g := nastyGraph()
	testWrongSearches(t, g)
	for i, e := range g.tuples {
		g.tuples[i] = engine.Edge{U: e.V, V: e.U}
	}
	testWrongSearches(t, g)
}

func testWrongSearches(t *testing.T, g weightedGraph) {
	places := []int{0, 3, 8}
	if testing.Short() {
		places = places[2:]
	}
	var right []Search
	for _, root := range []engine.Label{0, 8, 3, 0, 9, 12, 15, 20, 0, 4} {
		right = append(right, g.shortest(root))
	}
	messages := map[string]string{}
	withKernel(t, g.n, engine.SSSP, func(workers int, c *Checker) {
		judgeSearches(t, c, g, right)
		for _, m := range wrongSearches(engine.SSSP, g) {
			wrong := m.of(right[0])
			_, err := judgeSearch(t, c, g, wrong)
			var broken *Error
			if !errors.As(err, &broken) || broken.Rule != m.rule {
				t.Fatalf("%s: %v, want rule %v", m.name, err, m.rule)
			}
			for _, at := range places {
				searches := slices.Clone(right)
				searches[at] = wrong
				judgeSearches(t, c, g, searches)
			}
			judgeSearches(t, c, g, []Search{wrong})
			if messages[m.name] == "" {
				messages[m.name] = err.Error()
			}
			if messages[m.name] != err.Error() {
				t.Fatalf("%v\nwith %d workers, before: %s", err, workers, messages[m.name])
			}
		}
	})
}

// TestMessages checks the places, distances and weights in the messages of the rules
// of SSSP.
func TestMessages(t *testing.T) {
	g := nastyGraph()
	for name, want := range map[string]string{
		"NaN":                                  "vertex 5 has parent 0 and distance NaN",
		"-0 at the root":                       "the root 0 has distance -0",
		"reached without distance":             "vertex 3 has parent 2 and distance -1",
		"outside with a distance":              "vertex 20 has no parent, but distance 1",
		"isolated vertex claimed":              "vertex 12 at distance 0 has parent 0 at distance 0, but no input tuple joins them",
		"distance of another weight":           "vertex 2 at distance 0.8 has parent 0 at distance 0, but no weight between them fits: the least is 0.9 and leads to 0.9",
		"detour":                               "tuple 2 joins vertices 1 and 2 at distances 0.5 and 0.9 with weight 0.25, which shortens the larger one to 0.75",
		"distance between those of duplicates": "vertex 2 at distance 0.8 has parent 1 at distance 0.5, but no weight between them fits: the least is 0.25 and leads to 0.75",
		"distance of no weight":                "vertex 13 at distance 0.9 has parent 1 at distance 0.5, but no weight between them fits: the least is 0.3 and leads to 0.8",
		"unreached leaf":                       "tuple 20 joins vertices 14 and 15, but 14 is at distance 1.1 and 15 outside the tree",
		"unreached leaf at distance 0":         "tuple 12 joins vertices 8 and 0, but 8 is outside the tree and 0 at distance 0",
	} {
		all := wrongSearches(engine.SSSP, g)
		m := all[slices.IndexFunc(all, func(m wrongSearch) bool { return m.name == name })]
		withKernel(t, g.n, engine.SSSP, func(_ int, c *Checker) {
			if _, err := c.Check(t.Context(), g.all(), []Search{m.of(g.shortest(0))}); err == nil || !strings.Contains(err.Error(), ": "+want+" (") {
				t.Fatalf("%s: %v", name, err)
			}
		})
	}
}

// TestOtherTreesOfZeroWeights checks that other parents of equal distances are correct
// if they lead to the root.
func TestOtherTreesOfZeroWeights(t *testing.T) {
	g := nastyGraph()
	s := g.shortest(0)
	s.Parents[4], s.Parents[5] = 0, 4 // an absorbed weight
	g.add(3, 7, 0)
	other := clone(s)
	other.Parents[7], other.Parents[6] = 3, 7
	withKernel(t, g.n, engine.SSSP, func(_ int, c *Checker) { judgeSearches(t, c, g, []Search{s, other}) })
}

// TestSearchesOfEdgeCases checks correct searches of graphs that expose typical
// errors.
func TestSearchesOfEdgeCases(t *testing.T) {
	vertices := 3000
	if testing.Short() {
		vertices = 600
	}
	star, path, zeros := weightedGraph{testGraph: testGraph{n: vertices}}, weightedGraph{testGraph: testGraph{n: vertices}}, weightedGraph{testGraph: testGraph{n: 300}}
	for v := 1; v < star.n; v++ {
		star.add(v, 0, float32(v%7)/8)
		star.add(0, v, float32(v%5)/4)
		path.add(v, v-1, 1.0/float32(v))
	}
	for v := 1; v < zeros.n; v++ {
		zeros.add(v, v/2, 0)
	}
	ladder := func(n int) weightedGraph {
		g := weightedGraph{testGraph: testGraph{n: n}}
		for v := 1; v < n; v++ {
			g.add(v-1, v, .1)
		}
		return g
	}
	for _, test := range []struct {
		name  string
		g     weightedGraph
		roots []engine.Label
	}{
		{"one vertex", weightedGraph{testGraph: testGraph{n: 1}}, []engine.Label{0}},
		{"loops only", weightedGraph{testGraph{3, []engine.Edge{edge(0, 0), edge(2, 2)}}, []float32{0, 1}}, []engine.Label{0, 1, 2}},
		{"duplicates", weightedGraph{testGraph{65, []engine.Edge{edge(0, 64), edge(64, 0), edge(0, 64), edge(64, 64)}}, []float32{.5, .25, .75, 0}}, []engine.Label{0, 64, 3}},
		{"star", star, []engine.Label{0, 7, 10, 11}},
		{"path", path, []engine.Label{0, engine.Label(vertices / 2), engine.Label(vertices - 1)}},
		{"zero weights", zeros, []engine.Label{0, 299}},
		{"largest code", ladder(maxCode - rootCode + 1), []engine.Label{0, 100}},
		{"one step deeper", ladder(maxCode - rootCode + 2), []engine.Label{0, 100}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var searches []Search
			for _, root := range test.roots {
				searches = append(searches, test.g.shortest(root))
			}
			withKernel(t, test.g.n, engine.SSSP, func(_ int, c *Checker) { judgeSearches(t, c, test.g, searches) })
		})
	}
}

// TestLargeDistances checks distances and weights around the limit of the rows, and an
// edge out of the tree whose sum is infinite.
func TestLargeDistances(t *testing.T) {
	limit := math.Float32frombits(maxSummand)
	for _, w := range []float32{2, limit / 2, limit, math.Nextafter32(limit, limit*2), limit * 2, math.MaxFloat32} {
		g := weightedGraph{testGraph: testGraph{n: 20}}
		for v := 1; v < 17; v++ {
			g.add(0, v, w)
		}
		s := g.shortest(0)
		withKernel(t, g.n, engine.SSSP, func(_ int, c *Checker) {
			judgeSearches(t, c, g, []Search{g.shortest(0), g.shortest(0)})
			for _, ends := range [][2]int{{3, 18}, {18, 3}} {
				outward := weightedGraph{testGraph{g.n, slices.Clone(g.tuples)}, slices.Clone(g.weights)}
				outward.add(ends[0], ends[1], w)
				judgeSearches(t, c, outward, []Search{s, s})
			}
		})
	}
}

// TestOfficialSearches checks an official graph, correct and with a change at every
// position of a batch.
func TestOfficialSearches(t *testing.T) {
	g := kroneckerWeights(12)
	var right []Search
	var facts []engine.Tree
	for i := range MinBatch {
		s := g.shortest(g.tuples[i*i].U)
		right, facts = append(right, s), append(facts, g.factsOf(s))
		if _, _, ok := g.firstBrokenSSSP(s); !ok {
			t.Fatal("the reference search is wrong")
		}
	}
	withKernel(t, g.n, engine.SSSP, func(_ int, c *Checker) {
		if trees, err := c.Check(t.Context(), g.all(), right); err != nil || !slices.Equal(trees, facts) {
			t.Fatalf("%+v, %v; want %+v", trees, err, facts)
		}
		if confirmed, err := c.batch.check(t.Context(), g.all(), right); err != nil || !slices.Equal(confirmed[:], facts) {
			t.Fatalf("%+v, %v; want %+v", confirmed, err, facts)
		}
		r := rand.New(rand.NewPCG(4, 4))
		for at := range right {
			s := clone(right[at])
			v := r.IntN(g.n)
			for s.Distances[v] <= 0 {
				v = r.IntN(g.n)
			}
			s.Distances[v] = math.Nextafter32(s.Distances[v], float32(at%2*100))
			rule, place, _ := g.firstBrokenSSSP(s)
			searches := slices.Clone(right)
			searches[at] = s
			trees, err := c.Check(t.Context(), g.all(), searches)
			var broken *Error
			if !slices.Equal(trees, facts[:at]) || !errors.As(err, &broken) || broken.Rule != rule || broken.Vertex != int64(place) {
				t.Fatalf("%d trees, %v; want rule %v at %d", len(trees), err, rule, place)
			}
		}
	})
}

// TestSmallestPlaceSSSP breaks each rule at many vertices of a graph that is divided
// into many ranges, and checks that the smallest one is reported.
func TestSmallestPlaceSSSP(t *testing.T) {
	g := weightedGraph{testGraph: testGraph{n: 1 << 17}}
	for v := 1; v < g.n; v++ {
		g.add(v, v/2, .5)
	}
	right := g.shortest(0)
	from := g.n * 5 / 8
	for rule, change := range map[Rule]func(s Search, v int){
		Path:     func(s Search, v int) { s.Parents[v], s.Parents[v^1] = engine.Label(v^1), engine.Label(v) },
		Distance: func(s Search, v int) { s.Distances[v] = -.5 },
		Tight:    func(s Search, v int) { s.Parents[v]-- },
		Relaxed:  func(s Search, v int) { s.Parents[v], s.Distances[v] = engine.None, engine.Unreached },
	} {
		s := clone(right)
		for v := from; v < g.n; v += 997 {
			change(s, v)
		}
		want := from
		if rule == Relaxed {
			want = from - 1 // its tuple
		}
		withKernel(t, g.n, engine.SSSP, func(_ int, c *Checker) {
			var broken *Error
			_, err := c.Check(t.Context(), g.all(), []Search{s})
			if !errors.As(err, &broken) || broken.Rule != rule || max(broken.Vertex, broken.Tuple) != int64(want) {
				t.Fatalf("%v, want rule %v at %d", err, rule, want)
			}
		})
	}
}

// TestKernels checks weights of the wrong length, and searches for another kernel than
// that of the checker.
func TestKernels(t *testing.T) {
	g := nastyGraph()
	s := g.shortest(0)
	for _, weights := range [][]float32{nil, g.weights[1:], append(slices.Clone(g.weights), 1)} {
		withKernel(t, g.n, engine.SSSP, func(_ int, c *Checker) {
			_, err := c.Check(t.Context(), engine.Tuples{Edges: g.tuples, Weights: weights}, []Search{s})
			if want := fmt.Sprintf("%d weights for %d tuples", len(weights), len(g.tuples)); err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("%v, want %s", err, want)
			}
		})
	}
	withKernel(t, g.n, engine.SSSP, func(_ int, c *Checker) {
		var broken *Error
		if _, err := c.Check(t.Context(), g.all(), []Search{{Parents: s.Parents}}); !errors.As(err, &broken) || broken.Rule != Size {
			t.Fatalf("without distances: %v", err)
		}
		if trees, err := c.CountEdges(t.Context(), engine.Tuples{Edges: g.tuples}, []Search{s}); err != nil || trees[0].Edges != g.factsOf(s).Edges {
			t.Fatalf("CountEdges: %+v, %v", trees, err)
		}
		if got, want := uint64(8*len(c.words)), engine.Peak(Alone(uint64(g.n), engine.SSSP).Plan(), engine.HostMemory); got != want {
			t.Fatalf("%d bytes allocated, Bytes returns %d", got, want)
		}
	})
	withCheckers(t, g.n, func(_ int, c *Checker) {
		if _, err := c.Check(t.Context(), g.all(), []Search{s}); err == nil || !strings.Contains(err.Error(), "has distances") {
			t.Fatalf("distances for BFS: %v", err)
		}
	})
	withKernel(t, 0, engine.SSSP, func(_ int, c *Checker) {
		var broken *Error
		if _, err := c.Check(t.Context(), engine.Tuples{}, []Search{{}}); !errors.As(err, &broken) || broken.Rule != Root {
			t.Fatalf("empty graph: %v", err)
		}
	})
}

// TestInvalidTuples checks the errors of tuples with an end out of range or an invalid
// weight: they are not *Error, and name the first such tuple.
func TestInvalidTuples(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, at := range []int{0, 9, block, 2*block + 1} {
		g := weightedGraph{testGraph: testGraph{n: 100}}
		for i := range 3*block + 5 {
			g.add(i%100, (i+1)%100, float32(i%9))
		}
		s := g.shortest(0)
		for _, w := range []float32{nan, inf, -1, -inf, -1e-45} {
			bad := engine.Tuples{Edges: g.tuples, Weights: slices.Clone(g.weights)}
			bad.Weights[at], bad.Weights[at+9] = w, -2
			judgeInvalid(t, bad, s, fmt.Sprintf("tuple %d has weight %v", at, w))
		}
		bad := engine.Tuples{Edges: slices.Clone(g.tuples), Weights: g.weights}
		bad.Edges[at], bad.Edges[at+9] = edge(5, 100), edge(101, 5)
		judgeInvalid(t, bad, s, fmt.Sprintf("tuple %d joins 5 and 100", at))
		zero := weightedGraph{g.testGraph, slices.Clone(g.weights)}
		zero.weights[at] = float32(math.Copysign(0, -1)) // is 0
		withKernel(t, 100, engine.SSSP, func(_ int, c *Checker) {
			zero := clone(zero.shortest(0))
			weights := slices.Clone(g.weights)
			weights[at] = float32(math.Copysign(0, -1))
			if _, err := c.Check(t.Context(), engine.Tuples{Edges: g.tuples, Weights: weights}, []Search{zero}); err != nil {
				t.Fatalf("weight -0: %v", err)
			}
		})
	}
}

func judgeInvalid(t *testing.T, bad engine.Tuples, s Search, want string) {
	t.Helper()
	withKernel(t, len(s.Parents), engine.SSSP, func(_ int, c *Checker) {
		_, err := c.Check(t.Context(), bad, slices.Repeat([]Search{s}, 5))
		var broken *Error
		if err == nil || errors.As(err, &broken) || !strings.Contains(err.Error(), want) {
			t.Fatalf("%v, want %s", err, want)
		}
	})
}

// TestCancelledSSSP ends the context at each test of the context in the check of a
// batch and in that of one search.
func TestCancelledSSSP(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 8
	}
	g := kroneckerWeights(12)
	right := g.shortest(g.tuples[0].U)
	detour := clone(right) // its check by single looks up the least weight too
	leaf := slices.Index(detour.Distances, slices.Max(detour.Distances))
	detour.Distances[leaf] *= 2
	withKernel(t, g.n, engine.SSSP, func(workers int, c *Checker) {
		if workers > 1 {
			return // endsAfter is for one
		}
		for _, s := range []Search{right, detour} {
			for looks := 0; ; looks += step {
				trees, err := c.Check(&endsAfter{t.Context(), looks}, g.all(), slices.Repeat([]Search{s}, MinBatch))
				var broken *Error
				if err == nil || errors.As(err, &broken) {
					if looks < 4 || (err == nil) != (&s.Distances[0] == &right.Distances[0]) {
						t.Fatalf("after %d looks: %d trees, %v", looks, len(trees), err)
					}
					break
				}
				if !errors.Is(err, context.Canceled) || len(trees) > 0 {
					t.Fatalf("after %d looks: %d trees, %v", looks, len(trees), err)
				}
			}
		}
	})
}

// TestFormsOfRelax compares the forms of relax on random rows, so that every case is frequent.
func TestFormsOfRelax(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	distances := []float32{0, .25, .5, .75, 1, 2, math.Float32frombits(maxSummand), math.Float32frombits(infinite)}
	for round := range 400 {
		rows := make([]row, 1+r.IntN(1<<(1+round%10)))
		for v := range rows {
			for tree := range MinBatch {
				rows[v].distances[tree] = distances[r.IntN(len(distances))]
				rows[v].parents[tree] = engine.Label(r.IntN(len(rows)))
				if r.IntN(3) == 0 || rows[v].distances[tree] == distances[len(distances)-1] {
					rows[v].parents[tree] = engine.None
				}
			}
		}
		var tuples engine.Tuples
		for range 1 + r.IntN(block) {
			e := edge(r.IntN(len(rows)), r.IntN(len(rows)))
			if r.IntN(20) == 0 {
				e.V = e.U
			}
			tuples.Edges = append(tuples.Edges, e)
			tuples.Weights = append(tuples.Weights, distances[r.IntN(len(distances)-1)])
		}
		odd := r.IntN(len(tuples.Edges))
		switch round % 20 {
		case 17:
			tuples.Edges[odd].V = engine.Label(len(rows) + r.IntN(2)<<31)
		case 18:
			tuples.Weights[odd] = math.Nextafter32(math.Float32frombits(maxSummand), math.MaxFloat32)
		case 19:
			tuples.Weights[odd] = []float32{-1, float32(math.Copysign(0, -1)), float32(math.NaN())}[r.IntN(3)]
		}
		for _, form := range vector.Forms() {
			whole := len(tuples.Edges)
			if form != vector.Plain && whole >= 8 {
				whole &^= 7
			}
			plain, plainRows := relaxer{}, slices.Clone(rows)
			ok := plain.relaxGo(plainRows, engine.Tuples{Edges: tuples.Edges[:whole], Weights: tuples.Weights[:whole]})
			if !ok {
				whole = 0
			}
			other, otherRows := relaxer{form: form}, slices.Clone(rows)
			if done := other.relax(otherRows, tuples, tuples.Edges); done != whole {
				t.Fatalf("round %d, %v: %d of %d tuples done, want %d", round, form, done, len(tuples.Edges), whole)
			}
			if !ok {
				continue
			}
			if plain.shorter != other.shorter || plain.outside != other.outside || plain.loops != other.loops {
				t.Fatalf("round %d, %v: %+v, %+v", round, form, plain, other)
			}
			if !slices.Equal(plainRows, otherRows) {
				t.Fatalf("round %d, %v: rows differ", round, form)
			}
		}
	}
}
