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
	textGap   = vg.Length(4)  // between a bar and a text
)

// ComparisonChart writes an SVG chart with a bar for the rate of each strategy, the
// first on top. A strategy without a result has the reason instead of a bar.
func ComparisonChart(w io.Writer, c *Comparison) error {
	h := heading{
		printable(fmt.Sprintf("%s strategies of the %s engine on %s", c.Kernel.Title(), c.Engine.Name, c.HardwareName())),
		printable(fmt.Sprintf("GTEPS, harmonic mean of %d searches; %s, scale %d, edgefactor %.7g",
			len(c.Roots), filepath.Base(c.Input.Source), c.Input.Scale, c.Input.EdgeFactor)),
	}
	rows := c.bars()
	p := newPlot()
	x := newAxis(rows.rates())
	p.X.Min, p.X.Max, p.X.Tick.Marker = x.min, x.max, x.ticks
	if x.logarithmic {
		p.X.Scale = plot.LogScale{}
		h.subtitle += "; logarithmic"
	}
	p.Y.Min, p.Y.Max = 0.5-float64(max(1, len(rows))), 0.5
	p.Y.Tick.Marker, p.Y.Padding = plot.ConstantTicks{}, 0
	grid := newGrid()
	grid.Horizontal.Width = 0 // no lines, because they would cross the notes
	p.Add(grid, rows)
	names, notes, values := rows.widths()
	return writeSVG(w, h, max(540, names+notes), 40+barPitch*vg.Length(max(1, len(rows))), func(c draw.Canvas) {
		p.Draw(draw.Crop(c, names, -values, 0, 0))
	})
}

// bars returns the bars of the strategies.
func (c *Comparison) bars() (rows bars) {
	for i := range c.Strategies {
		s := &c.Strategies[i]
		b := bar{name: printable(s.Name), gteps: s.rate() / 1e9, note: giga(s.rate())}
		if !s.finished() {
			b.note = printable("no result: " + cmp.Or(s.Failure, "no search"))
		}
		rows = append(rows, b)
	}
	return rows
}

// bars are drawn from the left edge, the first on top.
type bars []bar

type bar struct {
	name  string  // left of the bar
	gteps float64 // 0: no bar
	note  string  // right of the bar
}

// rates returns the GTEPS of the bars above 0.
func (b bars) rates() (list []float64) {
	for _, row := range b {
		if row.gteps > 0 {
			list = append(list, row.gteps)
		}
	}
	return list
}

// widths returns the widths in points of the widest name, the widest note and the
// widest note of a bar above 0.
func (b bars) widths() (names, notes, values vg.Length) {
	for _, row := range b {
		names = max(names, textGap+textWidth(textStyle(), row.name))
		note := textGap + textWidth(textStyle(), row.note)
		notes = max(notes, note)
		if row.gteps > 0 {
			values = max(values, note)
		}
	}
	return names, notes, values
}

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	names, _, _ := b.widths()
	style := textStyle()
	style.YAlign = draw.YCenter
	lift := style.FontExtents().Descent / 2 // to centre small letters
	for i, row := range b {
		end, middle := c.Min.X, y(-float64(i))
		if row.gteps > 0 {
			end = x(row.gteps)
			low, high := middle-barHeight/2, middle+barHeight/2
			c.FillPolygon(seriesColor(0), []vg.Point{{X: c.Min.X, Y: low}, {X: end, Y: low}, {X: end, Y: high}, {X: c.Min.X, Y: high}})
		}
		c.FillText(style, vg.Point{X: c.Min.X - names, Y: middle + lift}, row.name)
		c.FillText(style, vg.Point{X: end + textGap, Y: middle + lift}, row.note)
	}
}
