package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"graph500/report"
)

const chartHelp = `Draws GTEPS over scale, in SVG on standard output, from results of this program in
JSON: result.json of -out, or what -format=json printed.

Usage:
  graph500 chart FILE ... >gteps.svg
`

// drawChart does what "graph500 chart" asks for: a picture of the results in
// the JSON files named.
func drawChart(files []string, stdout *os.File) error {
	if len(files) > 0 && slices.Contains([]string{"-help", "--help", "-h"}, files[0]) {
		return writeOut(stdout, chartHelp)
	}
	var runs []*report.Document
	for _, name := range files {
		if strings.HasPrefix(name, "-") {
			return usagef("chart takes no flags, but the JSON files of results (result.json of -out); the picture, in SVG, goes to standard output")
		}
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		d, err := report.ReadDocument(file)
		file.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		runs = append(runs, d)
	}
	if len(runs) == 0 {
		return usagef("chart needs the JSON files of results (result.json of -out)")
	}
	var picture bytes.Buffer
	if err := report.ScaleChart(&picture, runs); err != nil {
		return err
	}
	return writeOut(stdout, picture.String())
}
