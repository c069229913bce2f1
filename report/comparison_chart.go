package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	barHeight = vg.Length(14)
	barPitch  = vg.Length(21) // from one bar to the next
	textGap   = vg.Length(4)  // between a bar and its value
)

// ComparisonChart writes an SVG picture with a bar for the rate of each
// strategy, the first on top. A strategy without a result has the reason in its
// place.
func ComparisonChart(w io.Writer, c *Comparison) error {
	var rows bars
	var names []string
	var rates []float64
	for i := range c.Strategies {
		s := &c.Strategies[i]
		b := bar{gteps: s.rate() / 1e9}
		switch {
		case !s.finished():
			b.note = clean("no result: " + cmp.Or(s.Failure, "no search"))
		case b.gteps > 0:
			b.note = giga(s.rate())
			rates = append(rates, b.gteps)
		default:
			b.note = "0"
		}
		rows = append(rows, b)
		names = append(names, clean(s.Name))
	}
	h := heading{
		clean(fmt.Sprintf("Strategies of the %s engine on %s", c.Engine.Name, c.place())),
		clean(fmt.Sprintf("GTEPS, harmonic mean of %d searches; %s, scale %d, edgefactor %.7g",
			len(c.Roots), filepath.Base(c.Input.Source), c.Input.Scale, c.Input.EdgeFactor)),
	}
	p := newPlot()
	x := newAxis(rates)
	p.X.Min, p.X.Max, p.X.Tick.Marker = x.min, x.max, x.ticks
	if x.logarithmic {
		p.X.Scale = plot.LogScale{}
		h.subtitle += "; logarithmic"
	}
	nameRows(p, names)
	grid := newGrid()
	grid.Horizontal.Width = 0 // it would cross the notes
	p.Add(grid, rows)
	notes, values := rows.widths()
	beside := width(p.Y.Tick.Label, names...) + 2*margin
	return writeSVG(w, h, max(540, beside+notes), 40+barPitch*vg.Length(max(1, len(rows))), func(c draw.Canvas) {
		p.Draw(draw.Crop(c, 0, -values, 0, 0))
	})
}

// nameRows makes the vertical axis one of names, the first on top.
func nameRows(p *plot.Plot, names []string) {
	var ticks plot.ConstantTicks
	for i, name := range names {
		ticks = append(ticks, plot.Tick{Value: -float64(i), Label: name})
	}
	p.Y.Min, p.Y.Max = 0.5-float64(max(1, len(names))), 0.5
	p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.Padding = ticks, 0, 0
}

// bar is one row of a picture of bars.
type bar struct {
	gteps float64 // 0: there is no bar
	note  string  // behind its end
}

// bars are drawn from the left edge on, the first on top.
type bars []bar

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := plain()
	style.YAlign = draw.YCenter
	lift := style.FontExtents().Descent / 2 // to the middle of small letters
	for i, row := range b {
		end, middle := c.Min.X, y(-float64(i))
		if row.gteps > 0 {
			end = x(row.gteps)
			low, high := middle-barHeight/2, middle+barHeight/2
			c.FillPolygon(hue(0), []vg.Point{{X: c.Min.X, Y: low}, {X: end, Y: low}, {X: end, Y: high}, {X: c.Min.X, Y: high}})
		}
		c.FillText(style, vg.Point{X: end + textGap, Y: middle + lift}, row.note)
	}
}

// widths returns the width of the widest note, and that of the widest behind a
// bar, in points.
func (b bars) widths() (notes, values vg.Length) {
	for _, row := range b {
		w := textGap + width(plain(), row.note)
		notes = max(notes, w)
		if row.gteps > 0 {
			values = max(values, w)
		}
	}
	return notes, values
}
