package report

import (
	"math"
	"slices"

	"graph500/engine"
)

// Statistics summarises one quantity over the searches of a kernel, by the
// formulas of the Graph500 v3 reference.
type Statistics struct {
	Min           float64 `json:"min"`            // least value
	FirstQuartile float64 `json:"first_quartile"` // mean of the sorted elements (n-1)/4 and n/4
	Median        float64 `json:"median"`         // mean of the sorted elements (n-1)/2 and n/2
	ThirdQuartile float64 `json:"third_quartile"` // mean of the elements opposite to those of the first quartile
	Max           float64 `json:"max"`            // largest value
	Mean          float64 `json:"mean"`           // arithmetic mean
	Deviation     float64 `json:"stddev"`         // sample standard deviation, n-1 in the denominator; 0 for one search
}

// Rates summarises the TEPS of a kernel. It is computed from the inverse, seconds per
// edge, so that the mean is the harmonic mean. A search with TEPS 0 counts as
// infinitely slow. With one such search the harmonic mean is 0; its deviation, which is
// undefined then, is also 0.
type Rates struct {
	Min           float64 `json:"min"`            // inverse of the largest seconds per edge
	FirstQuartile float64 `json:"first_quartile"` // inverse of the third quartile of seconds per edge
	Median        float64 `json:"median"`         // inverse of the median
	ThirdQuartile float64 `json:"third_quartile"` // inverse of the first quartile
	Max           float64 `json:"max"`            // inverse of the least seconds per edge
	HarmonicMean  float64 `json:"harmonic_mean"`  // the result of the benchmark; 0 if a search traversed no edge

	// standard error of the harmonic mean: stddev / (mean² sqrt(n-1)) of the seconds per
	// edge; 0 for one search
	HarmonicDeviation float64 `json:"harmonic_stddev"`
}

// summarise returns the statistics of x, which must not be empty.
func summarise(x []float64) Statistics {
	n := len(x)
	var s Statistics
	for _, v := range x {
		s.Mean += v
	}
	s.Mean /= float64(n)
	if n > 1 {
		var squares float64
		for _, v := range x {
			// The conversion prevents a fused multiply-add, which some processors
			// do not have: the result would depend on the processor.
			squares += float64((v - s.Mean) * (v - s.Mean))
		}
		s.Deviation = math.Sqrt(squares / float64(n-1))
	}
	x = slices.Clone(x)
	slices.Sort(x)
	s.Min = x[0]
	s.FirstQuartile = (x[(n-1)/4] + x[n/4]) / 2
	s.Median = (x[(n-1)/2] + x[n/2]) / 2
	s.ThirdQuartile = (x[n-1-(n-1)/4] + x[n-1-n/4]) / 2
	s.Max = x[n-1]
	return s
}

// rates returns the statistics of the TEPS of searches, which must not be
// empty.
func rates(searches []Search) Rates {
	perEdge := make([]float64, len(searches))
	for i, s := range searches {
		perEdge[i] = math.Inf(1)
		if s.TEPS() > 0 {
			perEdge[i] = s.Seconds / float64(s.Edges)
		}
	}
	s := summarise(perEdge)
	r := Rates{
		Min:           1 / s.Max,
		FirstQuartile: 1 / s.ThirdQuartile,
		Median:        1 / s.Median,
		ThirdQuartile: 1 / s.FirstQuartile,
		Max:           1 / s.Min,
		HarmonicMean:  1 / s.Mean,
	}
	if n := len(searches); n > 1 && !math.IsInf(s.Mean, 1) {
		r.HarmonicDeviation = s.Deviation / (s.Mean * s.Mean * math.Sqrt(float64(n-1)))
	}
	return r
}

// Slowest describes the longest times of a kernel's searches.
type Slowest struct {
	Root    engine.Vertex `json:"root"`        // of the slowest search, the first of several
	Seconds float64       `json:"seconds"`     // of that search
	P99     float64       `json:"p99_seconds"` // 99th percentile, interpolated between the two times beside it
}

// Slowest returns the longest times of the searches.
func (k *KernelRun) Slowest() Slowest {
	times := collect(k.Searches, func(s Search) float64 { return s.Seconds })
	last := slices.Index(times, slices.Max(times))
	s := Slowest{Root: k.Searches[last].Root, Seconds: times[last]}
	slices.Sort(times)
	whole, part := math.Modf(0.99 * float64(len(times)-1))
	below, above := times[int(whole)], times[min(int(whole)+1, len(times)-1)]
	s.P99 = below + part*(above-below)
	return s
}

// Elsewhere returns the share of the search keys, 0 to 1, that are in components smaller than the
// largest one found. A search in a small component sees little of the graph.
func (k *KernelRun) Elsewhere() float64 {
	visited := collect(k.Searches, func(s Search) int64 { return s.Visited })
	largest, others := slices.Max(visited), 0
	for _, v := range visited {
		if v < largest {
			others++
		}
	}
	return float64(others) / float64(len(visited))
}

// collect returns one value of every search.
func collect[T any](searches []Search, value func(Search) T) []T {
	x := make([]T, len(searches))
	for i, s := range searches {
		x[i] = value(s)
	}
	return x
}

func (k *KernelRun) times() Statistics {
	return summarise(collect(k.Searches, func(s Search) float64 { return s.Seconds }))
}

func (k *KernelRun) edges() Statistics {
	return summarise(collect(k.Searches, func(s Search) float64 { return float64(s.Edges) }))
}

// validations returns the statistics of validation times. All searches were validated.
func (k *KernelRun) validations() Statistics {
	return summarise(collect(k.Searches, func(s Search) float64 { return *s.ValidateSeconds }))
}
