package report

import (
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot/plotter"
)

// NodeSeries is one line of a chart over numbers of nodes or GPUs.
type NodeSeries struct {
	Name   string
	Points []NodePoint
}

// NodePoint is a value at a number of nodes or GPUs.
type NodePoint struct {
	Nodes int     // a power of two
	Value float64 // above 0
}

// NodeChart writes an SVG chart over numbers of what the parameter counted names. series is
// not empty, and every series has a point. Lines go through medians.
func NodeChart(w io.Writer, title, subtitle, counted string, series []NodeSeries) error {
	c := newLineChart(counted)
	most := 1
	var values []float64
	for i, s := range series {
		var points plotter.XYs
		for _, p := range s.Points {
			points = append(points, plotter.XY{X: math.Log2(float64(p.Nodes)), Y: p.Value})
			values = append(values, p.Value)
			most = max(most, p.Nodes)
		}
		line, marks, err := lineThrough(i, points)
		if err != nil {
			return err
		}
		c.add(s.Name, line, marks)
	}
	x := axis{min: -0.5, max: math.Log2(float64(most)) + 0.5}
	for nodes := 1; nodes <= most; nodes *= 2 {
		t := tick(math.Log2(float64(nodes)))
		t.Label = strconv.Itoa(nodes)
		x.ticks = append(x.ticks, t)
	}
	c.plot.X.Min, c.plot.X.Max, c.plot.X.Tick.Marker = x.min, x.max, x.ticks
	return c.write(w, heading{printable(title), printable(subtitle) + setY(c.plot, newAxis(values))})
}
