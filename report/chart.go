package report

import (
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ScaleChart writes an SVG picture of rates over scales with a line for each
// series, which joins the medians where a scale has several points. There is a
// series at least, and each has a point.
func ScaleChart(w io.Writer, title string, series []Series) error {
	p := newPlot()
	p.Add(newGrid())
	p.X.Label.Text = "scale"
	legend := plot.NewLegend()
	legend.TextStyle = plain()
	legend.Left, legend.Top, legend.ThumbnailWidth, legend.Padding = true, true, 30, 3
	var points []Point
	var names []string
	for i, s := range series {
		line, marks, err := s.plotters(i)
		if err != nil {
			return err
		}
		p.Add(line, marks)
		name := clean(s.Name)
		if len(line.XYs) > 1 {
			legend.Add(name, line, marks)
		} else {
			legend.Add(name, marks)
		}
		names, points = append(names, name), append(points, s.Points...)
	}
	h := heading{clean(title), "GTEPS, harmonic mean of the searches" + setAxes(p, points)}
	below := 16 * vg.Length(len(series))
	wide := max(540, width(legend.TextStyle, names...)+legend.ThumbnailWidth+margin)
	return writeSVG(w, h, wide, 280+below, func(c draw.Canvas) {
		p.Draw(draw.Crop(c, 0, 0, below+margin/2, 0))
		legend.Draw(draw.Crop(c, 0, 0, 0, -(c.Max.Y - c.Min.Y - below)))
	})
}

// setAxes gives the plot axes for the points and returns what the subtitle has to
// say of them.
func setAxes(p *plot.Plot, points []Point) string {
	rate := make([]float64, len(points))
	for i, at := range points {
		rate[i] = at.GTEPS
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

// plotters returns the line through the medians and the mark of every point of
// series number i.
func (s *Series) plotters(i int) (*plotter.Line, *plotter.Scatter, error) {
	byScale := make(map[int][]float64)
	var all, medians plotter.XYs
	for _, at := range s.Points {
		byScale[at.Scale] = append(byScale[at.Scale], at.GTEPS)
		all = append(all, plotter.XY{X: float64(at.Scale), Y: at.GTEPS})
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
	line.Width, line.Color = 1.5, hue(i)
	marks.GlyphStyle = draw.GlyphStyle{Color: hue(i), Radius: 3.5, Shape: shape(i)}
	return line, marks, nil
}

// shape returns one of the marks that can be told apart. Their number has no
// divisor in common with that of the hues.
func shape(i int) draw.GlyphDrawer {
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}
	return shapes[i%len(shapes)]
}
