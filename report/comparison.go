package report

import (
	"slices"

	"graph500/engine"
)

// Comparison is what came of searching one graph from the same roots with
// several strategies.
type Comparison struct {
	Setup
	Roots      []engine.Vertex  `json:"roots"`
	Baseline   string           `json:"baseline"`   // name of the strategy that the ratios refer to
	Strategies []StrategyResult `json:"strategies"` // in the engine's order, the plainest first
}

// StrategyResult is what one strategy did.
type StrategyResult struct {
	Name    string `json:"name"`
	Doc     string `json:"doc"`
	Failure string `json:"failure"`      // why there are fewer searches than roots; empty if there are not
	Memory  uint64 `json:"memory_bytes"` // of a search in addition to graph and parents, by the plan

	// Counts is what a search from the first root did, counted apart from those
	// that were timed; nil if that is unknown.
	Counts *engine.Counts `json:"counts"`

	Searches []Search `json:"searches"` // all validated
}

// finished reports whether the strategy searched from every root.
func (s *StrategyResult) finished() bool { return s.Failure == "" && len(s.Searches) > 0 }

// rate returns the harmonic mean of the TEPS, 0 without one.
func (s *StrategyResult) rate() float64 {
	if !s.finished() {
		return 0
	}
	return rates(s.Searches).HarmonicMean
}

// figures summarises the searches of a strategy. What is not known is 0.
type figures struct {
	teps     float64 // harmonic mean
	ratio    float64 // of teps to those of the baseline
	median   float64 // seconds of a search
	levels   float64 // mean of a search
	examined float64 // neighbour entries looked at in the counted search, or else the mean
}

// figures returns those of a strategy, all 0 if it did not search from every
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
