package cpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/kronecker"
)

// loadIntegers returns a searcher of shortest paths with weights that are whole numbers.
func loadIntegers(t testing.TB, threads, vertices int, edges []engine.Edge, weights []uint32) *Searcher {
	t.Helper()
	of := engine.Strategy{Kernel: engine.SSSP, Name: "default"}
	e, tuples := New(cluster.Alone(), threads), engine.Tuples{Edges: edges}
	for _, w := range weights {
		tuples.Weights = append(tuples.Weights, engine.IntegerWeight(w))
	}
	if err := provide(t.Context(), e, vertices, tuples, engine.Job{Strategies: []engine.Strategy{of}, Searches: 3, Integers: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Construct(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := e.NewSearcher(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), e.Close()); err != nil {
			t.Error(err)
		}
	})
	return s.(*Searcher)
}

// leastIntegers is the algorithm of Bellman and Ford on the edges, in whole numbers.
func leastIntegers(vertices int, edges []engine.Edge, weights []uint32, root engine.Label) []uint64 {
	distances := slices.Repeat([]uint64{engine.UnreachedExact}, vertices)
	distances[root] = 0
	for changed := true; changed; {
		changed = false
		for i, e := range edges {
			for range 2 {
				if d := distances[e.U]; d != engine.UnreachedExact && d+uint64(weights[i]) < distances[e.V] {
					distances[e.V], changed = d+uint64(weights[i]), true
				}
				e.U, e.V = e.V, e.U
			}
		}
	}
	return distances
}

// integerWeightings returns the whole weights of n tuples by kind.
func integerWeightings(n int, r *rand.Rand) map[string][]uint32 {
	w := map[string][]uint32{}
	for i := range n {
		w["small"] = append(w["small"], r.Uint32N(10))
		w["zero"] = append(w["zero"], 0)
		w["equal"] = append(w["equal"], 7)
		w["any"] = append(w["any"], r.Uint32N(engine.LargestInteger+1))
		w["largest"] = append(w["largest"], engine.LargestInteger)
		w["beyond float32"] = append(w["beyond float32"], []uint32{1 << 24, 1, 1<<24 + 1, 0, 1 << 30}[i%5])
	}
	return w
}

// TestIntegerPaths searches small graphs from all their vertices with whole weights, and compares
// each distance.
func TestIntegerPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	cases := edgeCases()
	for i := range 30 {
		n := 2 + r.IntN(60)
		edges := make([]engine.Edge, r.IntN(4*n)+1)
		for k := range edges {
			edges[k] = engine.Edge{U: r.Uint32N(uint32(n)), V: r.Uint32N(uint32(n))}
		}
		edges[0] = engine.Edge{U: 0, V: 1}
		cases[fmt.Sprint("random ", i)] = edges
	}
	for name, edges := range cases {
		for kind, weights := range integerWeightings(len(edges), r) {
			t.Run(name+" "+kind, func(t *testing.T) {
				s := loadIntegers(t, 1+r.IntN(4), extent(edges), edges, weights)
				for i := range 6 {
					root := edges[i*(len(edges)-1)/5].U
					if s.engine.has(root) {
						checkIntegers(t, s, edges, weights, root)
					}
				}
			})
		}
	}
}

// checkIntegers searches from root, and compares and validates the results.
func checkIntegers(t *testing.T, s *Searcher, edges []engine.Edge, weights []uint32, root engine.Label) {
	t.Helper()
	vertices := len(s.results.Parents)
	want := leastIntegers(vertices, edges, weights, root)
	fill(s.results.Exact, 12345)
	if err := errors.Join(s.Clear(), s.Search(t.Context(), engine.Vertex(root)), s.Keep()); err != nil {
		t.Fatal(err)
	}
	defer s.Drop()
	if !slices.Equal(s.results.Exact, want) {
		t.Fatalf("root %d: %v, want %v", root, s.results.Exact, want)
	}
	trees, err := s.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	most, visited := uint64(0), int64(0)
	for _, d := range want {
		if d != engine.UnreachedExact {
			most, visited = max(most, d), visited+1
		}
	}
	if trees[0].MaxExact != most || trees[0].MaxDistance != float32(most) || trees[0].Visited != visited {
		t.Errorf("%+v, want %d vertices up to %d", trees[0], visited, most)
	}
}

