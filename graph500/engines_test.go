package main

import (
	"strings"
	"testing"

	"graph500/engine"
	"graph500/gpu"
	"graph500/graph500/commandline"
	"graph500/graph500/programtest"
)

// A residency other than auto is about a GPU: without one, nothing else is run.
func TestResidencyWithoutAGPU(t *testing.T) {
	if gpu.Available() == nil {
		t.Skip("there is a GPU")
	}
	for _, residency := range []string{"prefix", "resident", "zero-copy"} {
		programtest.Refused(t, programtest.Run(t, t.TempDir(), nil, "-scale=4", "-residency="+residency), 1, "flag -residency="+residency+": ")
	}
	programtest.Succeed(t, t.TempDir(), "-scale=4", "-residency=auto")
}

// Every strategy has one line, with its memory at the given scale.
func TestStrategyHelp(t *testing.T) {
	dir, c := t.TempDir(), commandline.NewCatalogue()
	small, large := programtest.Succeed(t, dir, "-strategy=help", "-scale=20").Stdout, programtest.Succeed(t, dir, "-strategy=help", "-scale=21").Stdout
	for e, want := range map[string]string{"cpu": "\n  push            CSR         4.0 MiB  vertex-centric", "gpu": "\n  edge            COO       132.0 MiB  edge-centric"} {
		if len(c[e]) > 0 && !strings.Contains(small, want) {
			t.Errorf("%q is missing in\n%s", want, small)
		}
	}
	lines := 1 // and for each engine the strategies with a heading for each kernel, or two lines
	for _, e := range []string{"cpu", "gpu"} {
		for _, k := range engine.Kernels() {
			if n := len(c.Of(e, k)); n > 0 {
				lines += 1 + n
			}
		}
		if len(c[e]) == 0 {
			lines += 2
		}
	}
	if got := strings.Count(small, "\n"); got != lines {
		t.Errorf("%d lines, want %d:\n%s", got, lines, small)
	}
	if !strings.Contains(large, "scale 21") || !strings.Contains(large, "  8.0 MiB  vertex-centric") {
		t.Error(large)
	}
}
