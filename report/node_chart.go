package report

import (
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot/plotter"
)

// NodeSeries is one line of a chart over numbers of nodes.
type NodeSeries struct {
	Name   string
	Points []NodePoint // in order
}

// NodePoint is a value at a number of nodes.
type NodePoint struct {
	Nodes int     // a power of two
	Value float64 // above 0
}

// NodeChart writes an SVG chart over numbers of nodes. series is not empty, and every
// series has a point.
func NodeChart(w io.Writer, title, subtitle string, series []NodeSeries) error {
	c := newLineChart("nodes")
	most := 1
	var values []float64
	for i, s := range series {
		var points plotter.XYs
		for _, p := range s.Points {
			points = append(points, plotter.XY{X: math.Log2(float64(p.Nodes)), Y: p.Value})
			values = append(values, p.Value)
			most = max(most, p.Nodes)
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return err
		}
		marks, err := plotter.NewScatter(points)
		if err != nil {
			return err
		}
		styleLine(i, line, marks)
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
