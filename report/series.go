package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"graph500/decimal"
)

// Series is one line of a chart of rates over scales.
type Series struct {
	Name   string
	Points []Point
}

// Point is a rate at a scale.
type Point struct {
	Scale int
	GTEPS float64 // above 0
}

// AddRun adds the harmonic mean of each kernel of a run to the series of its machine and
// configuration. If there is no such series, it adds one.
func AddRun(series []Series, r *Run) ([]Series, error) {
	if r.Input.Source != Kronecker {
		return nil, fmt.Errorf("its graph comes from the file %s, and a chart over scales has generated graphs only: leave it out", r.Input.Source)
	}
	for i := range r.Kernels {
		k := &r.Kernels[i]
		point := Point{r.Input.Scale, k.Rates().HarmonicMean / 1e9}
		switch {
		case point.GTEPS <= 0:
			return nil, errors.New("the result has no rate")
		case point.GTEPS < minGTEPS || point.GTEPS > maxGTEPS:
			return nil, fmt.Errorf("its rate of %.4g GTEPS is not in %g..%g, which a chart can show", point.GTEPS, minGTEPS, maxGTEPS)
		}
		name := r.configurationName(k)
		i := slices.IndexFunc(series, func(s Series) bool { return s.Name == name })
		if i < 0 {
			i = len(series)
			series = append(series, Series{Name: name})
		}
		series[i].Points = append(series[i].Points, point)
	}
	return series, nil
}

// configurationName returns the name of the series of a kernel: kernel and engine,
// device or processor with threads, number of ranks if several, strategy, width of its buckets and edge factor if
// not the default, and "not validated" if the searches were not.
func (r *Run) configurationName(k *KernelRun) string {
	parts := []string{k.Kernel.Title() + ", graph500 " + r.Engine.Name + " engine", r.HardwareName()}
	if n := r.Ranks(); n > 1 {
		parts = append(parts, fmt.Sprintf("%d ranks", n))
	}
	if k.Strategy != "default" {
		parts = append(parts, k.Strategy)
	}
	if k.Delta != 0 {
		parts = append(parts, "delta "+single(k.Delta))
	}
	if r.Input.EdgeFactor != 16 {
		parts = append(parts, fmt.Sprintf("edgefactor %.7g", r.Input.EdgeFactor))
	}
	if !k.Validated() {
		parts = append(parts, "not validated")
	}
	return strings.Join(parts, ", ")
}

// Limits of the values that a chart shows.
const (
	maxScale = 63
	minGTEPS = 1e-12
	maxGTEPS = 1e12
)

// ReadSeries reads lines of scale and GTEPS, separated by a comma. The first line can
// be "scale,GTEPS". An error contains the number of the line.
func ReadSeries(name string, r io.Reader) (Series, error) {
	s := Series{Name: name}
	lines := csv.NewReader(r)
	lines.FieldsPerRecord, lines.TrimLeadingSpace, lines.ReuseRecord = -1, true, true
	for first := true; ; first = false {
		cells, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s, err // contains the line
		}
		if first && slices.Equal(cells, []string{"scale", "GTEPS"}) {
			continue
		}
		point, err := parsePoint(cells)
		if err != nil {
			line, _ := lines.FieldPos(0)
			return s, fmt.Errorf("line %d: %w", line, err)
		}
		s.Points = append(s.Points, point)
	}
	if len(s.Points) == 0 {
		return s, errors.New("there is no line with a scale and GTEPS")
	}
	return s, nil
}

func parsePoint(cells []string) (p Point, err error) {
	if len(cells) != 2 {
		return p, fmt.Errorf("%q is not a scale and GTEPS separated by a comma", strings.Join(cells, ","))
	}
	if p.Scale, err = strconv.Atoi(strings.TrimSpace(cells[0])); err != nil || p.Scale < 1 || p.Scale > maxScale {
		return p, fmt.Errorf("the scale %q is not an integer in 1..%d", cells[0], maxScale)
	}
	p.GTEPS, err = decimal.Parse(strings.TrimSpace(cells[1]))
	if err != nil || !(p.GTEPS >= minGTEPS && p.GTEPS <= maxGTEPS) {
		return p, fmt.Errorf("the GTEPS %q are not a number in %g..%g", cells[1], minGTEPS, maxGTEPS)
	}
	return p, nil
}
