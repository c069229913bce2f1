package main

import (
	"strings"
	"testing"

	"graph500/engine"
	"graph500/gpu"
)

// A residency other than auto is about a GPU: without one, nothing else is run.
func TestResidencyWithoutAGPU(t *testing.T) {
	if gpu.Available() == nil {
		t.Skip("there is a GPU")
	}
	for _, residency := range []string{"prefix", "resident", "zero-copy"} {
		refused(t, finish(t, prepare(t.TempDir(), nil, "-scale=4", "-residency="+residency)), 1, "flag -residency="+residency+": ")
	}
	succeed(t, t.TempDir(), "-scale=4", "-residency=auto")
}

func TestStrategyOfAnotherEngine(t *testing.T) {
	c := newCatalogue()
	check := func(engineName, name string) error { return c.check(engineName, engine.BFS, name) }
	if err := check("cpu", "default"); err != nil {
		t.Error(err)
	}
	err := check("cpu", "pul")
	if want := `the cpu engine has no strategy "pul" for bfs, the nearest is pull; all are push, `; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	if err := check("cpu", "foo"); err == nil || !strings.HasPrefix(err.Error(), `the cpu engine has no strategy "foo" for bfs; all are push, `) {
		t.Error(err)
	}
	err = c.check("cpu", engine.SSSP, "privatized") // which only the GPU engine has
	if want := "privatized is a strategy of bfs, not of sssp, which has "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	if len(c["gpu"]) == 0 { // another build
		want := "privatized needs the GPU engine, which this program was built without"
		if err := check("cpu", "privatized"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Error(err)
		}
		refused(t, finish(t, prepare(t.TempDir(), nil, "-strategy=privatized")), 2, "flag -strategy: "+want)
		refused(t, finish(t, prepare(t.TempDir(), nil, "-strategy=privatised")), 2, `flag -strategy: there is no "privatised" for bfs`)
		return
	}
	err = check("cpu", "spmv")
	if want := "spmv of bfs runs on the gpu engine only (-engine=gpu), the cpu engine has push, "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	for _, k := range engine.Kernels() {
		for _, name := range c.names("gpu", k) {
			if err := c.check("gpu", k, name); err != nil {
				t.Error(err)
			}
		}
	}
	err = check("gpu", "asynchronous")
	if want := "asynchronous of bfs runs on the cpu engine only (-engine=cpu), the gpu engine has push, "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	if err := check("gpu", "spvm"); err == nil || !strings.HasPrefix(err.Error(), `the gpu engine has no strategy "spvm" for bfs, the nearest is spmv; `) {
		t.Error(err)
	}
}

// Every strategy has one line, with its memory at the given scale.
func TestStrategyHelp(t *testing.T) {
	dir, c := t.TempDir(), newCatalogue()
	small, large := succeed(t, dir, "-strategy=help", "-scale=20").stdout, succeed(t, dir, "-strategy=help", "-scale=21").stdout
	for e, want := range map[string]string{"cpu": "\n  push            CSR         4.0 MiB  vertex-centric", "gpu": "\n  edge            COO       132.0 MiB  edge-centric"} {
		if len(c[e]) > 0 && !strings.Contains(small, want) {
			t.Errorf("%q is missing in\n%s", want, small)
		}
	}
	lines := 1 // and for each engine the strategies with a heading for each kernel, or two lines
	for _, e := range []string{"cpu", "gpu"} {
		for _, k := range engine.Kernels() {
			if n := len(c.of(e, k)); n > 0 {
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
