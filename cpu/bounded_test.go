package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/vector"
)

// boundedOf returns the strategy.
func boundedOf(t *testing.T) engine.Strategy {
	t.Helper()
	s, ok := lookUp(engine.Strategy{Kernel: engine.SSSP, Name: "default"})
	if !ok {
		t.Fatal("no default strategy of SSSP")
	}
	return s.Strategy
}

// hubGraph returns tuples with hubs, leaves and isolated vertices.
func hubGraph(r *rand.Rand, vertices int) engine.Tuples {
	var tuples engine.Tuples
	for range 5 * vertices {
		x, y := r.Float64(), r.Float64()
		tuples.Edges = append(tuples.Edges, engine.Edge{U: engine.Label(x * x * x * float64(vertices)), V: engine.Label(y * y * float64(vertices))})
		tuples.Weights = append(tuples.Weights, r.Float32())
	}
	return tuples
}

// pullOutcome is what the first step of the pull of a block leaves.
type pullOutcome struct {
	found, examined int64
	open, kept      [][3]uint32 // sorted
	distances       []uint32
	parents         []engine.Label
}

// pullFirstOf runs a form of the first step on a copy of the results.
func pullFirstOf(s *bounded, form vector.Form, lo, hi int) (o pullOutcome) {
	distances, parents := s.distances, s.parents
	defer func() { s.distances, s.parents = distances, parents }()
	s.distances, s.parents = slices.Clone(distances), slices.Clone(parents)
	s.form = form
	w := new(pullWorker)
	open, kept := s.pullFirst(w, lo, hi)
	for i := range open {
		o.open = append(o.open, [3]uint32{w.block.vertex[i], w.block.row[i]})
	}
	for i := range kept {
		o.kept = append(o.kept, [3]uint32{w.block.keptTo[i], w.block.keptFrom[i], w.block.keptWeight[i]})
	}
	compare := func(a, b [3]uint32) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(o.open, compare)
	slices.SortFunc(o.kept, compare)
	o.found, o.examined, o.distances, o.parents = w.found, w.examined, s.distances, s.parents
	return o
}

