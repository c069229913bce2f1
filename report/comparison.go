package report

import (
	"slices"

	"graph500/engine"
)

// Comparison is the result of searching one graph from the same roots with several
// strategies of one kernel.
type Comparison struct {
	Setup
	Kernel     engine.Kernel    `json:"kernel"`     // bfs or sssp
	Roots      []engine.Vertex  `json:"roots"`      // the same for every strategy
	Baseline   string           `json:"baseline"`   // strategy that ratios refer to
	Strategies []StrategyResult `json:"strategies"` // in the engine's order, the simplest first
}

// StrategyResult is the result of one strategy.
type StrategyResult struct {
	Name    string  `json:"name"`         // value of -strategy
	Doc     string  `json:"doc"`          // what it does, one line
	Delta   float32 `json:"delta"`        // value of -delta; 0 for a strategy that does not use it
	Failure string  `json:"failure"`      // why there are fewer searches than roots; else empty
	Memory  uint64  `json:"memory_bytes"` // of a search besides graph and results, as planned

	// operations of an untimed search from the first root; null if not counted
	Counts *Counts `json:"counts"`

	Searches []Search `json:"searches"` // all validated
}

// finished reports whether the strategy searched from every root.
func (s *StrategyResult) finished() bool { return s.Failure == "" && len(s.Searches) > 0 }

// rate returns the harmonic mean of the TEPS; 0 if a search is missing.
func (s *StrategyResult) rate() float64 {
	if !s.finished() {
		return 0
	}
	return rates(s.Searches).HarmonicMean
}

// figures summarises the searches of a strategy. Unknown values are 0.
type figures struct {
	teps     float64 // harmonic mean
	ratio    float64 // teps / teps of the baseline
	median   float64 // seconds of a search
	levels   float64 // mean number per search; of SSSP, of rounds
	examined float64 // neighbour entries read in the counted search; if unknown, the mean over the timed searches
}

// figures returns the figures of a strategy, all 0 if it did not search from every
// root.
func (c *Comparison) figures(s *StrategyResult) figures {
	if !s.finished() {
		return figures{}
	}
	mean := func(value func(Search) float64) float64 { return summarise(collect(s.Searches, value)).Mean }
	f := figures{
		teps:     s.rate(),
		median:   summarise(collect(s.Searches, func(s Search) float64 { return s.Seconds })).Median,
		levels:   mean(func(s Search) float64 { return float64(s.LevelCount) }),
		examined: mean(func(s Search) float64 { return float64(s.Examined) }),
	}
	if s.Counts != nil {
		f.examined = float64(s.Counts.Examined)
	}
	i := slices.IndexFunc(c.Strategies, func(s StrategyResult) bool { return s.Name == c.Baseline })
	if i >= 0 && c.Strategies[i].rate() > 0 {
		f.ratio = f.teps / c.Strategies[i].rate()
	}
	return f
}
