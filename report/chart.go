package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"io"
	"slices"

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

// ReadDocument reads what JSON wrote.
func ReadDocument(r io.Reader) (*Document, error) {
	var d Document
	decoder := json.NewDecoder(r)
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("no result in JSON: %w", err)
	}
	if decoder.More() {
		return nil, errors.New("something follows the result: name one file for each")
	}
	if d.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("no result of schema version %d, but %d", SchemaVersion, d.SchemaVersion)
	}
	if !(d.BFS.TEPS.HarmonicMean > 0) {
		return nil, errors.New("the result has no rate")
	}
	return &d, nil
}

// ScaleChart writes an SVG picture of the rates of runs over their scales, with
// a line for each engine and strategy. There is at least one run.
func ScaleChart(w io.Writer, runs []*Document) error {
	p := plot.New()
	p.Title.Text = "Graph500 breadth-first search"
	p.X.Label.Text = "scale"
	p.Y.Label.Text = "GTEPS, harmonic mean"
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	lines := make(map[string]plotter.XYs)
	var names []string // in the order of the files
	for _, d := range runs {
		name := d.Engine.Hardware
		if d.Engine.Strategy != "default" {
			name += ", " + d.Engine.Strategy
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		lines[name] = append(lines[name], plotter.XY{X: float64(d.Input.Scale), Y: d.BFS.TEPS.HarmonicMean / 1e9})
	}
	var scales plot.ConstantTicks
	for i, name := range names {
		points := lines[name]
		slices.SortFunc(points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, marks.Color = hue(i), hue(i)
		p.Add(line, marks)
		p.Legend.Add(name, line, marks)
		for _, at := range points {
			scales = append(scales, plot.Tick{Value: at.X, Label: fmt.Sprint(int(at.X))})
		}
	}
	p.X.Tick.Marker = scales
	p.X.Min, p.X.Max = p.X.Min-0.5, p.X.Max+0.5
	p.Y.Min, p.Y.Max = 0, p.Y.Max*1.15
	picture, err := p.WriterTo(vg.Points(520), vg.Points(320), "svg")
	if err != nil {
		return err
	}
	_, err = picture.WriteTo(w)
	return err
}

// hue returns one of a few colours that can be told apart (Okabe and Ito).
func hue(i int) color.Color {
	colours := []color.RGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255}}
	return colours[i%len(colours)]
}
