package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"graph500/cluster/mpitest"
	"graph500/engine"
)

// commandLine returns a command line of the program with these flags.
func commandLine(flags []string) []string { return append([]string{"graph500"}, flags...) }

func TestReferenceArguments(t *testing.T) {
	for _, c := range []struct {
		line, variable    string
		kernel            string
		scale, edgefactor int
	}{
		{"graph500_reference_bfs -kernel both 12 8 -v", "", "both", 12, 8},
		{"/opt/bin/graph500_reference_bfs 12", "", "bfs", 12, 16},
		{"graph500_reference_bfs 12 8", "SKIP_BFS=1", "bfs", 12, 8}, // as the reference does
		{"./graph500_reference_bfs_sssp 12 8", "", "both", 12, 8},
		{"graph500_reference_bfs_sssp 12", "SKIP_BFS=1", "sssp", 12, 16},
		{"graph500_reference_bfs_sssp 12 -kernel=bfs", "", "bfs", 12, 16},
		{"graph500 graph500_reference_bfs_sssp 12 8", "", "both", 12, 8},
		{"graph500_reference_bfs -scale=9", "", "bfs", 9, 16},
	} {
		o, err := parseFlags(strings.Fields(c.line), environment(c.variable), newCatalogue())
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if o.Kernel != c.kernel || o.Scale != c.scale || o.EdgeFactor != c.edgefactor {
			t.Errorf("%s: %s, scale %d, edgefactor %d", c.line, o.Kernel, o.Scale, o.EdgeFactor)
		}
	}
	for line, want := range map[string]string{
		"graph500 12":                               "unexpected argument \"12\": the scale is given with a flag, as in -scale=20",
		"graph500 -v 12 8":                          "unexpected argument \"12\": the scale is given with a flag, as in -scale=20",
		"graph500_reference_bfs 12 8 4":             "unexpected argument \"4\"",
		"graph500_reference_bfs 12 x":               "unexpected argument \"x\"",
		"graph500_reference_bfs 12 -scale=9":        "argument 12 and flag -scale contradict each other",
		"graph500_reference_bfs 12 8 -edgefactor=9": "argument 8 and flag -edgefactor contradict each other",
		"graph500_reference_bfs 60":                 "flag -scale: 60 is not in ",
		"graph500_reference_bfs 12 0":               "flag -edgefactor: 0 is not in ",
		"graph500_reference_bfs 12 -graph=x":        "flags -graph and -scale contradict each other",
		"graph500_reference_bfs":                    "graph500_reference_bfs needs a scale: graph500_reference_bfs SCALE [EDGEFACTOR]",
		"graph500_reference_bfs 12 file":            "unexpected argument \"file\"",
	} {
		if _, err := parseFlags(strings.Fields(line), environment(), newCatalogue()); err == nil || !strings.HasPrefix(err.Error(), want) || exitStatus(err) != 2 {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// consumed are forms in which scripts and benchmark suites find values in the output of the reference:
// the name of a value at the beginning of a line, a colon, a mark of the list, blanks, a number.
func consumed(t *testing.T, stdout string, kernels ...engine.Kernel) {
	t.Helper()
	value := func(pattern string) {
		found := regexp.MustCompile(`(?m)^`+pattern+`:\s+!?\s*([-+0-9.e]+)$`).FindAllStringSubmatch(stdout, -1)
		if len(found) != 1 {
			t.Errorf("%d lines %s in %s", len(found), pattern, stdout)
			return
		}
		if n, err := strconv.ParseFloat(found[0][1], 64); err != nil || n <= 0 && !strings.Contains(pattern, "stddev") {
			t.Errorf("%s is %s", pattern, found[0][1])
		}
	}
	for _, name := range []string{"SCALE", "edgefactor", "NBFS", "graph_generation", "num_mpi_processes", "construction_time"} {
		value(name)
	}
	for _, k := range kernels {
		for _, statistic := range []string{"min", "firstquartile", "median", "thirdquartile", "max", "mean", "stddev"} {
			value(fmt.Sprintf("%-4s %s_time", k, statistic))
			value(fmt.Sprintf("%-4s %s_validate", k, statistic))
		}
		for _, statistic := range []string{"min", "firstquartile", "median", "thirdquartile", "max", "harmonic_mean", "harmonic_stddev"} {
			value(fmt.Sprintf("%-4s %s_TEPS", k, statistic))
		}
	}
	for line := range strings.Lines(stdout) { // a parser that splits every line at its colon
		if strings.Count(line, ":") != 1 {
			t.Errorf("%q has not one colon", line)
		}
	}
}

// TestReferencePrograms runs the program under the names of the reference, with its variables.
func TestReferencePrograms(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, variable string
		kernels        []engine.Kernel
	}{
		{"graph500_reference_bfs", "", []engine.Kernel{engine.BFS}},
		{"graph500_reference_bfs_sssp", "", []engine.Kernel{engine.BFS, engine.SSSP}},
		{"graph500_reference_bfs_sssp", "SKIP_BFS=1", []engine.Kernel{engine.SSSP}},
	} {
		link := filepath.Join(dir, c.name)
		if err := os.Symlink(program, link); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
		command := prepare(t.TempDir(), []string{c.variable, "TMPFILE=edges", "REUSEFILE=1"}, "9", "8")
		command.Path, command.Args[0] = link, link
		r := finish(t, command)
		if r.status != 0 || !strings.Contains(r.stdout, "SCALE:                          9\nedgefactor:                     8\n") {
			t.Fatalf("%+v", r)
		}
		consumed(t, r.stdout, c.kernels...)
		if left := names(t, command.Dir); left[0] != "edges" {
			t.Errorf("%q", left)
		}
	}
}

// TestReferenceOverRanks does so over ranks, which write, reuse and remove the edge file
// together.
func TestReferenceOverRanks(t *testing.T) {
	for _, l := range mpitest.Libraries(t)[:1] {
		dir := t.TempDir()
		run := func(ranks int, variables ...string) result {
			c := overRanks(t, l, ranks, "graph500_reference_bfs_sssp", "9", "8", "-engine=cpu", "-v")
			c.Dir, c.Env = dir, append(c.Environ(), variables...)
			r := finish(t, c)
			if r.status != 0 {
				t.Fatalf("%+v", r)
			}
			consumed(t, r.stdout, engine.BFS, engine.SSSP)
			return r
		}
		run(2, "TMPFILE=edges")
		if left := names(t, dir); len(left) > 0 {
			t.Errorf("%q are left", left)
		}
		run(2, "TMPFILE=edges", "REUSEFILE=1")
		want := read(t, dir, "edges")
		if r := run(1, "TMPFILE=edges", "REUSEFILE=1"); read(t, dir, "edges") != want || !strings.Contains(r.stderr, "reading") {
			t.Errorf("not reused: %s", r.stderr)
		}
		if r := run(2, "TMPFILE=edges", "REUSEFILE=1"); !strings.Contains(r.stderr, "reading") || strings.Contains(r.stderr, "holds other") {
			t.Errorf("not reused: %s", r.stderr)
		}
	}
}
