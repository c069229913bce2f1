package commands

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"graph500/compare"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/run"
	"graph500/report"
)

// compareFlags are the flags of "graph500 compare".
type compareFlags struct {
	Margin commandline.Decimal `long:"margin" default:"2" value-name:"PERCENT" description:"rates that are surely within this many percent of each other are the same"`
	Help   bool                `long:"help" short:"h" description:"print this help and stop"`
}

const compareIntroduction = `Says for each kernel and scale whether B is faster than A, slower or the same, or that
this is unclear. A and B are each a result in JSON, a directory, which is searched for
files named result.json, or a pattern: one run or several of the same program, machine
and settings. An interval for the ratio of the rates comes from the times of the
searches and the differences between runs (bootstrap). A verdict says that all of the
interval is above, below or within the margin. What cannot be compared, such as other
graphs or keys, is refused.

Exit status: 0 if B is nowhere slower and nothing is unclear, 3 if it is slower
somewhere, 4 if something is unclear, 1 if A and B cannot be compared.

`

const compareExample = `
Example:
  graph500 compare old new
`

// statusError is an error with an exit status of its own.
type statusError struct {
	text   string
	status int
}

func (e statusError) Error() string { return e.text }

func (e statusError) ExitStatus() int { return e.status }

// Exit statuses of a comparison.
const (
	slowerStatus  = 3
	unclearStatus = 4
)

// newCompare returns the command.
func newCompare() command {
	c := new(compareFlags)
	flags := commandline.NewParser("compare [flags] A B", c).Within("margin", commandline.Between[commandline.Decimal](0, 100))
	return command{
		Command: commandline.Command{Name: "compare", Arguments: "[flags] A B", Doc: "says whether results B are faster than results A", Introduction: compareIntroduction, Closing: compareExample, Flags: flags},
		run: func(ctx context.Context, p *run.Process, rest []string) error {
			return c.compare(ctx, rest, p.Stdout)
		},
	}
}

// compare compares the two sets of results that the names stand for.
func (c *compareFlags) compare(ctx context.Context, names []string, stdout *os.File) (err error) {
	if len(names) != 2 {
		return commandline.Usagef("compare needs A and B, each a result, a directory or a pattern, and not %d names", len(names))
	}
	var sides [2][]*report.Run
	seen := make(map[string]string) // real paths of results, with their names
	for i, name := range names {
		if sides[i], err = readSide(ctx, name, seen); err != nil {
			return err
		}
	}
	lines, err := compare.Compare(sides[0], sides[1], float64(c.Margin)/100)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := compare.Text(&text, sides[0], sides[1], lines, float64(c.Margin)/100); err != nil {
		return err
	}
	if err := output.PrintText(stdout, text.String()); err != nil {
		return err
	}
	return verdictOf(lines)
}

// readSide reads the results that a name stands for, all of which must be good. No result may
// be on both sides.
func readSide(ctx context.Context, name string, seen map[string]string) (runs []*report.Run, err error) {
	found, err := report.FindResults(name)
	if err != nil {
		return nil, err
	}
	for _, file := range found {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		path := report.RealPath(file)
		if other, twice := seen[path]; twice {
			return nil, fmt.Errorf("%s and %s are the same result", other, file)
		}
		seen[path] = file
		run, err := report.ReadResult(file)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// verdictOf returns the error, with its exit status, of a comparison that scripts must notice.
func verdictOf(lines []compare.Line) error {
	for _, c := range []struct {
		verdict compare.Verdict
		text    string
		status  int
	}{
		{compare.Slower, "B is slower than A", slowerStatus},
		{compare.Unclear, "it is unclear whether B is faster than A: more runs of each would tell", unclearStatus},
	} {
		if slices.ContainsFunc(lines, func(l compare.Line) bool { return l.Verdict == c.verdict }) {
			return statusError{c.text, c.status}
		}
	}
	return nil
}
