package report

import (
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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

// lineChart is a chart of lines with marks. Their names are below the chart.
type lineChart struct {
	plot   *plot.Plot
	legend plot.Legend
	names  []string
}

func newLineChart(xLabel string) *lineChart {
	c := &lineChart{plot: newPlot(), legend: plot.NewLegend()}
	c.plot.Add(newGrid())
	c.plot.X.Label.Text = xLabel
	c.legend.TextStyle = textStyle()
	c.legend.Left, c.legend.Top, c.legend.ThumbnailWidth, c.legend.Padding = true, true, 30, 3
	return c
}

// add adds a line. One with a single point has only its mark.
func (c *lineChart) add(name string, line *plotter.Line, marks *plotter.Scatter) {
	c.plot.Add(line, marks)
	name = printable(name)
	if len(line.XYs) > 1 {
		c.legend.Add(name, line, marks)
	} else {
		c.legend.Add(name, marks)
	}
	c.names = append(c.names, name)
}

// write draws the chart and writes it as SVG.
func (c *lineChart) write(w io.Writer, h heading) error {
	legendHeight := 16 * vg.Length(len(c.names))
	width := max(540, textWidth(c.legend.TextStyle, c.names...)+c.legend.ThumbnailWidth+margin)
	return writeSVG(w, h, width, 280+legendHeight, func(canvas draw.Canvas) {
		c.plot.Draw(draw.Crop(canvas, 0, 0, legendHeight+margin/2, 0))
		c.legend.Draw(draw.Crop(canvas, 0, 0, 0, -(canvas.Max.Y - canvas.Min.Y - legendHeight)))
	})
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
	byScale := make(map[int][]float64)
	var all, medians plotter.XYs
	for _, p := range s.Points {
		byScale[p.Scale] = append(byScale[p.Scale], p.GTEPS)
		all = append(all, plotter.XY{X: float64(p.Scale), Y: p.GTEPS})
	}
	for scale, rate := range byScale {
		medians = append(medians, plotter.XY{X: float64(scale), Y: summarise(rate).Median})
	}
	slices.SortFunc(medians, func(a, b plotter.XY) int { return int(a.X - b.X) })
	line, err := plotter.NewLine(medians)
	if err != nil {
		return nil, nil, err
	}
	marks, err := plotter.NewScatter(all)
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