// TestIntegerPathsOverManyWorkers has rounds that all workers share.
func TestIntegerPathsOverManyWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	n := engine.Label(4000)
	if testing.Short() {
		n = 600
	}
	var edges []engine.Edge
	for v := range n {
		edges = append(edges, engine.Edge{U: v, V: (v + 1) % n})
		for range 6 {
			edges = append(edges, engine.Edge{U: v, V: r.Uint32N(n)})
		}
	}
	for kind, weights := range integerWeightings(len(edges), r) {
		t.Run(kind, func(t *testing.T) {
			s := loadIntegers(t, 4, int(n), edges, weights)
			for _, root := range []engine.Label{0, 17, n - 1} {
				checkIntegers(t, s, edges, weights, root)
			}
		})
	}
}

// TestIntegersAreValidated finds distances that are wrong by 1, where float32 cannot tell.
func TestIntegersAreValidated(t *testing.T) {
	edges := []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 1, V: 3}, {U: 3, V: 4}, {U: 5, V: 6}}
	weights := []uint32{1 << 24, 1, 1, 3, 1, 2}
	s := loadIntegers(t, 2, 7, edges, weights)
	right := []uint64{0, 1 << 24, 1<<24 + 1, 1<<24 + 2, 1<<24 + 3, engine.UnreachedExact, engine.UnreachedExact}
	parents := []engine.Label{0, 0, 1, 2, 3, engine.None, engine.None}
	set := func(change func(engine.Results)) error {
		defer s.Drop()
		err := s.Set(0, func(r engine.Results) error {
			copy(r.Parents, parents)
			copy(r.Exact, right)
			change(r)
			return nil
		})
		if err == nil {
			_, err = s.Check(t.Context())
		}
		return err
	}
	if err := set(func(engine.Results) {}); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(r engine.Results){
		`"tight": vertex 4 at distance 16777220 has parent 3 at distance 16777218, but no weight between them fits: the least is 1 and leads to 16777219`: func(r engine.Results) { r.Exact[4]++ },
		`"tight": vertex 4 at distance 16777218`:                                                     func(r engine.Results) { r.Exact[4]-- },
		`"tight": vertex 3 at distance 16777218 has parent 1`:                                        func(r engine.Results) { r.Parents[3] = 1 },
		`"relaxed": tuple 2 joins vertices 2 and 3 at distances 16777217 and 16777219 with weight 1`: func(r engine.Results) { r.Parents[3], r.Exact[3], r.Exact[4] = 1, 1<<24+3, 1<<24+4 },
		`"distance": vertex 5 has no parent, but distance 7`:                                         func(r engine.Results) { r.Exact[5] = 7 },
		`"distance": vertex 4 has parent 3 and distance 18446744073709551615`:                        func(r engine.Results) { r.Exact[4] = engine.UnreachedExact },
		`"distance": the root 0 has distance 1`:                                                      func(r engine.Results) { r.Exact[0] = 1 },
		`"relaxed": tuple 4 joins vertices 3 and 4, but 3 is at distance 16777218 and 4 outside the tree`: func(r engine.Results) {
			r.Parents[4], r.Exact[4] = engine.None, engine.UnreachedExact
		},
	} {
		if err := set(change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestIntegersAreRefused refuses strategies whose distances are float32.
func TestIntegersAreRefused(t *testing.T) {
	s := loadIntegers(t, 1, 2, []engine.Edge{{U: 0, V: 1}}, []uint32{3})
	for _, of := range Strategies() {
		if of.Kernel != engine.SSSP || of.Name == "default" {
			continue
		}
		if other, err := s.engine.NewSearcher(t.Context(), of); err == nil || !strings.Contains(err.Error(), "not with weights that are whole numbers") {
			t.Errorf("%s: %v, %v", of.Name, other, err)
		}
	}
}

// BenchmarkIntegerPaths searches official edges with weights below 256 from one of its vertices after
// the other.
func BenchmarkIntegerPaths(b *testing.B) {
	spec := kronecker.Spec{Scale: 18, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	edges, weights := make([]engine.Edge, spec.Tuples()), make([]uint32, spec.Tuples())
	kronecker.New(spec).Edges(edges, 0)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range weights {
		weights[i] = r.Uint32N(256)
	}
	s := loadIntegers(b, 2, int(spec.Vertices()), edges, weights)
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		if err := s.Clear(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if err := s.Search(b.Context(), engine.Vertex(edges[i*1000%len(edges)].U)); err != nil {
			b.Fatal(err)
		}
	}
}
