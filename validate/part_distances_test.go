package validate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"graph500/engine"
)

// judgeWithRanks compares what ranks find, or count, with what one checker does, and returns it.
func judgeWithRanks(t fataler, g weightedGraph, s Search, ranks, threads int, count bool) string {
	t.Helper()
	want := checkWithRanks(t, 1, 1, g.n, g.all(), s, count)[0]
	for rank, got := range checkWithRanks(t, ranks, threads, g.n, g.all(), s, count) {
		if got != want {
			t.Fatalf("rank %d of %d: %s, one checker: %s", rank, ranks, got, want)
		}
	}
	return want
}

// The ranks find what one checker finds, in correct searches and in wrong ones.
func TestRanksAgreeOnDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawWeighted(t)
		s := g.shortest(engine.Label(rapid.IntRange(0, g.n-1).Draw(t, "root")))
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			changeSearch(t, g, s)
		}
		ranks := rapid.IntRange(1, 5).Draw(t, "ranks")
		judgeWithRanks(t, g, s, ranks, rapid.IntRange(1, max(1, 4/ranks)).Draw(t, "threads"), false)
	})
}

// The ranks refuse every kind of wrong search, by the same rule as one checker.
func TestRanksRefuseWrongSearches(t *testing.T) {
	g := nastyGraph()
	g.n = 200 // the ranks own ranges of 64 vertices
	g.add(3, 130, .25)
	g.add(130, 131, 0)
	paths := g.shortest(0)
	parents, _ := g.search(0)
	for ranks := 1; ranks <= 4; ranks++ {
		if got := judgeWithRanks(t, g, paths, ranks, 1, false); !strings.HasSuffix(got, "<nil>") {
			t.Fatalf("%d ranks: %s", ranks, got)
		}
		for k, right := range map[engine.Kernel]Search{engine.BFS: {Parents: parents}, engine.SSSP: paths} {
			other := wrongSearch{"other range", Edge, func(s *Search) { s.Parents[131] = 2 }}
			if k == engine.SSSP {
				other = wrongSearch{"other range", Tight, func(s *Search) { s.Distances[130] = 1 }}
			}
			for _, m := range append(wrongSearches(k, g), other) {
				wrong := m.of(right)
				if m.name == "parent out of range" {
					wrong = clone(right)
					wrong.Parents[3] = engine.Label(g.n)
				}
				if got := judgeWithRanks(t, g, wrong, ranks, 1, false); !strings.Contains(got, fmt.Sprintf("breaks rule %q", m.rule)) {
					t.Fatalf("%s %s, %d ranks: %s, want rule %v", k, m.name, ranks, got, m.rule)
				}
			}
		}
	}
}

// A tuple with an end out of range or an invalid weight is an error of the input, the same
// on all ranks.
func TestRanksRefuseInvalidTuples(t *testing.T) {
	g := weightedGraph{testGraph: testGraph{n: 100}}
	for i := range 1000 {
		g.add(i%100, (i+1)%100, float32(i%9))
	}
	s := g.shortest(0)
	few := weightedGraph{g.testGraph, g.weights[:700]}
	if got := judgeWithRanks(t, few, s, 3, 1, false); !strings.HasSuffix(got, "validate: 700 weights for 1000 tuples") {
		t.Error(got)
	}
	for _, at := range []int{0, 334, 990} {
		for _, weight := range []float32{float32(math.NaN()), float32(math.Inf(1)), -1} {
			bad := weightedGraph{g.testGraph, slices.Clone(g.weights)}
			bad.weights[at], bad.weights[at+9] = weight, -2
			if got := judgeWithRanks(t, bad, s, 3, 1, false); !strings.Contains(got, fmt.Sprintf("tuple %d has weight %v", at, weight)) {
				t.Error(got)
			}
		}
		bad := weightedGraph{testGraph{g.n, slices.Clone(g.tuples)}, g.weights}
		bad.tuples[at], bad.tuples[at+9] = edge(5, 100), edge(1000, 5)
		if got := judgeWithRanks(t, bad, s, 3, 1, false); !strings.Contains(got, fmt.Sprintf("tuple %d joins 5 and 100", at)) {
			t.Error(got)
		}
	}
}

// An official graph has more tuples than one range of a worker.
func TestRanksCheckOfficialSearch(t *testing.T) {
	g := kroneckerWeights(12)
	s := g.shortest(g.tuples[0].U)
	for _, ranks := range []int{2, 3} {
		want := fmt.Sprint(g.factsOf(s), nil)
		if got := judgeWithRanks(t, g, s, ranks, 2, false); got != want {
			t.Errorf("%d ranks: %s, want %s", ranks, got, want)
		}
	}
	leaf := slices.Index(s.Distances, slices.Max(s.Distances))
	s.Distances[leaf] *= 2
	if got := judgeWithRanks(t, g, s, 3, 1, false); !strings.Contains(got, "breaks rule") {
		t.Error(got)
	}
}
