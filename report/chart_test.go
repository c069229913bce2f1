package report

import (
	"strings"
	"testing"
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
	if p.width < 2*small.width || p.height <= small.height {
		t.Errorf("%g x %g for long names, %g x %g for short ones", p.width, p.height, small.width, small.height)
	}
	if p := scaleChart(t, strings.Repeat("W", 300), Series{"", point}); p.width < 2*small.width {
		t.Errorf("%g wide for a long title", p.width)
	}
}
