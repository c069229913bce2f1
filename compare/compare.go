// Package compare decides whether one set of runs is faster than another. It knows the
// records of runs; it reads no files and runs nothing.
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"graph500/engine"
	"graph500/report"
)

// Verdict is the outcome of the comparison of one kernel on one graph.
type Verdict string

const (
	Same    Verdict = "same"
	Faster  Verdict = "faster" // B is
	Slower  Verdict = "slower" // B is
	Unclear Verdict = "unclear"
)

// Line is the comparison of one kernel on one graph.
type Line struct {
	Kernel     engine.Kernel
	Scale      int
	A, B       Sample
	Ratio      float64 // rate of B divided by that of A
	Low, High  float64 // 95 % of the ratios of resampled runs and keys lie between them
	Verdict    Verdict
	SingleRuns bool // A or B is one run: the interval lacks how much runs differ
}

// Sample describes the runs of one side of a line.
type Sample struct {
	Runs  int
	GTEPS float64 // harmonic mean of the searches of all runs
}

// Compare compares all runs of a with those of b, kernel by kernel and graph by graph. Rates
// whose interval lies within margin of each other, a share of the rate, are the same. It is
// an error if nothing can be compared, or if runs of one side or of both are not alike in what
// must be.
func Compare(a, b []*report.Run, margin float64) ([]Line, error) {
	sideA, err := groups("A", a)
	if err != nil {
		return nil, err
	}
	sideB, err := groups("B", b)
	if err != nil {
		return nil, err
	}
	var lines []Line
	var reasons []string
	for _, groupA := range sideA {
		for _, groupB := range sideB {
			if groupA.kernel != groupB.kernel || groupA.scale() != groupB.scale() {
				continue
			}
			if why := groupA.incomparable(groupB); why != "" {
				reasons = append(reasons, fmt.Sprintf("%s at scale %d: %s", groupA.kernel.Title(), groupA.scale(), why))
				continue
			}
			lines = append(lines, newLine(groupA, groupB, margin))
		}
	}
	switch {
	case len(reasons) > 0:
		return nil, fmt.Errorf("cannot compare A and B: %s", strings.Join(reasons, "; "))
	case len(lines) == 0:
		return nil, errors.New("cannot compare A and B: they have no kernel at the same scale")
	}
	slices.SortFunc(lines, func(x, y Line) int {
		return cmp.Or(cmp.Compare(x.Kernel, y.Kernel), cmp.Compare(x.Scale, y.Scale))
	})
	return lines, nil
}

// group holds the runs of one side with the same kernel and scale.
type group struct {
	kernel   engine.Kernel
	runs     []*report.Run
	searches [][]report.Search // of each run, by root
}

func (g *group) scale() int { return g.runs[0].Input.Scale }

// groups sorts the runs of a side.
func groups(side string, runs []*report.Run) (list []*group, err error) {
	for _, r := range runs {
		for i := range r.Kernels {
			k := &r.Kernels[i]
			switch {
			case !k.Validated():
				return nil, fmt.Errorf("a run of %s was not validated: its searches of %s at scale %d may be wrong", side, k.Kernel.Title(), r.Input.Scale)
			case k.Rates().HarmonicMean == 0:
				return nil, fmt.Errorf("a run of %s has a search of %s at scale %d without a rate", side, k.Kernel.Title(), r.Input.Scale)
			}
			n := slices.IndexFunc(list, func(g *group) bool { return g.kernel == k.Kernel && g.scale() == r.Input.Scale })
			if n < 0 {
				n, list = len(list), append(list, &group{kernel: k.Kernel})
			}
			g := list[n]
			g.runs = append(g.runs, r)
			g.searches = append(g.searches, slices.SortedFunc(slices.Values(k.Searches), func(x, y report.Search) int { return cmp.Compare(x.Root, y.Root) }))
			if why := g.unlike(r); why != "" {
				return nil, fmt.Errorf("the runs of %s are not alike: %s at scale %d, %s: name one kind of run on each side", side, k.Kernel.Title(), r.Input.Scale, why)
			}
		}
	}
	return list, nil
}

// unlike says in what a run of the side differs from its first one.
func (g *group) unlike(r *report.Run) string {
	first := g.runs[0]
	for _, c := range []struct{ what, one, other string }{
		{"on", first.HardwareName(), r.HardwareName()},
		{"with strategy", first.Kernel(g.kernel).Strategy, r.Kernel(g.kernel).Strategy},
		{"with a label width of", fmt.Sprint(first.Engine.LabelBits), fmt.Sprint(r.Engine.LabelBits)},
		{"with the number of processes", fmt.Sprint(first.Ranks()), fmt.Sprint(r.Ranks())},
		{"by commit", first.Program.Commit, r.Program.Commit},
	} {
		if c.one != c.other {
			return fmt.Sprintf("%s %s and %s", c.what, c.one, c.other)
		}
	}
	return g.incomparable(&group{kernel: g.kernel, runs: []*report.Run{r}, searches: g.searches[len(g.searches)-1:]})
}

// incomparable says why the rates of two groups must not be compared: they are of other
// graphs or of other keys.
func (g *group) incomparable(other *group) string {
	x, y := g.runs[0].Input, other.runs[0].Input
	switch {
	case x.Source != y.Source && (x.Checksum == "" || x.Checksum != y.Checksum):
		return fmt.Sprintf("the graphs are %s and %s", x.Source, y.Source)
	case x.EdgeFactor != y.EdgeFactor:
		return fmt.Sprintf("the edgefactors are %v and %v", x.EdgeFactor, y.EdgeFactor)
	case x.Seed1 != y.Seed1 || x.Seed2 != y.Seed2:
		return fmt.Sprintf("the seeds are %d, %d and %d, %d", x.Seed1, x.Seed2, y.Seed1, y.Seed2)
	case g.kernel == engine.SSSP && x.Weights != y.Weights:
		return fmt.Sprintf("the weights are %s and %s", x.Weights, y.Weights)
	case x.Checksum != y.Checksum:
		return fmt.Sprintf("the graphs of the name %s have other edges", x.Source)
	}
	if !slices.EqualFunc(g.searches[0], other.searches[0], func(s, t report.Search) bool { return s.Root == t.Root && s.Edges == t.Edges }) {
		return "the searches are from other keys, or found other edges"
	}
	return ""
}

// newLine compares two groups with the same keys.
func newLine(a, b *group, margin float64) Line {
	l := Line{
		Kernel: a.kernel, Scale: a.scale(),
		A: a.sample(), B: b.sample(), SingleRuns: len(a.runs) == 1 || len(b.runs) == 1,
	}
	l.Ratio = l.B.GTEPS / l.A.GTEPS
	l.Low, l.High = interval(a.perEdge(), b.perEdge())
	switch {
	case l.Low > 1-margin && l.High < 1+margin:
		l.Verdict = Same
	case l.Low > 1+margin:
		l.Verdict = Faster
	case l.High < 1-margin:
		l.Verdict = Slower
	default:
		l.Verdict = Unclear
	}
	return l
}

// perEdge returns the seconds per edge of each search, by run and key.
func (g *group) perEdge() [][]float64 {
	rows := make([][]float64, len(g.searches))
	for i, searches := range g.searches {
		for _, s := range searches {
			rows[i] = append(rows[i], s.Seconds/float64(s.Edges))
		}
	}
	return rows
}

func (g *group) sample() Sample {
	return Sample{len(g.runs), 1e-9 / mean(g.perEdge())}
}
