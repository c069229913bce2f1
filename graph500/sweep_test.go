package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestScales(t *testing.T) {
	for value, want := range map[string]string{
		"20": "20", "20,22,24": "20,22,24", "20:28:2": "20,22,24,26,28", "20:23": "20,21,22,23", "20:25:3": "20,23", "20:25:99": "20",
		"20:20": "20", "6,8:10,12:16:4,31": "6,8,9,10,12,16,31", "1:31:9223372036854775807": "1",
	} {
		o, err := parseFlags(commandLine([]string{"-scale=" + value}), environment(), testCatalogue())
		if err != nil {
			t.Errorf("%s: %v", value, err)
		} else if o.Scales.String() != want || o.Scale != o.Scales[0] {
			t.Errorf("%s: %s, first %d", value, o.Scales, o.Scale)
		}
	}
}

// Each scale has a block on stdout and results of its own; the sweep has a table and a
// chart.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	r := succeed(t, dir, "-scale=6:10:2", "-roots=3", "-kernel=both", "-out=out")
	blocks := strings.SplitAfter(r.stdout, "sssp stddev_validate:")
	if len(blocks) != 4 {
		t.Fatal(r.stdout)
	}
	for i, scale := range []int{6, 8, 10} {
		run, err := readResult(filepath.Join(dir, "out", fmt.Sprintf("scale-%02d", scale)))
		if err != nil {
			t.Fatal(err)
		}
		if run.Input.Scale != scale || len(run.Kernels) != 2 || run.Graph.Vertices != 1<<scale {
			t.Errorf("%+v", run.Input)
		}
		if text := read(t, dir, "out", fmt.Sprintf("scale-%02d", scale), "result.txt"); strings.Count(r.stdout, text) != 1 {
			t.Errorf("block %d is %q, and the file %q", i, blocks[i], text)
		}
	}
	table := read(t, dir, "out", "sweep.txt")
	if !strings.HasSuffix(r.stderr, table) || strings.Count(table, "\n") != 7 {
		t.Errorf("%s%s", r.stderr, table)
	}
	if svg := read(t, dir, "out", "sweep.svg"); !strings.Contains(svg, "</svg>") || !strings.Contains(svg, "SSSP, graph500 cpu engine") {
		t.Error(svg)
	}
}

// The rows of a sweep are one table: a header, and a row for each scale.
func TestSweepInCSV(t *testing.T) {
	r := succeed(t, t.TempDir(), "-scale=6,7,8", "-roots=2", "-engine=cpu", "-format=csv")
	lines, err := csv.NewReader(strings.NewReader(r.stdout)).ReadAll()
	if err != nil || len(lines) != 4 {
		t.Fatalf("%v\n%s", err, r.stdout)
	}
	column := slices.Index(lines[0], "SCALE")
	for i, line := range lines[1:] {
		if line[column] != fmt.Sprint(6+i) {
			t.Errorf("row %d has scale %s", i, line[column])
		}
	}
	plan := succeed(t, t.TempDir(), "-scale=6,7", "-engine=cpu", "-format=csv", "-memory")
	if strings.Count(plan.stdout, "memory plan") != 2 {
		t.Error(plan.stdout)
	}
}

// A scale that fails is reported, and the others stand.
func TestSweepWithAFailure(t *testing.T) {
	dir := t.TempDir()
	p := prepare(dir, nil)
	p.Path, p.Args = "/bin/sh", []string{"sh", "-c", `ulimit -v 8000000; exec "$@"`, "sh", program, "-scale=6,31", "-engine=cpu", "-roots=3", "-out=out"}
	r := finish(t, p)
	if r.status != 1 || strings.Count(r.stdout, "SCALE:") != 1 {
		t.Errorf("status %d\n%s", r.status, r.stdout)
	}
	lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
	if lines[len(lines)-1] != "graph500: 1 of 2 scales failed: 31" {
		t.Error(r.stderr)
	}
	const reason = "scale 31: flag -scale: scale 31 needs "
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "graph500: "+reason) }) {
		t.Error(r.stderr)
	}
	if table := read(t, dir, "out", "sweep.txt"); strings.Count(table, "\n"+reason) != 1 || !strings.Contains(table, "31  failed") {
		t.Error(table)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "scale-06", "result.json")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "scale-31", "result.json")); err == nil {
		t.Error("a result of the scale that failed")
	}
}

// The memory plans of a sweep are printed, and nothing runs.
func TestMemoryOfASweep(t *testing.T) {
	r := succeed(t, t.TempDir(), "-scale=6,8", "-memory", "-engine=cpu")
	if strings.Count(r.stdout, "memory plan of the cpu engine") != 2 || strings.Contains(r.stderr, "GTEPS") {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
}

// Results that cannot be written are an error before the first scale runs.
func TestSweepChecksAllPaths(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "out"), "scale-08", "a file")
	refused(t, finish(t, prepare(dir, nil, "-scale=6,8", "-out=out")), 1, "-out out/scale-08: cannot make the directory")
}

func TestComparisonHasOneScale(t *testing.T) {
	refused(t, finish(t, prepare(t.TempDir(), nil, "strategies", "-scale=6,8")), 2, "flag -scale: a comparison has one scale, and not 6,8")
}
