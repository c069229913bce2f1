package main

import (
	"slices"
	"strings"
	"testing"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
)

// The program runs both kernels on the CPU engine.
func TestProgramOfBothKernels(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args, variable string
		prefixes       []string
	}{
		{"-kernel=both", "", []string{"bfs  ", "sssp "}},
		{"-kernel=sssp", "", []string{"sssp "}},
		{"-kernel=both", "SKIP_BFS=", []string{"bfs  ", "sssp "}},
		{"", "SKIP_BFS=", []string{"sssp "}},
		{"", "A=", []string{"bfs  "}},
	} {
		r := programtest.SucceedWith(t, dir, []string{c.variable}, append(strings.Fields(c.args), "-scale=8", "-engine=cpu", "-out=o")...)
		for _, prefix := range []string{"bfs  ", "sssp "} {
			if got, want := strings.Count("\n"+r.Stdout, "\n"+prefix), 21; got != want && slices.Contains(c.prefixes, prefix) || got != 0 && !slices.Contains(c.prefixes, prefix) {
				t.Errorf("%s %s: %d lines of %s", c.args, c.variable, got, prefix)
			}
		}
		texts := testinput.SVGTexts(t, programtest.Succeed(t, dir, "chart", "o/result.json").Stdout)
		if strings.Count(texts, "graph500 cpu engine") != len(c.prefixes) {
			t.Errorf("%s: %s", c.args, texts)
		}
	}
	if r := programtest.Succeed(t, dir, "strategies", "-kernel=sssp", "-scale=8", "-engine=cpu", "-roots=2", "default"); !strings.Contains(r.Stdout, "SSSP searches of each strategy: 2") {
		t.Error(r.Stdout)
	}
	programtest.Refused(t, programtest.Run(t, dir, nil, "-kernel=sssp", "-strategy=direction"), 2, "flag -strategy: direction is a strategy of bfs, not of sssp")
}
