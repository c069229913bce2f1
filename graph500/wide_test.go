package main

import (
	"slices"
	"strings"
	"testing"

	"graph500/cluster/mpitest"
	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
	"graph500/report"
)

// With labels of 48 bits a run conforms, and finds what one with 32 bits does.
func TestWideLabels(t *testing.T) {
	of := func(bits string, conforms bool) *report.Run {
		r := programtest.Succeed(t, t.TempDir(), "-engine=cpu", "-scale=8", "-kernel=both", "-format=json", "-label-bits="+bits)
		if says := strings.Contains(r.Stderr, "not a conforming run"); says == conforms {
			t.Errorf("%s bits: %s", bits, r.Stderr)
		}
		run, err := report.ReadRun(strings.NewReader(r.Stdout))
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
	narrow := programtest.Succeed(t, dir, "-engine=cpu", "-scale=8", "-roots=3", "-write-edges=narrow")
	for _, args := range [][]string{{"-write-edges=wide", "-write-parents=parents"}, {"-read-edges=narrow"}} {
		r := programtest.Succeed(t, dir, append([]string{"-engine=cpu", "-scale=8", "-roots=3", "-label-bits=48"}, args...)...)
		if got, want := programtest.Block(t, r.Stdout)["mean_nedge:"], programtest.Block(t, narrow.Stdout)["mean_nedge:"]; got != want {
			t.Errorf("%v: %s edges, want %s", args, got, want)
		}
	}
	if testinput.Read(t, dir, "wide") != testinput.Read(t, dir, "narrow") {
		t.Error("other edges")
	}
}

// With a launcher, a run over ranks with labels of 48 bits conforms, and finds what one process
// finds with 32.
func TestWideOverRanks(t *testing.T) {
	args := []string{"-engine=cpu", "-scale=8", "-kernel=both", "-format=json"}
	want := searchFacts(t, programtest.Succeed(t, t.TempDir(), args...))
	for _, l := range mpitest.Libraries(t)[:1] {
		r := finish(t, overRanks(t, l, 3, append(args, "-label-bits=48")...))
		if got := searchFacts(t, r); !slices.Equal(got, want) {
			t.Errorf("%s: %q, one process: %q", l.Name, got, want)
		}
		wantWide(t, r)
	}
}

// The plan of a rank has the tuples and parents of 48 bits.
func TestWideRanksMemory(t *testing.T) {
	l := mpitest.Libraries(t)[0]
	r := finish(t, overRanks(t, l, 2, "-engine=cpu", "-scale=20", "-memory", "-label-bits=48"))
	if r.Status != 0 || !strings.Contains(r.Stdout, "parents of 64 bits (bfs)") {
		t.Errorf("status %d: %s%s", r.Status, r.Stdout, r.Stderr)
	}
}

// wantWide requires that a run had labels of 48 bits and conforms.
func wantWide(t *testing.T, r programtest.Result) {
	t.Helper()
	run, err := report.ReadRun(strings.NewReader(r.Stdout))
	if err != nil {
		t.Fatal(err)
	}
	if run.Engine.LabelBits != 48 || !run.Conforming() || strings.Contains(r.Stderr, "not a conforming run") {
		t.Errorf("%d bits, %q: %s", run.Engine.LabelBits, run.NotConforming, r.Stderr)
	}
}
