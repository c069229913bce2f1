package cpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"graph500/cluster"
	"graph500/conformance"
	"graph500/engine"
	"graph500/graph"
)

// testSearch is a searcher with the graph of its engine.
type testSearch struct {
	*Searcher
	graph *graph.CSR
}

// Close closes the searcher and the engine.
func (s testSearch) Close() error { return errors.Join(s.Searcher.Close(), s.engine.Close()) }

// load returns a searcher of the graph of the tuples.
func load(t testing.TB, threads int, strategy string, vertices int, tuples []engine.Edge) testSearch {
	t.Helper()
	return loadInto(t, New(cluster.Alone(), threads), strategy, vertices, tuples)
}

// loadInto is load for a given engine.
func loadInto(t testing.TB, e *Engine, strategy string, vertices int, tuples []engine.Edge) testSearch {
	t.Helper()
	if err := conformance.Provide(t.Context(), e, conformance.Graph{Vertices: vertices, Tuples: engine.Tuples{Edges: tuples}}, engine.Job{Vertices: uint64(vertices)}, 1, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Construct(context.Background()); err != nil {
		t.Fatal(err)
	}
	return searchOf(t, e, strategy)
}

// searchOf returns a searcher of the engine's graph.
func searchOf(t testing.TB, e *Engine, strategy string) testSearch {
	t.Helper()
	s, err := e.NewSearcher(context.Background(), engine.Strategy{Kernel: engine.BFS, Name: strategy})
	if err != nil {
		t.Fatal(err)
	}
	return testSearch{s.(*Searcher), e.graph}
}

// levels returns the profile of the last search and checks that a second call
// returns the same.
func (s testSearch) levels(t *testing.T) engine.Profile {
	t.Helper()
	p, err := s.Profile()
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(p.Levels)
	if p, err = s.Profile(); err != nil || !slices.Equal(p.Levels, before) {
		t.Fatalf("%v, then %v, %v", before, p.Levels, err)
	}
	return p
}

// validated validates the last search and returns its facts.
func (s testSearch) validated(t *testing.T) engine.Tree {
	t.Helper()
	defer s.Drop()
	if err := s.Keep(); err != nil {
		t.Fatal(err)
	}
	trees, err := s.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return trees[0]
}

// checkSearch searches from root and checks parents and levels.
func checkSearch(t *testing.T, e testSearch, vertices int, tuples []engine.Edge, root engine.Label) {
	t.Helper()
	e.Clear()
	if err := e.Search(context.Background(), engine.Vertex(root)); err != nil {
		t.Fatal(err)
	}
	answer := conformance.AnswerOf(vertices, engine.Tuples{Edges: tuples}, root)
	if err := errors.Join(answer.Judge(engine.BFS, e.results.Parents, nil), answer.JudgeLevels(e.levels(t))); err != nil {
		t.Fatal(err)
	}
}

// extent returns a number of vertices, at least 8, that is above all labels.
func extent(tuples []engine.Edge) int {
	n := 8
	for _, e := range tuples {
		n = max(n, int(e.U)+1, int(e.V)+1)
	}
	return n
}

// eachStrategy runs f for every strategy of BFS.
func eachStrategy(t *testing.T, f func(t *testing.T, strategy string)) {
	for _, s := range Strategies() {
		if s.Kernel == engine.BFS {
			t.Run(s.Name, func(t *testing.T) { f(t, s.Name) })
		}
	}
}

// edgeCases returns the small graphs of the suite with an edge, by name.
func edgeCases() map[string][]engine.Edge {
	cases := map[string][]engine.Edge{}
	for _, g := range conformance.Graphs(0) {
		if len(g.Roots) > 0 && len(g.Tuples.Edges) < 3000 {
			cases[g.Name] = g.Tuples.Edges
		}
	}
	return cases
}

// TestSearchDenseBehindSparse searches a star that is followed by a chain of
// dense blocks. The mean degree of the graph underestimates the blocks: a search
// that relies on it would examine all of them in every level.
func TestSearchDenseBehindSparse(t *testing.T) {
	const leaves, blobs, size = 300000, 100, 60
	var tuples []engine.Edge
	for i := range engine.Label(leaves) {
		tuples = append(tuples, engine.Edge{U: 0, V: 1 + i})
	}
	tuples = append(tuples, engine.Edge{U: 1, V: 1 + leaves})
	for b := range engine.Label(blobs - 1) {
		for i := range engine.Label(size) {
			for j := range engine.Label(size) {
				tuples = append(tuples, engine.Edge{U: 1 + leaves + b*size + i, V: 1 + leaves + (b+1)*size + j})
			}
		}
	}
	vertices := extent(tuples)
	e := load(t, 2, "default", vertices, tuples)
	defer e.Close()
	checkSearch(t, e, vertices, tuples, 0)
	e.Clear()
	if err := e.Search(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	if examined, bound := e.levels(t).Examined, 8*e.graph.Info.Arcs; examined > bound {
		t.Fatalf("%d neighbours examined, more than %d, eight times the arcs", examined, bound)
	}
}

// TestSearchOfManyLevels searches a path with more than engine.MaxLevels levels.
func TestSearchOfManyLevels(t *testing.T) {
	vertices := 4 * engine.MaxLevels
	tuples := make([]engine.Edge, vertices-1)
	for i := range tuples {
		tuples[i] = engine.Edge{U: engine.Label(i), V: engine.Label(i + 1)}
	}
	for _, strategy := range []string{"frontier", "asynchronous", "direction", "default"} { // the others need a minute
		t.Run(strategy, func(t *testing.T) {
			e := load(t, 2, strategy, vertices, tuples)
			defer e.Close()
			for range 2 {
				e.Clear()
				if err := e.Search(t.Context(), 0); err != nil {
					t.Fatal(err)
				}
				p, err := e.Profile()
				if tail := p.LevelCount - int64(vertices-1); err != nil || len(p.Levels) != engine.MaxLevels || tail < 0 || tail > 1 {
					t.Fatalf("%d of %d levels are recorded, %v", len(p.Levels), p.LevelCount, err)
				}
				for i, l := range p.Levels {
					if l.Frontier != 1 || l.Found != 1 {
						t.Fatalf("level %d: %+v", i, l)
					}
				}
				if p.Examined < int64(vertices) {
					t.Fatalf("%d neighbours examined", p.Examined)
				}
				if tree := e.validated(t); tree.Visited != int64(vertices) {
					t.Fatalf("%+v", tree)
				}
			}
		})
	}
}

// TestSearchAfterACancelledOne cancels searches at random times. Their state must
// not affect the next search.
func TestSearchAfterACancelledOne(t *testing.T) {
	spec := []engine.Edge{}
	r := rand.New(rand.NewPCG(7, 8))
	const vertices = 20000
	for range 8 * vertices {
		x, y := r.Float64(), r.Float64()
		spec = append(spec, engine.Edge{U: engine.Label(x * x * x * vertices), V: engine.Label(y * y * vertices)})
	}
	searches := 20
	if testing.Short() {
		searches = 5
	}
	eachStrategy(t, func(t *testing.T, strategy string) {
		e := load(t, 2, strategy, vertices, spec)
		defer e.Close()
		for range searches {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(1000))*time.Microsecond)
			e.Clear()
			_ = e.Search(ctx, 0) // may complete or be cancelled
			cancel()
		}
		checkSearch(t, e, vertices, spec, 0)
	})
}

// Every strategy of both kernels ends with its context, with the cause.
func TestSearchStopsWithItsContext(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	for _, of := range Strategies() {
		s := loadWeighted(t, 2, of, 4, engine.Tuples{Edges: []engine.Edge{{U: 1, V: 2}}, Weights: []float32{1}})
		if err := errors.Join(s.Clear(), s.Search(ctx, 1)); !errors.Is(err, stop) {
			t.Errorf("%s %s: %v", of.Kernel, of.Name, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestNewNamesAnUnknownStrategy(t *testing.T) {
	e := New(cluster.Alone(), 1)
	defer e.Close()
	if _, err := e.NewSearcher(t.Context(), engine.Strategy{Name: "sideways"}); err == nil {
		t.Fatal("no error")
	}
}
