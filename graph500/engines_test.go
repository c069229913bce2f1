package main

import (
	"strings"
	"testing"
)

func TestStrategyOfAnotherEngine(t *testing.T) {
	if err := checkStrategy("cpu", "default"); err != nil {
		t.Error(err)
	}
	err := checkStrategy("cpu", "pul")
	if want := `the cpu engine has no strategy "pul", the nearest is pull; all are push, `; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	if err := checkStrategy("cpu", "foo"); err == nil || !strings.HasPrefix(err.Error(), `the cpu engine has no strategy "foo"; all are push, `) {
		t.Error(err)
	}
	if len(strategies("gpu")) == 0 { // another build
		want := "privatized needs the GPU engine, which this program was built without"
		if err := checkStrategy("cpu", "privatized"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Error(err)
		}
		refused(t, finish(t, prepare(t.TempDir(), nil, "-strategy=privatized")), 2, "flag -strategy: "+want)
		refused(t, finish(t, prepare(t.TempDir(), nil, "-strategy=privatised")), 2, `flag -strategy: there is no "privatised"`)
		return
	}
	err = checkStrategy("cpu", "spmv")
	if want := "spmv runs on the gpu engine only (-engine=gpu), the cpu engine has push, "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	for _, name := range strategyNames("cpu") {
		if err := checkStrategy("gpu", name); err != nil {
			t.Error(err)
		}
	}
	if err := checkStrategy("gpu", "spvm"); err == nil || !strings.HasPrefix(err.Error(), `the gpu engine has no strategy "spvm", the nearest is spmv; `) {
		t.Error(err)
	}
}

// Every strategy has one line, with its memory at the given scale.
func TestStrategyHelp(t *testing.T) {
	dir := t.TempDir()
	small, large := succeed(t, dir, "-strategy=help", "-scale=20").stdout, succeed(t, dir, "-strategy=help", "-scale=21").stdout
	for e, want := range map[string]string{"cpu": "\n  push            CSR         4.0 MiB  vertex-centric", "gpu": "\n  edge            COO       132.0 MiB  edge-centric"} {
		if len(strategies(e)) > 0 && !strings.Contains(small, want) {
			t.Errorf("%q is missing in\n%s", want, small)
		}
	}
	lines := 1 + 2 + max(len(strategies("cpu")), 1) + max(len(strategies("gpu")), 1)
	if got := strings.Count(small, "\n"); got != lines {
		t.Errorf("%d lines, want %d:\n%s", got, lines, small)
	}
	if !strings.Contains(large, "scale 21") || !strings.Contains(large, "  8.0 MiB  vertex-centric") {
		t.Error(large)
	}
}
