package main

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"graph500/cluster/mpitest"
	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
	"graph500/report"
)

// Any number of ranks makes the same files as one process, and the same figures.
func TestPartitionOverRanks(t *testing.T) {
	sameProgram(t)
	sameRanks(t)
	args := []string{"partition", "-scale=10", "-threshold=50", "-parts=4", "-format=csv"}
	dir := t.TempDir()
	one := programtest.Succeed(t, dir, slices.Concat(args, []string{"-policy=fennel-eb-hybrid", "-out=one"})...)
	all := programtest.Succeed(t, dir, slices.Concat(args, []string{"-policy=all"})...)
	for i, l := range mpitest.Libraries(t) {
		for _, ranks := range [][]int{{1, 4}, {2}, {3}}[i] {
			c := overRanks(t, l, ranks, slices.Concat(args, []string{"-policy=fennel-eb-hybrid", "-out=parts"})...)
			r := finish(t, c)
			if r.Status != 0 || !slices.Equal(testinput.Counted(t, r.Stdout), testinput.Counted(t, one.Stdout)) {
				t.Errorf("%s, %d ranks: %+v", l.Name, ranks, r)
			}
			if !maps.Equal(testinput.Contents(t, filepath.Join(c.Dir, "parts")), testinput.Contents(t, filepath.Join(dir, "one"))) {
				t.Errorf("%s, %d ranks: other files", l.Name, ranks)
			}
		}
		if i > 0 { // the program is the same
			continue
		}
		if r := finish(t, overRanks(t, l, 3, slices.Concat(args, []string{"-policy=all"})...)); r.Status != 0 || !slices.Equal(testinput.Counted(t, r.Stdout), testinput.Counted(t, all.Stdout)) {
			t.Errorf("%s: %+v", l.Name, r)
		}
		r := finish(t, overRanks(t, l, 3, "partition", "-scale=8", "-format=csv"))
		if lines := testinput.Counted(t, r.Stdout); r.Status != 0 || len(lines) != 1 || !strings.Contains(lines[0], " 3 contiguous-hybrid ") {
			t.Errorf("a part for each rank: %+v", r)
		}
		for flag, want := range map[string]string{"-parts=1": "flag -parts: 2 ranks cannot have 1 parts", "-check=x": "flag -check does not go with several ranks"} {
			r := finish(t, overRanks(t, l, 2, "partition", flag))
			if lines := ownLines(r.Stderr); r.Status == 0 || len(lines) != 1 || !strings.Contains(lines[0], want) {
				t.Errorf("%s: %+v", flag, r)
			}
		}
	}
}

// A rank that dies in any phase ends the others, and leaves no file.
func TestPartitionFaults(t *testing.T) {
	sameProgram(t)
	sameRanks(t)
	for _, l := range mpitest.Libraries(t)[:1] {
		for i, phase := range []string{"numbering", "masters", "exchange", "construction of parts"} {
			if phase != "numbering" {
				phase = "fennel-source, " + phase
			}
			c := overRanks(t, l, 2, "partition", "-scale=16", "-policy=fennel-source", "-out=out", "-v")
			r, took := signalRank(t, c, i%2, phase, syscall.SIGKILL)
			if r.Status == 0 || r.Stdout != "" || took > 10*time.Second {
				t.Errorf("%s: %+v after %v", phase, r, took)
			}
			if files := testinput.Contents(t, filepath.Join(c.Dir, "out")); len(files) > 0 {
				t.Errorf("%s: files are left", phase)
			}
		}
	}
}

// Searches on the parts of a policy, over ranks, visit the same edges as one process and validate.
func TestPartitionSearches(t *testing.T) {
	sameProgram(t)
	sameRanks(t)
	args := []string{"-scale=10", "-roots=4", "-kernel=both"}
	one := programtest.Succeed(t, t.TempDir(), append(args, "-engine=cpu")...)
	want := strings.Join(nedgeLines.FindAllString(one.Stdout, -1), "\n")
	for i, l := range mpitest.Libraries(t) {
		for _, policy := range []string{"contiguous-eb-source", "contiguous-hybrid", "svc"}[i%3:][:1] {
			ranks := 2 + i%3
			r := finish(t, overRanks(t, l, ranks, append(args, "-partition="+policy)...))
			if got := strings.Join(nedgeLines.FindAllString(r.Stdout, -1), "\n"); r.Status != 0 || got != want {
				t.Errorf("%s, %d ranks, %s: %+v", l.Name, ranks, policy, r)
			}
		}
		r := finish(t, overRanks(t, l, 2, append(args, "-partition=hvc", "-label-bits=48", "-format=json")...))
		var run report.Run
		if err := json.Unmarshal([]byte(r.Stdout), &run); err != nil {
			t.Fatal(err)
		}
		if e := run.Engine; e.Partition != "contiguous-eb-hybrid" || e.LabelBits != 48 || run.Kernels[0].Searches[0].RankBytes == 0 {
			t.Errorf("partition %q, %d bits, %d bytes", e.Partition, e.LabelBits, run.Kernels[0].Searches[0].RankBytes)
		}
	}
	for args, want := range map[string]string{
		"-partition=contiguos-hybrid":      "the nearest is contiguous-hybrid",
		"-partition=hvc":                   "flag -partition=hvc: it is for several ranks",
		"-partition=hvc -engine=gpu":       "flag -partition=hvc: it is for the CPU engine only",
		"strategies -partition=hvc":        "flag -partition does not go with strategies",
		"partition -partition=contiguous-": "flag -partition does not go with partition",
	} {
		programtest.Refused(t, programtest.Run(t, t.TempDir(), nil, strings.Fields(args)...), 2, want)
	}
}
