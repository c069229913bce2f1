package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/jessevdk/go-flags"

	"graph500/report"
)

// chartFlags are those of "graph500 chart".
type chartFlags struct {
	Title  string   `long:"title" default:"Graph500 breadth-first search" value-name:"TEXT" description:"title of the picture"`
	Series []string `long:"series" value-name:"NAME:FILE" description:"a further line of that name, from a CSV file with lines 'scale,GTEPS'; repeatable"`
	Help   bool     `long:"help" short:"h" description:"print this help and stop"`
}

const chartIntroduction = `Draws GTEPS over scale, in SVG on standard output, from results of this program in
JSON: result.json of -out, or what -format=json printed. There is a line for each
machine and configuration: device, or processor and threads, with engine, strategy
and edgefactor.

`

const chartExample = `
Example:
  graph500 chart -title='One GPU' -series='another program:other.csv' */result.json >gteps.svg
`

// drawChart does what "graph500 chart" asks for.
func drawChart(args []string, stdout *os.File) error {
	c := new(chartFlags)
	p := chartParser(c)
	files, err := p.ParseArgs(doubleDashes(p, args))
	if err != nil {
		return flagError(err)
	}
	if c.Help {
		return printText(stdout, chartHelp())
	}
	if len(files) == 0 && len(c.Series) == 0 {
		return usagef("chart needs the JSON files of results (result.json of -out)")
	}
	var series []report.Series
	for _, name := range files {
		err := open(name, func(r io.Reader) error {
			run, err := report.ReadRun(r)
			if err == nil {
				series, err = report.AddRun(series, run)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if series, err = c.addSeries(series); err != nil {
		return err
	}
	var picture bytes.Buffer
	if err := report.ScaleChart(&picture, c.Title, series); err != nil {
		return err
	}
	return printText(stdout, picture.String())
}

// addSeries reads the files of -series.
func (c *chartFlags) addSeries(series []report.Series) ([]report.Series, error) {
	for _, value := range c.Series {
		name, file, ok := strings.Cut(value, ":")
		if !ok || name == "" || file == "" {
			return nil, usagef("flag -series: %q is not NAME:FILE", value)
		}
		if slices.ContainsFunc(series, func(s report.Series) bool { return s.Name == name }) {
			return nil, usagef("flag -series: there are two lines of the name %q, choose another", name)
		}
		err := open(file, func(r io.Reader) error {
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

// open has read read a file; its errors get the file's name.
func open(name string, read func(io.Reader) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := read(file); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func chartParser(c *chartFlags) *flags.Parser {
	p := newParser(c)
	p.Usage = "chart [flags] FILE.json ..."
	return p
}

// chartHelp returns what "chart -help" prints.
func chartHelp() string {
	return chartIntroduction + flagsHelp(chartParser(new(chartFlags))) + chartExample
}
