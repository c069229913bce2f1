package report

import (
	"slices"
	"strings"
	"testing"
)

func comparisonChart(t *testing.T, c *Comparison) svgFile {
	t.Helper()
	var svg strings.Builder
	if err := ComparisonChart(&svg, c); err != nil {
		t.Fatal(err)
	}
	return parse(t, svg.String())
}

// The chart contains every strategy in the order of the comparison, with its rate or the
// reason why it has no rate.
func TestComparisonChart(t *testing.T) {
	c := exampleComparison()
	p := comparisonChart(t, c)
	p.has(t, "BFS strategies of the cpu engine on a processor, 2 threads", "GTEPS, harmonic mean of 2 searches; kronecker, scale 10, edgefactor 16",
		"edge", "no result: took too long", "push", "0.25", "default", "1")
	if edge, push, fastest := p.index("edge"), p.index("push"), p.index("default"); !(edge < push && push < fastest) {
		t.Errorf("%q", p.texts)
	}
	if p := comparisonChart(t, c); p.index("0.6") < 0 || p.index("0.8") < 0 {
		t.Errorf("no linear axis from 0 to 1: %q", p.texts)
	}

	// Rates that differ by orders of magnitude need a logarithmic axis.
	c.Strategies[1].Searches[0].Seconds, c.Strategies[1].Searches[1].Seconds = 40, 40
	p = comparisonChart(t, c)
	p.has(t, "2.5e-05", "0.0001", "0.001", "0.01", "0.1", "GTEPS, harmonic mean of 2 searches; kronecker, scale 10, edgefactor 16; logarithmic")
}

// Charts of 17, 0 and 1 strategies, and of a search without edges.
func TestComparisonChartOfAnyStrategies(t *testing.T) {
	c := exampleComparison()
	c.Device = &Device{GPU: GPU{Name: "a card"}}
	one := c.Strategies[2]
	c.Strategies = nil
	few := comparisonChart(t, c)
	few.has(t, "BFS strategies of the cpu engine on a card")
	one.Searches[0].Seconds = 0.0010003 // a long value next to a bar as long as the axis
	for range 17 {
		c.Strategies = append(c.Strategies, one)
	}
	if p := comparisonChart(t, c); p.height < few.height+17*float64(barHeight) {
		t.Errorf("%g high, and %g for none", p.height, few.height)
	}
	one.Searches = slices.Clone(one.Searches)
	one.Searches[0].Edges = 0 // a rate of zero has no logarithm
	c.Strategies = []StrategyResult{one}
	comparisonChart(t, c).has(t, "default", "0")
	c.Strategies[0].Searches = nil
	comparisonChart(t, c).has(t, "no result: no search")
}

func TestComparisonChartWithAnyNames(t *testing.T) {
	c := exampleComparison()
	c.Machine.Processor, c.Input.Source = wild, "directory/"+wild
	c.Strategies[0].Name, c.Strategies[0].Failure = wild, strings.Repeat("W", 300)
	p := comparisonChart(t, c)
	p.has(t, printable(wild), "no result: "+strings.Repeat("W", maxTextLength-len("no result: ")-1)+"…")
	if small := comparisonChart(t, exampleComparison()); p.width < 2*small.width {
		t.Errorf("%g wide, and %g for short reasons", p.width, small.width)
	}
}
