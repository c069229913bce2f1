package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"graph500/cluster/mpitest"
	"graph500/engine"
	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
)

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
	readByRecipes(t, stdout, kernels...)
	for line := range strings.Lines(stdout) { // a parser that splits every line at its colon, as Virtual Client does
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
		if r.Status != 0 || !strings.Contains(r.Stdout, "SCALE:                          9\nedgefactor:                     8\n") {
			t.Fatalf("%+v", r)
		}
		consumed(t, r.Stdout, c.kernels...)
		if left := testinput.Names(t, command.Dir); left[0] != "edges" {
			t.Errorf("%q", left)
		}
	}
}

// JUBE skips the validation.
func TestReferenceWithoutValidation(t *testing.T) {
	r := finish(t, prepare(t.TempDir(), []string{"SKIP_VALIDATION=1"}, "graph500_reference_bfs_sssp", "8", "16"))
	if r.Status != 0 || !strings.Contains(r.Stdout, "bfs  mean_validate:             -1\n") {
		t.Fatalf("%+v", r)
	}
	readByRecipes(t, r.Stdout, engine.BFS, engine.SSSP)
}

// TestReferenceOverRanks does so over ranks, which write, reuse and remove the edge file
// together.
func TestReferenceOverRanks(t *testing.T) {
	for _, l := range mpitest.Libraries(t)[:1] {
		dir := t.TempDir()
		run := func(ranks int, variables ...string) programtest.Result {
			c := overRanks(t, l, ranks, "graph500_reference_bfs_sssp", "9", "8", "-engine=cpu", "-v")
			c.Dir, c.Env = dir, append(c.Environ(), variables...)
			r := finish(t, c)
			if r.Status != 0 {
				t.Fatalf("%+v", r)
			}
			kernels := []engine.Kernel{engine.BFS, engine.SSSP}
			if slices.Contains(variables, "SKIP_BFS=1") {
				kernels = kernels[1:]
			}
			consumed(t, r.Stdout, kernels...)
			return r
		}
		run(2, "SKIP_BFS=1")
		alone := overRanks(t, l, 2, "graph500_reference_bfs", "9", "-engine=cpu")
		alone.Dir = dir
		consumed(t, finish(t, alone).Stdout, engine.BFS)
		run(2, "TMPFILE=edges")
		if left := testinput.Names(t, dir); len(left) > 0 {
			t.Errorf("%q are left", left)
		}
		run(2, "TMPFILE=edges", "REUSEFILE=1")
		want := testinput.Read(t, dir, "edges")
		if r := run(1, "TMPFILE=edges", "REUSEFILE=1"); testinput.Read(t, dir, "edges") != want || !strings.Contains(r.Stderr, "reading") {
			t.Errorf("not reused: %s", r.Stderr)
		}
		if r := run(2, "TMPFILE=edges", "REUSEFILE=1"); !strings.Contains(r.Stderr, "reading") || strings.Contains(r.Stderr, "holds other") {
			t.Errorf("not reused: %s", r.Stderr)
		}
	}
}
