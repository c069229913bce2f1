package report

import (
	"fmt"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	_ "gonum.org/v1/plot/vg/vgsvg" // the format of the charts
)

// ComparisonChart writes an SVG picture of the ratios to the baseline along the
// ladder, or of the rates where the baseline has none, on a logarithmic scale
// because its ends are orders of magnitude apart. It is empty if no strategy
// has a result.
func ComparisonChart(w io.Writer, c *Comparison) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s, scale %d: searches on %s", c.Source, c.Scale, c.Hardware)
	p.Y.Label.Text = "GTEPS, harmonic mean"
	var names []string
	var points plotter.XYs
	for _, s := range c.rungs() {
		height := s.rate() / 1e9
		if r := c.ratio(&s); r > 0 {
			p.Y.Label.Text = "GTEPS over those of " + c.Baseline
			height = r
		}
		if height > 0 { // the logarithm has no place for others
			points = append(points, plotter.XY{X: float64(len(names)), Y: height})
			names = append(names, s.Name)
		}
	}
	if len(points) > 0 {
		if err := addSteps(p, names, points); err != nil {
			return err
		}
	}
	picture, err := p.WriterTo(vg.Points(100*float64(len(names))+80), vg.Points(320), "svg")
	if err != nil {
		return err
	}
	_, err = picture.WriteTo(w)
	return err
}

// addSteps draws a point with its value for each name, joined by a line.
func addSteps(p *plot.Plot, names []string, points plotter.XYs) error {
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	values := plotter.XYLabels{XYs: points}
	for _, at := range points {
		values.Labels = append(values.Labels, fmt.Sprintf(" %.3g", at.Y))
	}
	labels, err := plotter.NewLabels(values)
	if err != nil {
		return err
	}
	p.Add(plotter.NewGrid(), line, marks, labels)
	p.Y.Scale = plot.LogScale{}
	p.Y.Tick.Marker = plot.LogTicks{Prec: -1}
	// Room around a single point and for the label of the last.
	p.Y.Min, p.Y.Max = p.Y.Min/1.5, p.Y.Max*1.5
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.3, float64(len(names))-0.4
	return nil
}
