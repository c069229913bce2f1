package cpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"graph500/cluster"
	"graph500/conformance"
	"graph500/engine"
	"graph500/kronecker"
)

// eachSSSP runs f for every strategy of SSSP.
func eachSSSP(t *testing.T, f func(t *testing.T, of engine.Strategy)) {
	for _, s := range Strategies() {
		if s.Kernel == engine.SSSP {
			t.Run(s.Name, func(t *testing.T) { f(t, s) })
		}
	}
}

// pathSearch is a searcher with its engine and the tuples.
type pathSearch struct {
	*Searcher
	vertices int
	tuples   engine.Tuples
}

// provide prepares the engine of a rank for a job, and brings it its part of the tuples.
func provide(ctx context.Context, e *Engine, vertices int, tuples engine.Tuples, job engine.Job) error {
	g := conformance.Graph{Vertices: vertices, Tuples: tuples}
	job.Vertices, job.Tuples, job.Loaded = uint64(vertices), uint64(len(tuples.Edges)), true
	return errors.Join(e.Prepare(ctx, []engine.Plan{{Job: job}}, nil), conformance.Provide(ctx, e, g, job, e.world.Size(), e.world.Rank()))
}

// loadWeighted returns a searcher of the graph of the tuples.
func loadWeighted(t testing.TB, threads int, of engine.Strategy, vertices int, tuples engine.Tuples) pathSearch {
	t.Helper()
	e := New(cluster.Alone(), threads)
	if err := provide(t.Context(), e, vertices, tuples, engine.Job{Strategies: []engine.Strategy{of}, Searches: 4, Delta: 0.1}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Construct(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := e.NewSearcher(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	return pathSearch{s.(*Searcher), vertices, tuples}
}

// Close closes the searcher and the engine.
func (s pathSearch) Close() error { return errors.Join(s.Searcher.Close(), s.engine.Close()) }

// check searches from root, compares the distances with the least ones and validates
// distances and parents on the tuples.
func (s pathSearch) check(t *testing.T, root engine.Label) {
	t.Helper()
	want := conformance.AnswerOf(s.vertices, s.tuples, root).Distances
	if err := s.Clear(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Search(t.Context(), engine.Vertex(root)), s.Keep()); err != nil {
		t.Fatal(err)
	}
	defer s.Drop()
	for v, d := range s.results.Distances {
		if math.Float32bits(d) != math.Float32bits(want[v]) {
			t.Fatalf("root %d: vertex %d has distance %v, want %v", root, v, d, want[v])
		}
	}
	if _, err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	profile, err := s.Profile()
	if err != nil {
		t.Fatal(err)
	}
	if want[root] == 0 && s.engine.weightedGraph.Has(root) && profile.LevelCount == 0 {
		t.Fatalf("root %d: no rounds in %+v", root, profile)
	}
}

// pathFacts are the facts of one SSSP search of an official graph, computed by
// Dijkstra's algorithm on the edges of the reference generator (kronecker/testdata).
type pathFacts struct {
	Root          engine.Label `json:"root"`
	Visited       int64        `json:"visited"`
	Edges         int64        `json:"nedge_excl_loops"`
	SelfLoops     int64        `json:"self_loops_in_component"`
	DistanceCheck string       `json:"sssp_dist_check"` // empty if not computed
	MaxDistance   float64      `json:"sssp_max_dist"`
}

// distanceCheck returns the checksum of the distances that testdata/README.md defines.
func distanceCheck(distances []float32) (sum uint64) {
	for v, d := range distances {
		if d != engine.Unreached {
			x := uint64(v)*0x9E3779B97F4A7C15 + uint64(math.Float32bits(d))
			x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
			x = (x ^ x>>27) * 0x94D049BB133111EB
			sum += x ^ x>>31
		}
	}
	return sum
}

// officialWeighted returns a searcher of the official graph.
func officialWeighted(t testing.TB, scale int, of engine.Strategy) pathSearch {
	t.Helper()
	return pathsOf(t, officialWeightedGraph(t, scale, of), of)
}

// officialWeightedGraph returns an engine with the official graph, prepared for one search of
// each strategy.
func officialWeightedGraph(t testing.TB, scale int, strategies ...engine.Strategy) *Engine {
	t.Helper()
	e := New(cluster.Alone(), 2)
	var plans []engine.Plan
	for _, of := range strategies {
		plans = append(plans, engine.Plan{Job: engine.Job{Strategies: []engine.Strategy{of}, Searches: 1, Delta: 0.1}})
	}
	if err := e.Prepare(t.Context(), plans, nil); err != nil {
		t.Fatal(err)
	}
	spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	if err := e.Generate(t.Context(), spec, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Construct(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// pathsOf returns a searcher of the engine's graph.
func pathsOf(t testing.TB, e *Engine, of engine.Strategy) pathSearch {
	t.Helper()
	s, err := e.NewSearcher(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	return pathSearch{s.(*Searcher), int(e.ranges.Vertices()), e.tuples}
}

func TestShortestPathsOfOfficialGraphs(t *testing.T) {
	scales, most := []int{8, 10, 14, 16, 20}, 64
	if testing.Short() {
		scales, most = scales[:3], 2
	}
	strategies := slices.DeleteFunc(Strategies(), func(s engine.Strategy) bool { return s.Kernel != engine.SSSP })
	for _, scale := range scales {
		facts := slices.DeleteFunc(readFacts[pathFacts](t, scale), func(f pathFacts) bool { return f.DistanceCheck == "" })
		if len(facts) == 0 {
			t.Fatal("no check sums")
		}
		t.Run(strconv.Itoa(scale), func(t *testing.T) {
			e := officialWeightedGraph(t, scale, strategies...) // strategies do not change it
			eachSSSP(t, func(t *testing.T, of engine.Strategy) {
				if scale > 16 && of.Name != "default" {
					return // the simple strategies are slow
				}
				checkPathFacts(t, pathsOf(t, e, of), facts[:min(most, len(facts))])
			})
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// checkPathFacts searches from the roots of the reference and compares the facts. It closes
// the searcher, but not its engine.
func checkPathFacts(t *testing.T, s pathSearch, facts []pathFacts) {
	t.Helper()
	defer func() {
		if err := s.Searcher.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, want := range facts {
		if err := errors.Join(s.Clear(), s.Search(t.Context(), engine.Vertex(want.Root)), s.Keep()); err != nil {
			t.Fatal(err)
		}
		trees, err := s.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.Drop()
		got := trees[0]
		got.Depth = 0 // not unique
		if want := (engine.Tree{Visited: want.Visited, Edges: want.Edges, SelfLoops: want.SelfLoops, MaxDistance: float32(want.MaxDistance)}); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
		if check := fmt.Sprintf("%#016x", distanceCheck(s.results.Distances)); check != want.DistanceCheck {
			t.Fatalf("root %d: check sum %s of the distances, want %s", want.Root, check, want.DistanceCheck)
		}
	}
}
