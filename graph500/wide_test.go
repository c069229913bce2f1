package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"graph500/cluster/mpitest"
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

// Ranks find, write and read with labels of 48 bits what one process does with 32.
func TestWideRanksFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"-kernel=both", "-scale=7", "-roots=2"}
	narrow, wide := append(args, "-label-bits=32"), append(args, "-label-bits=48")
	write(t, ".", "text", "0 1 0.5\n1 2 0.25\n2 70 1\n70 69 0\n3 3 1\n")
	var want []string
	for ranks := 1; ranks <= 4; ranks++ {
		dir := fmt.Sprint(ranks)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if ranks == 1 {
			want = wantFacts(t, nil, 1, append(narrow, "-write-edges=1/edges", "-write-parents=1")...)
			continue
		}
		wantFacts(t, want, ranks, append(wide, "-write-edges="+dir+"/edges", "-write-parents="+dir)...)
		sameFiles(t, dir, "1")
		checkTrees(t, dir, "-scale=7")
		wantFacts(t, want, ranks, append(wide, "-read-edges=1/edges")...)
		text := []string{"-kernel=both", "-graph=text", "-roots=2"}
		wantFacts(t, wantFacts(t, nil, 1, text...), ranks, append(text, "-label-bits=48")...)
		wantFacts(t, wantFacts(t, nil, 1, append(text, "-skip-validation")...), ranks, append(text, "-skip-validation", "-label-bits=48")...)
	}
}

// With a launcher, a run over ranks with labels of 48 bits conforms, and finds what one process
// finds with 32.
func TestWideOverRanks(t *testing.T) {
	args := []string{"-engine=cpu", "-scale=8", "-kernel=both", "-format=json"}
	want := searchFacts(t, succeed(t, t.TempDir(), args...))
	for _, l := range mpitest.Libraries(t) {
		r := finish(t, overRanks(t, l, 3, append(args, "-label-bits=48")...))
		if got := searchFacts(t, r); !slices.Equal(got, want) {
			t.Errorf("%s: %q, one process: %q", l.Name, got, want)
		}
		wantWide(t, r)
	}
}

// wantWide requires that a run had labels of 48 bits and conforms.
func wantWide(t *testing.T, r result) {
	t.Helper()
	run, err := report.ReadRun(strings.NewReader(r.stdout))
	if err != nil {
		t.Fatal(err)
	}
	if run.Engine.LabelBits != 48 || !run.Conforming() || strings.Contains(r.stderr, "not a conforming run") {
		t.Errorf("%d bits, %q: %s", run.Engine.LabelBits, run.NotConforming, r.stderr)
	}
}

// The plan of a rank has the tuples and parents of 48 bits.
func TestWideRanksMemory(t *testing.T) {
	l := mpitest.Libraries(t)[0]
	r := finish(t, overRanks(t, l, 2, "-engine=cpu", "-scale=20", "-memory", "-label-bits=48"))
	if r.status != 0 || !strings.Contains(r.stdout, "parents of 64 bits (bfs)") {
		t.Errorf("status %d: %s%s", r.status, r.stdout, r.stderr)
	}
}
