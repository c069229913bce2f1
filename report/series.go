package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Series is one line of a picture of rates over scales.
type Series struct {
	Name   string
	Points []Point
}

// Point is a rate at a scale.
type Point struct {
	Scale int
	GTEPS float64 // above 0
}

// AddRun adds the harmonic mean of a run to the series of its machine and
// configuration, which it begins if there is none.
func AddRun(series []Series, r *Run) ([]Series, error) {
	if r.Input.Source != Kronecker {
		return nil, fmt.Errorf("its graph comes from the file %s, and a picture over scales is of generated graphs: leave it out", r.Input.Source)
	}
	point := Point{r.Input.Scale, rates(r.Searches).HarmonicMean / 1e9}
	if point.GTEPS <= 0 {
		return nil, errors.New("the result has no rate")
	}
	name := r.configurationName()
	i := slices.IndexFunc(series, func(s Series) bool { return s.Name == name })
	if i < 0 {
		i = len(series)
		series = append(series, Series{Name: name})
	}
	series[i].Points = append(series[i].Points, point)
	return series, nil
}

// configurationName says what distinguishes a line: device or processor with
// threads, engine, what is not the default of strategy and edge factor, and
// whether the searches were not validated.
func (r *Run) configurationName() string {
	parts := []string{"graph500 " + r.Engine.Name + " engine", r.place()}
	if r.Engine.Strategy != "default" {
		parts = append(parts, r.Engine.Strategy)
	}
	if r.Input.EdgeFactor != 16 {
		parts = append(parts, fmt.Sprintf("edgefactor %.7g", r.Input.EdgeFactor))
	}
	if !r.Validated() {
		parts = append(parts, "not validated")
	}
	return strings.Join(parts, ", ")
}

// place names what the engine works on.
func (s *Setup) place() string {
	switch {
	case s.Device != nil:
		return s.Device.Name
	case s.Engine.Threads == 1:
		return s.Machine.Processor + ", 1 thread"
	}
	return fmt.Sprintf("%s, %d threads", s.Machine.Processor, s.Engine.Threads)
}

// What a line of ReadSeries may hold.
const (
	mostScale  = 63
	leastGTEPS = 1e-12
	mostGTEPS  = 1e12
)

// ReadSeries reads lines of a scale and GTEPS, with a comma between them. The
// first line may be "scale,GTEPS". An error names the line.
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
			return s, err // names the line
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
		return p, fmt.Errorf("%q is not a scale and GTEPS with a comma between them", strings.Join(cells, ","))
	}
	if p.Scale, err = strconv.Atoi(strings.TrimSpace(cells[0])); err != nil || p.Scale < 1 || p.Scale > mostScale {
		return p, fmt.Errorf("the scale %q is not a whole number in 1..%d", cells[0], mostScale)
	}
	p.GTEPS, err = strconv.ParseFloat(strings.TrimSpace(cells[1]), 64)
	if err != nil || !(p.GTEPS >= leastGTEPS && p.GTEPS <= mostGTEPS) {
		return p, fmt.Errorf("the GTEPS %q are not a number in %g..%g", cells[1], leastGTEPS, mostGTEPS)
	}
	return p, nil
}
