package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"testing"
)

//go:generate go test . -run=^TestPictures$ -update

// The pictures of docs are drawn from docs/pictures. A file there has the columns line, x
// (scale, or number of GPUs), value (GTEPS) and source (commit, or what else made the figure).
func TestPictures(t *testing.T) {
	pictures := []struct{ name, title, counted string }{
		{"gteps-gpu", "Searches on NVIDIA H200", ""},
		{"gteps", "Breadth-first search on two shared cores of an Intel Xeon, not validated", ""},
		{"gteps-cores", "Breadth-first search on up to 16 cores of an Intel Xeon, not validated", ""},
		{"scaling-h200", "One, two and four NVIDIA H200, measured", "GPUs"},
		{"scaling-h100", "One and four NVIDIA H100, measured", "GPUs"},
	}
	for _, p := range pictures {
		lines, err := readPicture("../docs/pictures/" + p.name + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		var svg bytes.Buffer
		if p.counted == "" {
			err = ScaleChart(&svg, p.title, scaleSeries(lines))
		} else {
			err = NodeChart(&svg, p.title, "GTEPS, harmonic mean of the searches", p.counted, lines)
		}
		if err != nil {
			t.Fatal(err)
		}
		file := "../docs/" + p.name + ".svg"
		if *update {
			if err := os.WriteFile(file, svg.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if there, err := os.ReadFile(file); err != nil || !bytes.Equal(there, svg.Bytes()) {
			t.Errorf("run go generate ./report: %s is not what its figures make (%v)", file, err)
		}
	}
}

// readPicture reads the lines of a picture, in the order of their first points.
func readPicture(name string) (lines []NodeSeries, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows := csv.NewReader(file)
	header, err := rows.Read()
	if want := []string{"line", "x", "value", "source"}; err != nil || !slices.Equal(header, want) {
		return nil, fmt.Errorf("%s: %q, want %q (%v)", name, header, want, err)
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		x, badX := strconv.Atoi(row[1])
		value, badValue := strconv.ParseFloat(row[2], 64)
		if badX != nil || badValue != nil || row[3] == "" {
			return nil, fmt.Errorf("%s: %q is not a point with a source", name, row)
		}
		i := slices.IndexFunc(lines, func(s NodeSeries) bool { return s.Name == row[0] })
		if i < 0 {
			i = len(lines)
			lines = append(lines, NodeSeries{Name: row[0]})
		}
		lines[i].Points = append(lines[i].Points, NodePoint{x, value})
	}
}

// scaleSeries returns lines whose places are scales.
func scaleSeries(lines []NodeSeries) (series []Series) {
	for _, l := range lines {
		s := Series{Name: l.Name}
		for _, p := range l.Points {
			s.Points = append(s.Points, Point{p.Nodes, p.Value})
		}
		series = append(series, s)
	}
	return series
}