// TestPullFormsAgree compares the forms of the first step of the pull, after different
// numbers of pushes. Forms relax arcs in different orders. The graph is therefore bipartite: no
// vertex of a compared range has a neighbour in it.
func TestPullFormsAgree(t *testing.T) {
	forms := vector.Forms()[1:]
	if len(forms) == 0 {
		t.Skip("this processor lacks AVX2")
	}
	r := rand.New(rand.NewPCG(5, 6))
	const half, vertices = 2 * blockVertices, 4*blockVertices - 27
	tuples := hubGraph(r, vertices-half)
	for i, e := range tuples.Edges {
		tuples.Edges[i] = engine.Edge{U: e.U, V: half + e.V}
	}
	x := loadWeighted(t, 1, boundedOf(t), vertices, tuples)
	defer x.Close()
	s := x.method.(*bounded)
	kept, open := 0, 0
	for pushes := range 8 {
		if err := x.Clear(); err != nil {
			t.Fatal(err)
		}
		s.reset()
		if err := s.expandNear(t.Context(), engine.Label(pushes)); err != nil {
			t.Fatal(err)
		}
		for range pushes {
			if more, err := s.raiseBound(t.Context()); err != nil || !more {
				t.Fatalf("no arc is left to push, or %v", err)
			}
			if err := s.push(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		words := len(s.g.Present)
		for lo := 0; lo < words; lo += 7 {
			hi := min(lo+1+r.IntN(blockWords), words)
			if lo < half/64 {
				hi = min(hi, half/64)
			}
			plain := pullFirstOf(s, vector.Plain, lo, hi)
			for _, form := range forms {
				got := pullFirstOf(s, form, lo, hi)
				if plain.found != got.found || plain.examined != got.examined || !slices.Equal(plain.open, got.open) || !slices.Equal(plain.kept, got.kept) {
					t.Fatalf("%d pushes, words %d-%d: plain found %d, examined %d, open %v, kept %v; %v %d, %d, %v, %v", pushes, lo, hi,
						plain.found, plain.examined, plain.open, plain.kept, form, got.found, got.examined, got.open, got.kept)
				}
				for v, d := range plain.distances {
					if got.distances[v] != d || got.parents[v] != plain.parents[v] {
						t.Fatalf("%d pushes, words %d-%d: vertex %d has distance %v from %d in the plain form, %v from %d in the form %v", pushes, lo, hi,
							v, math.Float32frombits(d), plain.parents[v], math.Float32frombits(got.distances[v]), got.parents[v], form)
					}
				}
			}
			kept, open = kept+len(plain.kept), open+len(plain.open)
		}
	}
	if kept == 0 || open == 0 {
		t.Fatalf("%d kept arcs and %d open vertices: the test shows nothing of them", kept, open)
	}
}

// TestBoundedLimits searches with limits that make every form of the search usual.
func TestBoundedLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	tuples := hubGraph(r, 3000)
	roots := 8
	if testing.Short() {
		roots = 3
	}
	usual := boundedLimits{longPush: 4096, serialPush: 64, soloPush: 64, maxSweeps: 32}
	for name, change := range map[string]func(*boundedLimits){
		"usual":            func(*boundedLimits) {},
		"rows are split":   func(l *boundedLimits) { l.longPush = 1 },
		"rounds by all":    func(l *boundedLimits) { l.serialPush = 0 },
		"rounds by one":    func(l *boundedLimits) { l.serialPush = math.MaxInt },
		"never alone":      func(l *boundedLimits) { l.soloPush = 0 },
		"always alone":     func(l *boundedLimits) { l.soloPush = math.MaxInt },
		"no second sweep":  func(l *boundedLimits) { l.maxSweeps = 1 },
		"split, by all":    func(l *boundedLimits) { l.longPush, l.serialPush, l.soloPush = 2, 0, 0 },
		"few, split alone": func(l *boundedLimits) { l.longPush, l.serialPush, l.soloPush = 3, 0, math.MaxInt },
	} {
		for _, threads := range []int{1, 3} {
			t.Run(fmt.Sprint(name, " ", threads), func(t *testing.T) {
				x := loadWeighted(t, threads, boundedOf(t), 3000, tuples)
				defer x.Close()
				s := x.method.(*bounded)
				if s.limits != usual {
					t.Fatalf("limits %+v", s.limits)
				}
				change(&s.limits)
				toEnd := 0 // searches whose tail pushes
				for root := range engine.Label(roots) {
					x.check(t, root)
					if math.IsInf(float64(s.bound), 1) {
						toEnd++
					}
				}
				if (s.limits.maxSweeps == 1) != (toEnd > 0) {
					t.Fatalf("%d searches push in the tail", toEnd)
				}
			})
		}
	}
}

// steps returns the number of rounds of the last search by step.
func (s pathSearch) steps(t *testing.T) map[string]int {
	t.Helper()
	p, err := s.Profile()
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, l := range p.Levels {
		n[l.Step]++
	}
	return n
}

// TestBoundedSmallComponents searches components that end before the pull: within the
// near step, and within the pushes.
func TestBoundedSmallComponents(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const large = 20000
	tuples := hubGraph(r, large)
	cycle := func(from, n int) {
		for i := range n {
			tuples.Edges = append(tuples.Edges, engine.Edge{U: engine.Label(from + i), V: engine.Label(from + (i+1)%n)})
			tuples.Weights = append(tuples.Weights, r.Float32())
		}
	}
	cycle(large, 5)
	cycle(large+5, 300)
	x := loadWeighted(t, 2, boundedOf(t), large+305, tuples)
	defer x.Close()
	for _, c := range []struct {
		root                engine.Label
		pushes, pulls, near bool
	}{{large + 2, false, false, true}, {large + 100, true, false, true}, {0, true, true, true}} {
		x.check(t, c.root)
		n := x.steps(t)
		if got := (n["push"] > 0); got != c.pushes || (n["pull"] > 0) != c.pulls || (n["near"] > 0) != c.near {
			t.Errorf("root %d: rounds by step %v", c.root, n)
		}
	}
}

// gridEdges returns the edges of a grid of side*side vertices.
func gridEdges(side engine.Label) (edges []engine.Edge) {
	for v := range side * side {
		if v%side < side-1 {
			edges = append(edges, engine.Edge{U: v, V: v + 1})
		}
		if v < side*(side-1) {
			edges = append(edges, engine.Edge{U: v, V: v + side})
		}
	}
	return edges
}

// TestSampleOfThePull samples a grid whose rows have as many labels as two words, of which
// the sample takes one: it must not be that of one column. The pull would decide few vertices,
// those beside the second column.
func TestSampleOfThePull(t *testing.T) {
	const side = 2 * 64
	tuples := engine.Tuples{Edges: gridEdges(side)}
	tuples.Weights = make([]float32, len(tuples.Edges))
	x := loadWeighted(t, 1, boundedOf(t), side*side, tuples)
	defer x.Close()
	if err := x.Clear(); err != nil {
		t.Fatal(err)
	}
	s := x.method.(*bounded)
	s.bound = 1
	for row := range side {
		s.distances[row*side+1] = 0
	}
	if asked, decided := s.samplePull(2); asked < side/2 || 5*decided > asked {
		t.Errorf("the pull would decide %d of %d vertices", decided, asked)
	}
}

// TestBoundedStars searches from hubs whose rows all workers expand, and from leaves. Some
// leaves have a second, heavier or lighter edge to their hub, or edges to other leaves.
func TestBoundedStars(t *testing.T) {
	leaves := 1 << 17
	if testing.Short() {
		leaves = 1 << 14
	}
	r := rand.New(rand.NewPCG(13, 14))
	for _, hubs := range []int{1, 2} {
		tuples := starGraph(r, hubs, leaves)
		for range leaves / 4 {
			tuples.Edges = append(tuples.Edges, tuples.Edges[r.IntN(len(tuples.Edges))])
			leaf := func() engine.Label { return engine.Label(hubs + r.IntN(leaves)) }
			tuples.Edges = append(tuples.Edges, engine.Edge{U: leaf(), V: leaf()})
			tuples.Weights = append(tuples.Weights, r.Float32(), r.Float32())
		}
		x := loadWeighted(t, 3, boundedOf(t), hubs+leaves, tuples)
		for _, root := range []engine.Label{engine.Label(hubs - 1), engine.Label(hubs + leaves - 1)} {
			x.check(t, root)
			if s := x.method.(*bounded); (s.rootRow != nil) != (int(root) < hubs) {
				t.Errorf("%d hubs, root %d: the root has %d arcs for all workers", hubs, root, len(s.rootRow))
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
