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
	p := newPlot()
	p.Add(newGrid())
	p.X.Label.Text = "scale"
	legend := plot.NewLegend()
	legend.TextStyle = textStyle()
	legend.Left, legend.Top, legend.ThumbnailWidth, legend.Padding = true, true, 30, 3
	var points []Point
	var names []string
	for i, s := range series {
		line, marks, err := s.plotters(i)
		if err != nil {
			return err
		}
		p.Add(line, marks)
		name := printable(s.Name)
		if len(line.XYs) > 1 {
			legend.Add(name, line, marks)
		} else {
			legend.Add(name, marks)
		}
		names, points = append(names, name), append(points, s.Points...)
	}
	h := heading{printable(title), "GTEPS, harmonic mean of the searches" + setAxes(p, points)}
	legendHeight := 16 * vg.Length(len(series))
	chartWidth := max(540, textWidth(legend.TextStyle, names...)+legend.ThumbnailWidth+margin)
	return writeSVG(w, h, chartWidth, 280+legendHeight, func(c draw.Canvas) {
		p.Draw(draw.Crop(c, 0, 0, legendHeight+margin/2, 0))
		legend.Draw(draw.Crop(c, 0, 0, 0, -(c.Max.Y - c.Min.Y - legendHeight)))
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
	line.Width, line.Color = 1.5, seriesColor(i)
	marks.GlyphStyle = draw.GlyphStyle{Color: seriesColor(i), Radius: 3.5, Shape: seriesShape(i)}
	return line, marks, nil
}

// seriesShape returns the shape of the marks of series i. The numbers of shapes and of
// colours have no common divisor, so that many series differ.
func seriesShape(i int) draw.GlyphDrawer {
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}
	return shapes[i%len(shapes)]
}
