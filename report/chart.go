package report

import (
	"cmp"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ScaleChart writes an SVG chart of rates over scales with a line for each series. The
// line goes through the median of the points at each scale. series is not empty, and
// every series has a point.
func ScaleChart(w io.Writer, title string, series []Series) error {
	c := newLineChart("scale")
	var points []Point
	for i, s := range series {
		line, marks, err := s.plotters(i)
		if err != nil {
			return err
		}
		c.add(s.Name, line, marks)
		points = append(points, s.Points...)
	}
	return c.write(w, heading{printable(title), "GTEPS, harmonic mean of the searches" + setAxes(c.plot, points)})
}

// lineChart is a chart of lines with marks. Their names are beside their last points.
type lineChart struct {
	plot   *plot.Plot
	labels []label
}

// label is the name of a line, to be written beside its last point.
type label struct {
	name string
	mark draw.GlyphStyle
	end  plotter.XY
}

func newLineChart(xLabel string) *lineChart {
	c := &lineChart{plot: newPlot()}
	c.plot.Add(newGrid())
	c.plot.X.Label.Text = xLabel
	return c
}

// add adds a line. One with a single point has only its mark.
func (c *lineChart) add(name string, line *plotter.Line, marks *plotter.Scatter) {
	c.plot.Add(line, marks)
	c.labels = append(c.labels, label{printable(name), marks.GlyphStyle, line.XYs[len(line.XYs)-1]})
}

// Sizes of a chart of lines, in points.
const (
	plotWidth    = vg.Length(440)
	plotHeight   = vg.Length(280)
	labelHeight  = vg.Length(15)
	labelOffset  = vg.Length(22) // of the mark from the data
	nameOffset   = vg.Length(8)  // of the name from the mark
	leaderOffset = vg.Length(6)  // of the line to a label from the last point and from the mark
)

// write draws the chart and writes it as SVG.
func (c *lineChart) write(w io.Writer, h heading) error {
	slices.SortStableFunc(c.labels, func(a, b label) int { return cmp.Compare(a.end.Y, b.end.Y) })
	names := make([]string, len(c.labels))
	for i, l := range c.labels {
		names[i] = l.name
	}
	beside := labelOffset + nameOffset + textWidth(textStyle(), names...)
	height := max(plotHeight, labelHeight*vg.Length(len(names))+40)
	return writeSVG(w, h, plotWidth+beside, height, func(canvas draw.Canvas) {
		canvas = draw.Crop(canvas, 0, 0, 0, -margin/2)
		canvas.Max.X = canvas.Min.X + plotWidth + beside
		area := draw.Crop(canvas, 0, -beside, 0, 0)
		c.plot.Draw(area)
		c.drawLabels(canvas, c.plot.DataCanvas(area))
	})
}

// drawLabels writes the names right of the data.
func (c *lineChart) drawLabels(canvas, data draw.Canvas) {
	x, y := c.plot.Transforms(&data)
	ends := make([]vg.Length, len(c.labels))
	for i, l := range c.labels {
		ends[i] = y(l.end.Y)
	}
	style := textStyle()
	style.YAlign = text.YCenter
	for i, at := range spread(ends, labelHeight, data.Min.Y, data.Max.Y) {
		mark := vg.Point{X: data.Max.X + labelOffset, Y: at}
		leader := draw.LineStyle{Color: color.Gray{Y: 150}, Width: 0.5}
		canvas.StrokeLine2(leader, x(c.labels[i].end.X)+leaderOffset, ends[i], mark.X-leaderOffset, at)
		canvas.DrawGlyph(c.labels[i].mark, mark)
		canvas.FillText(style, vg.Point{X: mark.X + nameOffset, Y: at}, c.labels[i].name)
	}
}

// spread moves ascending positions, by the least sum of squares, so that neighbours are at least
// gap from each other, within the bounds if they fit there. Groups of neighbours that come too
// close move to their mean.
func spread(positions []vg.Length, gap, lowest, highest vg.Length) []vg.Length {
	type group struct {
		sum vg.Length // of positions less the gaps below them
		n   int
	}
	mean := func(g group) vg.Length { return g.sum / vg.Length(g.n) }
	var groups []group
	for i, p := range positions {
		g := group{p - gap*vg.Length(i), 1}
		for n := len(groups); n > 0 && mean(groups[n-1]) > mean(g); n-- {
			g.sum, g.n = g.sum+groups[n-1].sum, g.n+groups[n-1].n
			groups = groups[:n-1]
		}
		groups = append(groups, g)
	}
	highest -= gap * vg.Length(len(positions)-1)
	moved := make([]vg.Length, 0, len(positions))
	for _, g := range groups {
		for range g.n {
			moved = append(moved, max(lowest, min(mean(g), highest))+gap*vg.Length(len(moved)))
		}
	}
	return moved
}

// setAxes sets the axes of the plot for the points and returns an addition to the
// subtitle.
func setAxes(p *plot.Plot, points []Point) string {
	rate := make([]float64, len(points))
	for i, p := range points {
		rate[i] = p.GTEPS
	}
	byScale := func(a, b Point) int { return a.Scale - b.Scale }
	x := scaleAxis(slices.MinFunc(points, byScale).Scale, slices.MaxFunc(points, byScale).Scale)
	y := newAxis(rate)
	p.X.Min, p.X.Max, p.X.Tick.Marker = x.min, x.max, x.ticks
	return setY(p, y)
}

// setY sets the vertical axis and returns an addition to the subtitle.
func setY(p *plot.Plot, y axis) string {
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = y.min, y.max, y.ticks
	if !y.logarithmic {
		return ""
	}
	p.Y.Scale = plot.LogScale{}
	return ", logarithmic"
}

// plotters returns the line through the medians and the marks of the points of series
// i.
func (s *Series) plotters(i int) (*plotter.Line, *plotter.Scatter, error) {
	var points plotter.XYs
	for _, p := range s.Points {
		points = append(points, plotter.XY{X: float64(p.Scale), Y: p.GTEPS})
	}
	return lineThrough(i, points)
}

// lineThrough returns line i through the median at each place, and the marks of all points.
func lineThrough(i int, points plotter.XYs) (*plotter.Line, *plotter.Scatter, error) {
	at := make(map[float64][]float64)
	for _, p := range points {
		at[p.X] = append(at[p.X], p.Y)
	}
	var medians plotter.XYs
	for x, values := range at {
		medians = append(medians, plotter.XY{X: x, Y: summarise(values).Median})
	}
	slices.SortFunc(medians, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	line, err := plotter.NewLine(medians)
	if err != nil {
		return nil, nil, err
	}
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return nil, nil, err
	}
	styleLine(i, line, marks)
	return line, marks, nil
}

// styleLine gives line i its colour and marks.
func styleLine(i int, line *plotter.Line, marks *plotter.Scatter) {
	line.Width, line.Color = 1.5, seriesColor(i)
	marks.GlyphStyle = draw.GlyphStyle{Color: seriesColor(i), Radius: 3.5, Shape: seriesShape(i)}
}

// seriesShape returns the shape of the marks of series i. The numbers of shapes and of
// colours have no common divisor, so that many series differ.
func seriesShape(i int) draw.GlyphDrawer {
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}
	return shapes[i%len(shapes)]
}
