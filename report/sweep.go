package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"graph500/energy"
)

// Sweep holds the results of one call at several scales.
type Sweep []SweepResult

// SweepResult is the result of one scale: a run, or the reason why there is none.
type SweepResult struct {
	Scale   int
	Run     *Run
	Failure error
}

// Failed lists the scales without a run.
func (s Sweep) Failed() (scales []int) {
	for _, r := range s {
		if r.Failure != nil {
			scales = append(scales, r.Scale)
		}
	}
	return scales
}

// parts lists the parts whose energy a run has.
func (s Sweep) parts() (parts []energy.Part) {
	for _, r := range s {
		if r.Run == nil {
			continue
		}
		for _, k := range r.Run.Kernels {
			for _, e := range k.Energy {
				if !slices.Contains(parts, e.Part) {
					parts = append(parts, e.Part)
				}
			}
		}
	}
	return parts
}

// SweepTable writes a text table with a row for each scale and kernel.
func SweepTable(w io.Writer, s Sweep) error {
	parts := s.parts()
	t := newTable()
	header := []string{"scale", "kernel", "GTEPS", "median search (s)", "generation (s)", "construction (s)"}
	for _, part := range parts {
		header = append(header, "MTEPS/W, "+string(part))
	}
	t.row(header...)
	for _, r := range s {
		if r.Run == nil {
			t.row(append([]string{fmt.Sprint(r.Scale), "failed"}, slices.Repeat([]string{"-"}, len(header)-2)...)...)
			continue
		}
		for _, k := range r.Run.Kernels {
			t.row(append([]string{fmt.Sprint(r.Scale), string(k.Kernel), giga(rates(k.Searches).HarmonicMean), fmt.Sprintf("%.6f", k.times().Median),
				fmt.Sprintf("%.6f", r.Run.Generation), fmt.Sprintf("%.6f", r.Run.Construction)}, k.efficiencies(parts)...)...)
		}
	}
	return t.writeTo(w)
}

// writeWithReasons writes the table, and a line for each scale that failed.
func (s Sweep) writeWithReasons(w io.Writer) error {
	if err := SweepTable(w, s); err != nil {
		return err
	}
	for _, r := range s {
		if r.Failure != nil {
			if _, err := fmt.Fprintf(w, "scale %d: %v\n", r.Scale, r.Failure); err != nil {
				return err
			}
		}
	}
	return nil
}

// efficiencies returns the cells of MTEPS/W of the parts.
func (k *KernelRun) efficiencies(parts []energy.Part) []string {
	cells := slices.Repeat([]string{"-"}, len(parts))
	for _, e := range k.Energy {
		cells[slices.Index(parts, e.Part)] = fmt.Sprintf("%.4g", e.MTEPSPerWatt())
	}
	return cells
}

var errNoRate = errors.New("no scale of the sweep has a rate")

// SweepChart writes an SVG chart of the rates over the scales. A run without a rate has
// no point.
func SweepChart(w io.Writer, s Sweep) error {
	var series []Series
	for _, r := range s {
		if r.Run == nil {
			continue
		}
		if longer, err := AddRun(series, r.Run); err == nil {
			series = longer
		}
	}
	if len(series) == 0 {
		return errNoRate
	}
	return ScaleChart(w, "Graph500", series)
}

// The files of a sweep, beside the directories of its runs.
const (
	sweepTableFile = "sweep.txt"
	sweepChartFile = "sweep.svg"
)

// WriteSweepDir writes the table of the sweep, the reasons for failures and the chart to
// dir, by WriteFiles. There is no chart if no run has a rate.
func WriteSweepDir(ctx context.Context, dir string, s Sweep) error {
	files := []File{{sweepTableFile, s.writeWithReasons}}
	if err := SweepChart(io.Discard, s); !errors.Is(err, errNoRate) {
		files = append(files, File{sweepChartFile, func(w io.Writer) error { return SweepChart(w, s) }})
	}
	return WriteFiles(ctx, dir, files)
}
