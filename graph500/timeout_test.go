package main

import (
	"path/filepath"
	"strings"
	"testing"

	"graph500/cluster/mpitest"
	"graph500/graph500/programtest"
	"graph500/report"
)

func TestTimeoutOfTheProgram(t *testing.T) {
	dir, scale := t.TempDir(), "-scale=20"
	if testing.Short() {
		scale = "-scale=17"
	}
	r := programtest.Run(t, dir, nil, "-engine=cpu", scale, "-timeout=200ms", "-out=out")
	programtest.Refused(t, r, 124, "no result: it took longer than 200ms (-timeout)")
	if _, err := report.ReadResult(filepath.Join(dir, "out")); err == nil {
		t.Error("there is a result")
	}
	r = programtest.Run(t, dir, nil, "-engine=cpu", "-threads=1", "-scale=20", "-search-timeout=1ms", "-out=out") // no search is so short
	programtest.Refused(t, r, 124, `stopped in phase "warm-up", no result: the search of BFS from root `)
	programtest.Succeed(t, dir, "-engine=cpu", "-scale=6", "-timeout=10m", "-search-timeout=10m")
	for _, flag := range []string{"-timeout", "-search-timeout"} {
		programtest.Refused(t, programtest.Run(t, dir, nil, flag+"=0"), 2, "flag "+flag+": ")
	}
	// The other commands that run an engine.
	for _, command := range []string{"strategies", "partition"} {
		programtest.Refused(t, programtest.Run(t, dir, nil, command, "-scale=18", "-timeout=100ms"), 124, "no result: it took longer than 100ms (-timeout)")
		programtest.Refused(t, programtest.Run(t, dir, nil, command, "-search-timeout=1s"), 2, "flag -search-timeout does not go with "+command)
	}
}

// TestTimeoutOverRanks ends all ranks with one line and the record of the searches done before.
func TestTimeoutOverRanks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, l := range mpitest.Libraries(t)[:1] {
		c := overRanks(t, l, 2, "-engine=cpu", "-scale=17", "-roots=10000", "-timeout=8s", "-out=out")
		c.Dir = t.TempDir()
		r := finish(t, c)
		if r.Status == 0 || strings.Count(r.Stderr, `stopped in phase "searches", no result: it took longer than 8s (-timeout)`) != 1 {
			t.Errorf("%+v", r)
		}
		run, err := report.ReadResult(filepath.Join(c.Dir, "out"))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(run.Kernels[0].Searches); n == 0 || n == 10000 || len(run.Processes) != 2 || !strings.Contains(strings.Join(run.NotConforming, "; "), "the run was stopped") {
			t.Errorf("%d searches, %+v", n, run.NotConforming)
		}
	}
}
