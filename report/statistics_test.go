package report

import (
	"math"
	"math/rand/v2"
	"testing"

	"graph500/engine"

	"pgregory.net/rapid"
)

// near reports whether a and b differ by rounding only. scale is the size of
// the numbers that they were computed from.
func near(a, b, scale float64) bool {
	return a == b || math.Abs(a-b) <= 1e-12*math.Max(scale, math.Max(math.Abs(a), math.Abs(b)))
}

func drawSearches(t *rapid.T, minEdges int64) []Search {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Search {
		return Search{
			Seconds: rapid.Float64Range(1e-7, 1e3).Draw(t, "seconds"),
			Tree:    Tree{Edges: rapid.Int64Range(minEdges, 1<<40).Draw(t, "edges")},
		}
	}), 1, 20).Draw(t, "searches")
}

// For all searches, no value is infinite, undefined or negative.
func TestStatisticsAreFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		searches := drawSearches(t, 0)
		for i := range searches {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				searches[i].Tree.Edges = 0
			case 1:
				searches[i].Seconds = 0
			}
		}
		got := rates(searches)
		rated := true
		for _, s := range searches {
			rated = rated && s.Tree.Edges > 0 && s.Seconds > 0
		}
		if !rated && (got.HarmonicMean != 0 || got.HarmonicDeviation != 0 || got.Min != 0) {
			t.Fatalf("a search without a rate must make the minimum and the harmonic mean 0: %+v", got)
		}
		if rated && got.HarmonicMean <= 0 {
			t.Fatalf("harmonic mean %g", got.HarmonicMean)
		}
		r := &KernelRun{Searches: searches}
		for name, x := range map[string][]float64{
			"rates": {got.Min, got.FirstQuartile, got.Median, got.ThirdQuartile, got.Max, got.HarmonicMean, got.HarmonicDeviation},
			"times": values(r.times()),
			"edges": values(r.edges()),
		} {
			for _, v := range x {
				if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
					t.Fatalf("%s hold %g: %v", name, v, x)
				}
			}
		}
	})
}

func values(s Statistics) []float64 {
	return []float64{s.Min, s.FirstQuartile, s.Median, s.ThirdQuartile, s.Max, s.Mean, s.Deviation}
}

func TestTEPS(t *testing.T) {
	for _, c := range []struct {
		edges   int64
		seconds float64
		want    float64
	}{
		{100, 0.5, 200}, {0, 0.5, 0}, {100, 0, 0}, {0, 0, 0}, {1, 1e-9, 1e9},
	} {
		if got := (Search{Seconds: c.seconds, Tree: Tree{Edges: c.edges}}).TEPS(); !near(got, c.want, 0) {
			t.Errorf("%d edges in %g s: got %g TEPS, want %g", c.edges, c.seconds, got, c.want)
		}
	}
}

// The deviation must be exact for values that are large compared with their spread, such
// as nedge. A formula with sums of squares is not. Nor does it depend on the order.
func TestDeviationOfLargeNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	small, large := make([]float64, 64), make([]float64, 64)
	for i := range small {
		small[i] = float64(r.IntN(100))
		large[len(large)-1-i] = 1e12 + small[i]
	}
	if got, want := summarise(large).Deviation, summarise(small).Deviation; math.Abs(got-want) > 1e-6*want {
		t.Errorf("got %g, want %g", got, want)
	}
}

func TestMedianSearch(t *testing.T) {
	for _, c := range []struct {
		seconds []float64
		want    int
	}{{[]float64{5}, 0}, {[]float64{3, 1}, 1}, {[]float64{3, 1, 2}, 2}, {[]float64{4, 3, 1, 2}, 3}, {[]float64{1, 1, 1}, 1}} {
		var k KernelRun
		for _, s := range c.seconds {
			k.Searches = append(k.Searches, Search{Seconds: s})
		}
		if got := k.Median(); got != c.want {
			t.Errorf("%v: search %d, not %d", c.seconds, got, c.want)
		}
	}
}

func TestSlowest(t *testing.T) {
	for _, c := range []struct {
		seconds []float64
		want    Slowest
	}{
		{[]float64{3}, Slowest{Root: 100, Seconds: 3, P99: 3}},
		{[]float64{1, 5, 5, 2}, Slowest{Root: 101, Seconds: 5, P99: 5}},
		{[]float64{10, 0}, Slowest{Root: 100, Seconds: 10, P99: 9.9}},
	} {
		var k KernelRun
		for i, s := range c.seconds {
			k.Searches = append(k.Searches, Search{Root: engine.Vertex(100 + i), Seconds: s})
		}
		if got := k.Slowest(); got.Root != c.want.Root || got.Seconds != c.want.Seconds || !near(got.P99, c.want.P99, 0) {
			t.Errorf("%v: %+v, want %+v", c.seconds, got, c.want)
		}
	}
	// Of 101 times, the 100th is the percentile.
	var k KernelRun
	for i := range 101 {
		k.Searches = append(k.Searches, Search{Seconds: float64(i * 37 % 101)})
	}
	if got := k.Slowest(); !near(got.P99, 99, 0) || got.Seconds != 100 {
		t.Errorf("%+v", got)
	}
}
