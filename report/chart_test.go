package report

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func scaleChart(t *testing.T, title string, series ...Series) svgFile {
	t.Helper()
	var svg strings.Builder
	if err := ScaleChart(&svg, title, series); err != nil {
		t.Fatal(err)
	}
	return parse(t, svg.String())
}

func TestScaleChart(t *testing.T) {
	one := Series{"one machine", []Point{{22, 5}, {20, 4}, {20, 4.5}, {24, 3}}}
	p := scaleChart(t, "A title", one, Series{"another", []Point{{20, 1}, {22, 2}}})
	p.has(t, "A title", "GTEPS, harmonic mean of the searches", "scale", "one machine", "another", "20", "22", "24", "0", "1", "5")

	p = scaleChart(t, "A title", one, Series{"a floor", []Point{{24, 4000}}})
	p.has(t, "GTEPS, harmonic mean of the searches, logarithmic", "a floor", "10", "100", "1000")
	if p.index("0") >= 0 || p.index("900") >= 0 {
		t.Errorf("%q", p.texts)
	}
}

// A line goes through the median of a scale and has a mark for each run.
func TestSeriesOfRepeatedRuns(t *testing.T) {
	s := Series{"", []Point{{22, 9}, {20, 5}, {20, 1}, {20, 2}, {22, 5}}}
	line, marks, err := s.plotters(0)
	if err != nil {
		t.Fatal(err)
	}
	if len(line.XYs) != 2 || line.XYs[0].Y != 2 || line.XYs[1].Y != 7 || line.XYs[0].X != 20 || len(marks.XYs) != 5 {
		t.Errorf("%v, %v", line.XYs, marks.XYs)
	}
}

// Names with special characters are valid XML, and long names fit into the chart.
func TestScaleChartWithAnyNames(t *testing.T) {
	point := []Point{{20, 1}}
	small := scaleChart(t, "A title", Series{"a", point})
	p := scaleChart(t, wild, Series{wild, point}, Series{strings.Repeat("W", 300), point})
	p.has(t, printable(wild), strings.Repeat("W", maxTextLength-1)+"…")
	if p.width < 2*small.width {
		t.Errorf("%g wide for long names, %g for short ones", p.width, small.width)
	}
	var many []Series
	for i := range 40 {
		many = append(many, Series{strconv.Itoa(1000 + i), point})
	}
	if p := scaleChart(t, "A title", many...); p.height < 40*labelHeight.Points() {
		t.Errorf("%g high for 40 lines", p.height)
	}
	if p := scaleChart(t, strings.Repeat("W", 300), Series{"", point}); p.width < 2*small.width {
		t.Errorf("%g wide for a long title", p.width)
	}
}

// Names do not cover each other: the one of the highest line is on top.
func TestLabelsAreBesideTheirLines(t *testing.T) {
	p := scaleChart(t, "", Series{"low", []Point{{20, 1}, {21, 5}}}, Series{"high", []Point{{20, 1}, {21, 9}}}, Series{"as high", []Point{{20, 1}, {21, 9}}})
	low, high, same := p.places[p.index("low")].Min, p.places[p.index("high")].Min, p.places[p.index("as high")].Min
	if !(low.Y < high.Y && high.Y < same.Y) || low.X != high.X || low.X != same.X {
		t.Errorf("low at %v, high at %v, as high at %v", low, high, same)
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct{ positions, want []vg.Length }{
		{nil, nil},
		{[]vg.Length{50}, []vg.Length{50}},
		{[]vg.Length{-5, 50, 200}, []vg.Length{0, 50, 100}},
		{[]vg.Length{50, 52, 90}, []vg.Length{46, 56, 90}},
		{[]vg.Length{97, 98, 99}, []vg.Length{80, 90, 100}},
		{[]vg.Length{0, 0, 0, 0}, []vg.Length{0, 10, 20, 30}},
	} {
		if got := spread(c.positions, 10, 0, 100); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.positions, got, c.want)
		}
	}
}
