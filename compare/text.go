package compare

import (
	"fmt"
	"io"
	"text/tabwriter"

	"graph500/report"
)

// Text writes what A and B are and a table of the lines.
func Text(w io.Writer, a, b []*report.Run, lines []Line, margin float64) error {
	for _, side := range []struct {
		name string
		runs []*report.Run
	}{{"A", a}, {"B", b}} {
		first := side.runs[0]
		if _, err := fmt.Fprintf(w, "%s: %d runs, commit %s, %s engine, %s\n", side.name, len(side.runs), first.Program.Commit, first.Engine.Name, first.HardwareName()); err != nil {
			return err
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "kernel\tscale\truns A, B\tGTEPS A\tGTEPS B\tB / A\t95 % interval\tB is")
	single := false
	for _, l := range lines {
		fmt.Fprintf(t, "%s\t%d\t%d, %d\t%.4g\t%.4g\t%.3f\t%.3f..%.3f\t%s\n",
			l.Kernel.Title(), l.Scale, l.A.Runs, l.B.Runs, l.A.GTEPS, l.B.GTEPS, l.Ratio, l.Low, l.High, l.Verdict)
		single = single || l.SingleRuns
	}
	if err := t.Flush(); err != nil {
		return err
	}
	note := ""
	if single {
		note = " Of a single run, the interval is that of its searches only, and two runs of one program may differ by more."
	}
	_, err := fmt.Fprintf(w, "Same: within %.3g %% of each other.%s\n", 100*margin, note)
	return err
}
