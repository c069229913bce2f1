package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
	"graph500/report"
)

// Each scale has a block on stdout and results of its own; the sweep has a table and a
// chart.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	r := programtest.Succeed(t, dir, "-scale=6:10:2", "-roots=3", "-kernel=both", "-out=out")
	blocks := strings.SplitAfter(r.Stdout, "sssp stddev_validate:")
	if len(blocks) != 4 {
		t.Fatal(r.Stdout)
	}
	for i, scale := range []int{6, 8, 10} {
		run, err := report.ReadResult(filepath.Join(dir, "out", fmt.Sprintf("scale-%02d", scale)))
		if err != nil {
			t.Fatal(err)
		}
		if run.Input.Scale != scale || len(run.Kernels) != 2 || run.Graph.Vertices != 1<<scale {
			t.Errorf("%+v", run.Input)
		}
		if text := testinput.Read(t, dir, "out", fmt.Sprintf("scale-%02d", scale), "result.txt"); strings.Count(r.Stdout, text) != 1 {
			t.Errorf("block %d is %q, and the file %q", i, blocks[i], text)
		}
	}
	table := testinput.Read(t, dir, "out", "sweep.txt")
	if !strings.HasSuffix(r.Stderr, table) || strings.Count(table, "\n") != 7 {
		t.Errorf("%s%s", r.Stderr, table)
	}
	if svg := testinput.Read(t, dir, "out", "sweep.svg"); !strings.Contains(svg, "</svg>") || !strings.Contains(svg, "SSSP, graph500 cpu engine") {
		t.Error(svg)
	}
}

// The rows of a sweep are one table: a header, and a row for each scale.
func TestSweepInCSV(t *testing.T) {
	r := programtest.Succeed(t, t.TempDir(), "-scale=6,7,8", "-roots=2", "-engine=cpu", "-format=csv")
	lines, err := csv.NewReader(strings.NewReader(r.Stdout)).ReadAll()
	if err != nil || len(lines) != 4 {
		t.Fatalf("%v\n%s", err, r.Stdout)
	}
	column := slices.Index(lines[0], "SCALE")
	for i, line := range lines[1:] {
		if line[column] != fmt.Sprint(6+i) {
			t.Errorf("row %d has scale %s", i, line[column])
		}
	}
	plan := programtest.Succeed(t, t.TempDir(), "-scale=6,7", "-engine=cpu", "-format=csv", "-memory")
	if strings.Count(plan.Stdout, "memory plan") != 2 {
		t.Error(plan.Stdout)
	}
}

// A scale that fails is reported, and the others stand.
func TestSweepWithAFailure(t *testing.T) {
	dir := t.TempDir()
	p := prepare(dir, nil)
	p.Path, p.Args = "/bin/sh", []string{"sh", "-c", `ulimit -v 8000000; exec "$@"`, "sh", program, "-scale=6,31", "-engine=cpu", "-roots=3", "-out=out"}
	r := finish(t, p)
	if r.Status != 1 || strings.Count(r.Stdout, "SCALE:") != 1 {
		t.Errorf("status %d\n%s", r.Status, r.Stdout)
	}
	lines := strings.Split(strings.TrimSpace(r.Stderr), "\n")
	if lines[len(lines)-1] != "graph500: 1 of 2 scales failed: 31" {
		t.Error(r.Stderr)
	}
	const reason = "scale 31: flag -scale: scale 31 needs "
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "graph500: "+reason) }) {
		t.Error(r.Stderr)
	}
	if table := testinput.Read(t, dir, "out", "sweep.txt"); strings.Count(table, "\n"+reason) != 1 || !strings.Contains(table, "31  failed") {
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
	r := programtest.Succeed(t, t.TempDir(), "-scale=6,8", "-memory", "-engine=cpu")
	if strings.Count(r.Stdout, "memory plan of the cpu engine") != 2 || strings.Contains(r.Stderr, "GTEPS") {
		t.Errorf("%s%s", r.Stdout, r.Stderr)
	}
}

// Results that cannot be written are an error before the first scale runs.
func TestSweepChecksAllPaths(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	testinput.Write(t, filepath.Join(dir, "out"), "scale-08", "a file")
	programtest.Refused(t, programtest.Run(t, dir, nil, "-scale=6,8", "-out=out"), 1, "-out out/scale-08: cannot make the directory")
}
