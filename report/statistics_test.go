package report

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"

	"pgregory.net/rapid"
)

// near reports whether a and b differ by rounding only. scale is the size of
// the numbers that they were computed from.
func near(a, b, scale float64) bool {
	return a == b || math.Abs(a-b) <= 1e-12*math.Max(scale, math.Max(math.Abs(a), math.Abs(b)))
}

// exactMean and exactVariance use exact arithmetic and, for the variance, the
// mean over all pairs instead of a mean value.
func exactMean(x []float64) float64 {
	sum := new(big.Rat)
	for _, v := range x {
		sum.Add(sum, new(big.Rat).SetFloat64(v))
	}
	mean, _ := sum.Quo(sum, big.NewRat(int64(len(x)), 1)).Float64()
	return mean
}

func exactVariance(x []float64) float64 {
	n := int64(len(x))
	if n == 1 {
		return 0
	}
	sum := new(big.Rat)
	for i, a := range x {
		for _, b := range x[:i] {
			d := new(big.Rat).Sub(new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b))
			sum.Add(sum, d.Mul(d, d))
		}
	}
	v, _ := sum.Quo(sum, big.NewRat(n*(n-1), 1)).Float64()
	return v
}

// quartile is the first quartile by cases instead of one formula.
func quartile(sorted []float64) float64 {
	n := len(sorted)
	if n%4 == 0 {
		return (sorted[n/4-1] + sorted[n/4]) / 2
	}
	return sorted[n/4]
}

func median(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[n/2]
}

func TestStatisticsAgainstNaiveFormulas(t *testing.T) {
	// The squares of smaller numbers lose digits.
	values := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1e-100, 1e6))
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(values, 1, 20).Draw(t, "x")
		given := slices.Clone(x)
		s := summarise(x)
		if !slices.Equal(x, given) {
			t.Fatal("the input was changed")
		}
		sorted := slices.Sorted(slices.Values(x))
		mirrored := make([]float64, len(x))
		for i, v := range sorted {
			mirrored[len(x)-1-i] = -v
		}
		want := Statistics{
			Min:           sorted[0],
			FirstQuartile: quartile(sorted),
			Median:        median(sorted),
			ThirdQuartile: -quartile(mirrored),
			Max:           sorted[len(x)-1],
		}
		got := s
		got.Mean, got.Deviation = 0, 0
		if got != want {
			t.Fatalf("order statistics of %v: got %+v, want %+v", x, got, want)
		}
		if want := exactMean(x); !near(s.Mean, want, 0) {
			t.Fatalf("mean of %v: got %g, want %g", x, s.Mean, want)
		}
		if want := math.Sqrt(exactVariance(x)); !near(s.Deviation, want, s.Max) {
			t.Fatalf("deviation of %v: got %g, want %g", x, s.Deviation, want)
		}
	})
}

func TestStatisticsDoNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(1e-9, 1e3), 1, 70).Draw(t, "x")
		y := rapid.Permutation(x).Draw(t, "y")
		a, b := summarise(x), summarise(y)
		if !near(a.Mean, b.Mean, 0) || !near(a.Deviation, b.Deviation, a.Max) {
			t.Fatalf("%+v and %+v", a, b)
		}
		a.Mean, a.Deviation, b.Mean, b.Deviation = 0, 0, 0, 0
		if a != b {
			t.Fatalf("%+v and %+v", a, b)
		}
	})
}

func drawSearches(t *rapid.T, minEdges int64) []Search {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Search {
		return Search{
			Seconds: rapid.Float64Range(1e-7, 1e3).Draw(t, "seconds"),
			Tree:    Tree{Edges: rapid.Int64Range(minEdges, 1<<40).Draw(t, "edges")},
		}
	}), 1, 20).Draw(t, "searches")
}

func TestRatesAgainstNaiveFormulas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		searches := drawSearches(t, 1)
		n := float64(len(searches))
		got := rates(searches)
		var perEdge, teps []float64
		var sum float64
		for _, s := range searches {
			perEdge = append(perEdge, s.Seconds/float64(s.Tree.Edges))
			teps = append(teps, s.TEPS())
			sum += 1 / s.TEPS()
		}
		slices.Sort(teps)
		mean := exactMean(perEdge)
		var deviation float64
		if n > 1 {
			deviation = math.Sqrt(exactVariance(perEdge)/(n-1)) / mean / mean
		}
		slices.Sort(perEdge)
		mirrored := make([]float64, len(perEdge))
		for i, v := range perEdge {
			mirrored[len(perEdge)-1-i] = -v
		}
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"min", got.Min, teps[0]},
			{"first quartile", got.FirstQuartile, -1 / quartile(mirrored)},
			{"median", got.Median, 1 / median(perEdge)},
			{"third quartile", got.ThirdQuartile, 1 / quartile(perEdge)},
			{"max", got.Max, teps[len(teps)-1]},
			{"harmonic mean", got.HarmonicMean, n / sum},
		} {
			if !near(c.got, c.want, 0) {
				t.Fatalf("%s: got %g, want %g", c.name, c.got, c.want)
			}
		}
		// The deviation of seconds per edge is exact to rounding of the largest.
		if !near(got.HarmonicDeviation, deviation, perEdge[len(perEdge)-1]/mean/mean) {
			t.Fatalf("harmonic deviation: got %g, want %g", got.HarmonicDeviation, deviation)
		}
		if !slices.IsSorted([]float64{got.Min, got.FirstQuartile, got.Median, got.ThirdQuartile, got.Max}) {
			t.Fatalf("not in order: %+v", got)
		}
	})
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
// as nedge. A formula with sums of squares is not.
func TestDeviationOfLargeNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 64)
	for i := range x {
		x[i] = 1e12 + float64(r.IntN(100))
	}
	if got, want := summarise(x).Deviation, math.Sqrt(exactVariance(x)); math.Abs(got-want) > 1e-6*want {
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
