package main

import (
	"strings"
	"testing"

	"graph500/report"
)

// With labels of 48 bits a run conforms, and finds what one with 32 bits does.
func TestWideLabels(t *testing.T) {
	of := func(bits string, conforms bool) *report.Run {
		r := succeed(t, t.TempDir(), "-engine=cpu", "-scale=8", "-kernel=both", "-format=json", "-label-bits="+bits)
		if says := strings.Contains(r.stderr, "not a conforming run"); says == conforms {
			t.Errorf("%s bits: %s", bits, r.stderr)
		}
		run, err := report.ReadRun(strings.NewReader(r.stdout))
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	narrow, wide := of("32", false), of("48", true)
	if narrow.Engine.LabelBits != 32 || wide.Engine.LabelBits != 48 || narrow.Conforming() || !wide.Conforming() {
		t.Errorf("%d bits: %q; %d bits: %q", narrow.Engine.LabelBits, narrow.NotConforming, wide.Engine.LabelBits, wide.NotConforming)
	}
	for i, k := range wide.Kernels {
		for j, s := range k.Searches {
			if want := narrow.Kernels[i].Searches[j]; s.Root != want.Root || s.Tree != want.Tree {
				t.Errorf("search %d of %s: %+v, with 32 bits %+v", j, k.Kernel, s, want)
			}
		}
	}
	if len(wide.Kernels) != 2 || len(wide.Kernels[1].Searches) != 64 {
		t.Error("searches are missing")
	}
}

// Wide tuples go into the same files as others, and come from them.
func TestWideFiles(t *testing.T) {
	dir := t.TempDir()
	narrow := succeed(t, dir, "-engine=cpu", "-scale=8", "-roots=3", "-write-edges=narrow")
	for _, args := range [][]string{{"-write-edges=wide", "-write-parents=parents"}, {"-read-edges=narrow"}} {
		r := succeed(t, dir, append([]string{"-engine=cpu", "-scale=8", "-roots=3", "-label-bits=48"}, args...)...)
		if got, want := block(t, r.stdout)["mean_nedge:"], block(t, narrow.stdout)["mean_nedge:"]; got != want {
			t.Errorf("%v: %s edges, want %s", args, got, want)
		}
	}
	if read(t, dir, "wide") != read(t, dir, "narrow") {
		t.Error("other edges")
	}
}
