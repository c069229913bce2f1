package commands

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/run"
	"graph500/report"
)

// chartFlags are the flags of "graph500 chart".
type chartFlags struct {
	Title  string   `long:"title" default:"Graph500" value-name:"TEXT" description:"title of the chart"`
	Series []string `long:"series" value-name:"NAME:FILE" description:"additional line with this name, from a CSV file with lines 'scale,GTEPS'; repeatable"`
	Help   bool     `long:"help" short:"h" description:"print this help and stop"`
}

const chartIntroduction = `Draws a chart of GTEPS over scale as SVG on standard output. The files are results of
this program in JSON: result.json of -out, or the output of -format=json. The chart
has one line for each kernel, machine and configuration: device, or processor and
threads, with engine, strategy and edgefactor.

`

const chartExample = `
Example:
  graph500 chart -title='One GPU' -series='another program:other.csv' */result.json >gteps.svg
`

// newChart returns the command.
func newChart() command {
	c := new(chartFlags)
	flags := commandline.NewParser("chart [flags] FILE.json ...", c)
	return command{
		Command: commandline.Command{Name: "chart", Arguments: "[flags] FILE.json ...", Doc: "draws a chart of results of this program", Introduction: chartIntroduction, Closing: chartExample, Flags: flags},
		run: func(ctx context.Context, p *run.Process, rest []string) error {
			return c.draw(rest, p.Stdout)
		},
	}
}

// draw draws the chart of the results in the files.
func (c *chartFlags) draw(files []string, stdout *os.File) (err error) {
	if len(files) == 0 && len(c.Series) == 0 {
		return commandline.Usagef("chart needs the JSON files of results (result.json of -out)")
	}
	var series []report.Series
	for _, name := range files {
		run, err := report.ReadResult(name)
		if err != nil {
			return err
		}
		if series, err = report.AddRun(series, run); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if series, err = c.addSeries(series); err != nil {
		return err
	}
	var svg bytes.Buffer
	if err := report.ScaleChart(&svg, c.Title, series); err != nil {
		return err
	}
	return output.PrintText(stdout, svg.String())
}

// addSeries appends the series of -series.
func (c *chartFlags) addSeries(series []report.Series) ([]report.Series, error) {
	for _, value := range c.Series {
		name, file, ok := strings.Cut(value, ":")
		if !ok || name == "" || file == "" {
			return nil, commandline.Usagef("flag -series: %q is not NAME:FILE", value)
		}
		if slices.ContainsFunc(series, func(s report.Series) bool { return s.Name == name }) {
			return nil, commandline.Usagef("flag -series: there are two lines of the name %q, choose another", name)
		}
		err := report.ReadFile(file, func(r io.Reader) error {
			s, err := report.ReadSeries(name, r)
			series = append(series, s)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return series, nil
}
