package cpu

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/kronecker"
	"graph500/validate"
)

// keyFacts are the facts of one search of an official graph, computed by a
// serial search of the edges of the reference generator (kronecker/testdata).
type keyFacts struct {
	Root       engine.Label `json:"root"`
	Visited    int64        `json:"visited"`
	Edges      int64        `json:"nedge_excl_loops"`
	SelfLoops  int64        `json:"self_loops_in_component"`
	Depth      int64        `json:"max_depth"`
	LevelSizes []int64      `json:"level_sizes"`
	DepthCheck string       `json:"depth_check"`
}

// readFacts reads the facts of the searches of an official graph.
func readFacts[T any](t testing.TB, scale int) (facts []T) {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("../kronecker/testdata/perkey-scale%d.json", scale))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &facts); err != nil {
		t.Fatal(err)
	}
	return facts
}

// official returns a searcher of the official graph, prepared for the given
// number of searches.
func official(t testing.TB, scale int, strategy string, searches int) testSearch {
	t.Helper()
	return searchOf(t, officialGraph(t, scale, searches), strategy)
}

// officialGraph returns an engine with the official graph, prepared for the given
// number of searches.
func officialGraph(t testing.TB, scale, searches int) *Engine {
	t.Helper()
	e := New(cluster.Alone(), 2)
	if err := e.Prepare(t.Context(), []engine.Plan{{Job: engine.Job{Searches: searches}}}, nil); err != nil {
		t.Fatal(err)
	}
	spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	if err := e.Generate(context.Background(), spec, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Construct(context.Background()); err != nil {
		t.Fatal(err)
	}
	return e
}

// depthCheck returns a checksum of the depths that the parents imply.
func depthCheck(parents []engine.Label, root engine.Label) uint64 {
	depth := make([]uint64, len(parents))
	var of func(v engine.Label) uint64
	of = func(v engine.Label) uint64 {
		if v != root && depth[v] == 0 {
			depth[v] = of(parents[v]) + 1
		}
		return depth[v]
	}
	var sum uint64
	for v, p := range parents {
		if p != engine.None {
			x := uint64(v)*0x9E3779B97F4A7C15 + of(engine.Label(v))
			x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
			x = (x ^ x>>27) * 0x94D049BB133111EB
			sum += x ^ x>>31
		}
	}
	return sum
}

func TestSearchOfficialGraphs(t *testing.T) {
	scales, most := []int{8, 10, 14, 16, 20}, 64
	if testing.Short() {
		scales, most = scales[:3], 4
	}
	for _, scale := range scales {
		facts := readFacts[keyFacts](t, scale)
		t.Run(strconv.Itoa(scale), func(t *testing.T) {
			e := officialGraph(t, scale, 1) // strategies do not change it
			for _, s := range Strategies() {
				if s.Kernel != engine.BFS {
					continue
				}
				facts := facts[:min(most, len(facts))]
				switch {
				case scale > 14 && s.Name != "default": // the simple strategies are slow
					facts = facts[:20-scale]
				case scale > 16:
					facts = facts[:8]
				}
				t.Run(s.Name, func(t *testing.T) { checkFacts(t, searchOf(t, e, s.Name), facts) })
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// checkFacts searches from the roots of the reference and compares the facts. It closes the
// searcher, but not its engine.
func checkFacts(t *testing.T, e testSearch, facts []keyFacts) {
	t.Helper()
	defer func() {
		if err := e.Searcher.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, want := range facts {
		e.Clear()
		if err := e.Search(context.Background(), engine.Vertex(want.Root)); err != nil {
			t.Fatal(err)
		}
		tree := e.validated(t)
		if got := (engine.Tree{Visited: want.Visited, Edges: want.Edges, SelfLoops: want.SelfLoops, Depth: want.Depth}); tree != got {
			t.Fatalf("root %d: %+v, want %+v", want.Root, tree, got)
		}
		sizes := []int64{1}
		for _, l := range e.levels(t).Levels {
			if l.Found > 0 {
				sizes = append(sizes, l.Found)
			}
		}
		if !slices.Equal(sizes, want.LevelSizes) {
			t.Fatalf("root %d: level sizes %v, want %v", want.Root, sizes, want.LevelSizes)
		}
		if check, err := strconv.ParseUint(want.DepthCheck, 0, 64); err != nil || check != depthCheck(e.results.Parents, want.Root) {
			t.Fatalf("root %d: depths are wrong (%v)", want.Root, err)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, scale := range []int{16, 18, 20} {
		b.Run(strconv.Itoa(scale), func(b *testing.B) {
			e := official(b, scale, "default", 1)
			defer e.Close()
			spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
			roots, err := kronecker.Sample(context.Background(), spec, 64, e.graph.Info.Connected, e.engine.Usable)
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for i := 0; i < b.N; i++ {
				b.StopTimer()
				e.Clear()
				b.StartTimer()
				if err := e.Search(context.Background(), roots[i%len(roots)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCheck validates one batch of kept searches. Its time is that of the
// whole batch.
func BenchmarkCheck(b *testing.B) {
	for _, scale := range []int{18, 20, 22} {
		for _, searches := range []int{1, validate.MinBatch, validate.MaxBatch} {
			b.Run(fmt.Sprintf("scale=%d/searches=%d", scale, searches), func(b *testing.B) {
				s := official(b, scale, "default", searches)
				defer s.Close()
				spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
				roots, err := kronecker.Sample(b.Context(), spec, searches, s.graph.Info.Connected, s.engine.Usable)
				if err != nil {
					b.Fatal(err)
				}
				for _, root := range roots {
					s.Clear()
					if err := errors.Join(s.Search(b.Context(), root), s.Keep()); err != nil {
						b.Fatal(err)
					}
				}
				for b.Loop() {
					if _, err := s.Check(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
