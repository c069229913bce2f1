package cpu

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"graph500/cluster"
	"graph500/conformance"
	"graph500/engine"
	"graph500/kronecker"
	"graph500/partition"
	"graph500/synthetic"
)

// openRanks opens engines of ranks that are goroutines.
func openRanks(ranks, threads int) func(t *testing.T, _ engine.Job) []conformance.Engine {
	return func(t *testing.T, _ engine.Job) (list []conformance.Engine) {
		for _, w := range cluster.InProcess(ranks) {
			e := New(w, threads)
			list = append(list, e)
			t.Cleanup(func() {
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		return list
	}
}

// compareWide requires that a search of a job with labels of 48 bits leaves its parents in 64
// bits, and no other does; those of a method that writes 32 bits are the same.
func compareWide(wide bool) func(s engine.Searcher) error {
	return func(s engine.Searcher) error {
		r := s.(*Searcher).results
		if !wide {
			if r.wide != nil {
				return errors.New("there are parents of 64 bits")
			}
			return nil
		}
		if len(r.wide) != len(r.Parents) {
			return fmt.Errorf("%d parents of 64 bits for %d vertices", len(r.wide), len(r.Parents))
		}
		if !s.(*Searcher).narrow {
			return nil
		}
		for v, p := range r.Parents {
			want := int64(p)
			if p == engine.None {
				want = -1
			}
			if r.wide[v] != want {
				return fmt.Errorf("own vertex %d has parent %d, want %d", v, r.wide[v], want)
			}
		}
		return nil
	}
}

// spoil is compareWide, and fills the parents of 32 bits of a search with labels of 48: those of 64
// bits are kept.
func spoil(wide bool) func(s engine.Searcher) error {
	return func(s engine.Searcher) error {
		err := compareWide(wide)(s)
		if wide {
			fill(s.(*Searcher).results.Parents, 3)
		}
		return err
	}
}

// form returns the form of strategies over ranks.
func form(ranks, threads int, wide bool, strategies ...engine.Strategy) conformance.Form {
	return conformance.Form{Strategies: strategies, Wide: wide, LoadedWide: wide && ranks > 1, All: ranks == 1, Searched: spoil(wide), Open: openRanks(ranks, threads)}
}

// defaults are the default strategies of both kernels.
func defaults() []engine.Strategy {
	return []engine.Strategy{{Kernel: engine.BFS, Name: "default"}, {Kernel: engine.SSSP, Name: "default"}}
}

// Every strategy conforms, with one thread and with more than there are processors, by labels of
// 32 and of 48 bits.
func TestStrategiesConform(t *testing.T) {
	random := 40
	if testing.Short() {
		random = 5
	}
	graphs := append(conformance.Graphs(0), conformance.Random(random, 0)...)
	for i, s := range Strategies() {
		f := form(1, 1, false, s)
		f.Levels = s.Name != "asynchronous"
		for at, g := range graphs {
			list := []conformance.Graph{g}
			if s.Kernel == engine.SSSP && at < len(graphs)-random {
				list = g.Weightings()
			}
			if testing.Short() {
				list = list[at%len(list):][:1]
			}
			for k, g := range list {
				threads, wide := []int{1, 3}[(i+at+k)%2], (at+k/2)%2 > 0
				f.Wide, f.Searched, f.Open = wide, spoil(wide), openRanks(1, threads)
				t.Run(fmt.Sprintf("%s %s, %d threads, 48 bits: %v", s.Kernel, s.Name, threads, wide), func(t *testing.T) { f.Check(t, g) })
			}
		}
	}
}

// All workers expand a level of a tree beside many other edges, which is too large for one of
// them and too small for a bottom-up one.
func TestLargeLevelsConform(t *testing.T) {
	var g conformance.Graph
	g.Name, g.Vertices = "tree and pairs", 1<<19
	for v := engine.Label(2); v < 1<<15; v++ {
		g.Tuples.Edges = append(g.Tuples.Edges, engine.Edge{U: v / 2, V: v})
	}
	for v := engine.Label(1 << 15); v < 1<<19; v += 2 {
		g.Tuples.Edges = append(g.Tuples.Edges, engine.Edge{U: v, V: v + 1})
	}
	g.Tuples.Weights = make([]float32, len(g.Tuples.Edges))
	g.Roots = []engine.Label{1, 1<<15 - 1}
	f := form(1, 2, false, defaults()[:1]...)
	f.Levels = true
	f.Check(t, g)
}

// Ranks conform, by both kernels in one run. Each owns at least 64 vertices.
func TestRanksConform(t *testing.T) {
	for _, ranks := range []int{2, 3, 4} {
		for at, g := range append(conformance.Graphs(257), conformance.Random(8, 257)...) {
			if testing.Short() && at%3 != ranks-2 { // each graph once
				continue
			}
			f := form(ranks, threadsOf(ranks), (at+ranks)%2 > 0, defaults()...)
			f.Levels = true
			g = g.Weightings()[(at+ranks)%8]
			t.Run(fmt.Sprintf("%d ranks, 48 bits: %v", ranks, f.Wide), func(t *testing.T) { f.Check(t, g) })
		}
	}
	few := slices.DeleteFunc(conformance.Graphs(0), func(g conformance.Graph) bool { return g.Vertices > 130 })
	for _, wide := range []bool{false, true} {
		t.Run("ranks without vertices", func(t *testing.T) { form(4, 1, wide, defaults()...).Check(t, few...) })
	}
}

// One process and ranks conform with graphs that they generate, in batches of searches, and with the parts
// of each policy.
func TestGeneratedGraphsConform(t *testing.T) {
	for i, c := range []struct{ scale, edgeFactor, ranks, threads int }{
		{10, 16, 1, 2}, {5, 16, 4, 2}, {9, 1, 3, 2}, {1, 4, 3, 1}, {11, 16, 4, 1}, {10, 16, 2, 1}, {13, 16, 2, 1}, {14, 16, 3, 2}, {14, 2, 4, 1}, {16, 16, 2, 2},
	} {
		if testing.Short() && c.scale > 11 {
			continue
		}
		g := conformance.Generated(kronecker.Spec{Scale: c.scale, EdgeFactor: c.edgeFactor, Seed1: 2, Seed2: 3})
		for _, e := range g.Tuples.Edges {
			if e.U != e.V && len(g.Roots) < 11 {
				g.Roots = append(g.Roots, e.U)
			}
		}
		f := form(c.ranks, c.threads, i%2 > 0, defaults()...)
		f.Levels = true
		t.Run(fmt.Sprintf("%d ranks of %d threads, 48 bits: %v", c.ranks, c.threads, f.Wide), func(t *testing.T) { f.Check(t, g) })
	}
	for i, p := range partition.Policies() {
		f := form(2+i%3, 1, i%2 > 0, defaults()...)
		f.Partition = p.Name()
		scale := 10 + i%7
		if testing.Short() {
			scale = 10
		}
		t.Run(fmt.Sprintf("%s, 48 bits: %v", p.Name(), f.Wide), func(t *testing.T) { f.Check(t, conformance.Official(scale)) })
	}
}

// Long paths, which have a vertex per round, and buckets of any width: the width changes the order only.
func TestShortestPathsConform(t *testing.T) {
	path := conformance.Graph{Name: "long path", Vertices: 1 << 16, Roots: []engine.Label{0}}
	if testing.Short() {
		path.Vertices = 1 << 13
	}
	for v := range engine.Label(path.Vertices - 1) {
		path.Tuples.Edges = append(path.Tuples.Edges, engine.Edge{U: v, V: v + 1})
	}
	for i, of := range Strategies() {
		if of.Kernel != engine.SSSP {
			continue
		}
		f := form(1, 2, false, of)
		t.Run(of.Name, func(t *testing.T) { f.Check(t, path.Weightings()...) })
		for k, g := range conformance.Graphs(0) {
			for at, g := range g.Weightings() {
				for d, delta := range []float32{math.SmallestNonzeroFloat32, 1e-30, 1e-4, 0.7, math.MaxFloat32} {
					if len(g.Roots) > 0 && len(g.Tuples.Edges) < 3000 && of.UsesDelta && (!testing.Short() || (i+k+at+d)%3 == 0) {
						f.Delta, f.Open = delta, openRanks(1, 1+(k+at+d)%8)
						f.Check(t, g)
					}
				}
			}
		}
	}
}

// synthetics returns a grid, a crawl and an R-MAT graph of scale 10.
func synthetics() (list []conformance.Graph) {
	for name, of := range []synthetic.Graph{
		synthetic.Grid{Scale: 10, Keep: 0.9, Seed: 1}, synthetic.Crawl{Scale: 10, Seed: 1},
		synthetic.RMAT{Scale: 10, EdgeFactor: 8, Quadrants: [4]float64{0.45, 0.25, 0.15, 0.15}, Seed: 1},
	} {
		g := conformance.Graph{Name: fmt.Sprint("synthetic ", name), Vertices: int(of.Vertices())}
		g.Tuples = engine.Tuples{Edges: make([]engine.Edge, of.Tuples()), Weights: make([]float32, of.Tuples())}
		of.Fill(g.Tuples, 0)
		for i := range g.Tuples.Weights {
			g.Tuples.Weights[i] = float32(i%97) / 97
		}
		for _, e := range g.Tuples.Edges[:8] {
			if e.U != e.V && len(g.Roots) < 2 {
				g.Roots = append(g.Roots, e.U)
			}
		}
		list = append(list, g)
	}
	return list
}

// Ranks conform with a graph that a policy divides, by each policy with some of the graphs, with
// labels of 32 and of 48 bits.
func TestDividedGraphsConform(t *testing.T) {
	graphs := append(conformance.Graphs(257), synthetics()...)
	for i, p := range partition.Policies() {
		for at, g := range graphs {
			every := at >= len(graphs)-len(synthetics()) && !testing.Short()
			if !every && ((at+i)%5 != 0 || testing.Short() && (at+i)%4 != 0) {
				continue
			}
			ranks := 2 + (at+i)/5%3
			f := form(ranks, threadsOf(ranks), (at+i)/5%2 > 0, defaults()...)
			f.Partition = p.Name()
			t.Run(fmt.Sprintf("%s, 48 bits: %v", p.Name(), f.Wide), func(t *testing.T) { f.Check(t, g) })
		}
	}
}
