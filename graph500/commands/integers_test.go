package commands_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
	"graph500/report"
)

// exactOf reads a distances file of -weights=integer.
func exactOf(t *testing.T, path string) (distances []uint64) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for ; len(content) > 0; content = content[8:] {
		distances = append(distances, binary.LittleEndian.Uint64(content))
	}
	return distances
}

// TestIntegerWeights searches exactly where float32 cannot hold the distances, writes these and
// checks them.
func TestIntegerWeights(t *testing.T) {
	dir := t.TempDir()
	testinput.Write(t, dir, "far.txt", "0 1 16777216\n1 2 1\n2 3 1\n1 3 3\n3 4 1\n5 6 2\n")
	r := programtest.Succeed(t, dir, "-graph=far.txt", "-kernel=both", "-weights=integer", "-root=0", "-root=4", "-write-parents=results", "-out=out", "-label-bits=48")
	if strings.Contains(r.Stderr, "rounded") {
		t.Error(r.Stderr)
	}
	none := uint64(1<<64 - 1)
	if got := exactOf(t, filepath.Join(dir, "results/sssp/0-0.u64")); !slices.Equal(got, []uint64{0, 16777216, 16777217, 16777218, 16777219, none, none}) {
		t.Errorf("%v", got)
	}
	if got := exactOf(t, filepath.Join(dir, "results/sssp/1-4.u64")); !slices.Equal(got, []uint64{16777219, 3, 2, 1, 0, none, none}) {
		t.Errorf("%v", got)
	}
	run, err := report.ReadResult(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	if s := run.Kernels[1].Searches[0]; s.MaxExact != 16777219 || run.Input.Weights != "integer" {
		t.Errorf("%+v, %+v", s, run.Input)
	}
	check := []string{"-graph=far.txt", "-kernel=sssp", "-weights=integer", "-root=0", "-check-parents=results/sssp/0-0.i64"}
	if r := programtest.Succeed(t, dir, check...); !strings.Contains(r.Stdout, "largest distance 16777219") {
		t.Error(r.Stdout)
	}
	spoilt, err := os.ReadFile(filepath.Join(dir, "results/sssp/0-0.u64"))
	if err != nil {
		t.Fatal(err)
	}
	spoilt[4*8]++
	testinput.Write(t, dir, "spoilt.u64", string(spoilt))
	programtest.Refused(t, programtest.Run(t, dir, nil, append(check, "-check-distances=spoilt.u64")...), 1, `breaks rule "tight": vertex 4 at distance 16777220`)
	// A directory with such a file is in use.
	if err := os.Remove(filepath.Join(dir, "results/sssp/0-0.i64")); err != nil {
		t.Fatal(err)
	}
	programtest.Refused(t, programtest.Run(t, dir, nil, "-graph=far.txt", "-kernel=sssp", "-weights=integer", "-root=0", "-write-parents=results"), 1, "already holds")
}

// TestIntegerWeightsOfAGrid compares all distances of a road-like grid with those of a plain search
// in whole numbers: most of them are beyond what float32 holds.
func TestIntegerWeightsOfAGrid(t *testing.T) {
	const side = 40
	r := rand.New(rand.NewPCG(31, 32))
	type edge struct {
		u, v   int
		weight uint64
	}
	var edges []edge
	var text bytes.Buffer
	add := func(u, v int) {
		e := edge{u, v, 1000000 + r.Uint64N(2000001)}
		edges = append(edges, e)
		fmt.Fprintln(&text, e.u, e.v, e.weight)
	}
	for y := range side {
		for x := range side {
			if x > 0 {
				add(y*side+x-1, y*side+x)
			}
			if y > 0 {
				add(y*side+x-side, y*side+x)
			}
		}
	}
	want := slices.Repeat([]uint64{1<<64 - 1}, side*side)
	want[0] = 0
	for changed := true; changed; {
		changed = false
		for _, e := range edges {
			for range 2 {
				if d := want[e.u]; d != 1<<64-1 && d+e.weight < want[e.v] {
					want[e.v], changed = d+e.weight, true
				}
				e.u, e.v = e.v, e.u
			}
		}
	}
	dir := t.TempDir()
	testinput.Write(t, dir, "grid.txt", text.String())
	programtest.Succeed(t, dir, "-graph=grid.txt", "-kernel=sssp", "-weights=integer", "-root=0", "-write-parents=p")
	if got := exactOf(t, filepath.Join(dir, "p/sssp/0-0.u64")); !slices.Equal(got, want) {
		t.Error("other distances")
	}
	beyond := 0
	for _, d := range want {
		if uint64(float32(d)) != d {
			beyond++
		}
	}
	if beyond < side*side/4 {
		t.Errorf("float32 holds all but %d distances", beyond)
	}
}

// TestIntegerWeightsRefused refuses what cannot be, before a file is read.
func TestIntegerWeightsRefused(t *testing.T) {
	dir := t.TempDir()
	testinput.Write(t, dir, "ring.txt", "0 1 5\n1 2 5\n2 0 5\n")
	testinput.Write(t, dir, "plain.txt", "0 1\n1 2\n2 0\n")
	testinput.Write(t, dir, "half.txt", "0 1 5\n1 2 0.5\n")
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, "flag -weights=integer: it is for the CPU engine only", []string{"-graph=ring.txt", "-kernel=sssp", "-engine=gpu"}},
		{2, "flag -weights=integer: it is for the CPU engine only", []string{"-graph=ring.txt", "-kernel=sssp", "-gpus=2"}},
		{2, "flag -weights=integer: strategy delta-stepping takes weights in float32 only", []string{"-graph=ring.txt", "-kernel=sssp", "-engine=cpu", "-strategy=delta-stepping"}},
		{2, "flag -weights: it is for sssp on a graph", []string{"-graph=ring.txt"}},
		{2, "flag -weights: it is for sssp on a graph", []string{"-kernel=sssp", "-scale=5"}},
		{2, "flag -weights=integer: it is for files of -graph", []string{"-kernel=sssp", "-scale=5", "-read-edges=x"}},
		{2, "flag -weights=integer: edge files hold weights from 0 to 1", []string{"-graph=ring.txt", "-kernel=sssp", "-write-edges=e"}},
		{1, "flag -weights=integer: plain.txt has none", []string{"-graph=plain.txt", "-kernel=sssp"}},
		{1, "half.txt:2: weight 0.5 is not a whole number", []string{"-graph=half.txt", "-kernel=sssp"}},
	} {
		programtest.Refused(t, programtest.Run(t, dir, nil, append(c.args, "-weights=integer")...), c.status, c.want)
	}
	programtest.Refused(t, programtest.Run(t, dir, nil, "strategies", "-graph=ring.txt", "-kernel=sssp", "-weights=integer"), 2, "flag -weights=integer: other strategies than default")
	programtest.Succeed(t, dir, "strategies", "-graph=ring.txt", "-kernel=sssp", "-weights=integer", "-roots=2", "default")
}
