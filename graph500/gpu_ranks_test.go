//go:build cuda

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"graph500/cluster/mpitest"
	"graph500/gpu"
	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
	"graph500/report"
)

// gpuRanks returns a command that runs the program over ranks with GPUs. With fewer than
// needed GPUs it skips the test. The emulated GPUs get little memory.
func gpuRanks(t *testing.T, l mpitest.Library, needed, ranks int, args ...string) *exec.Cmd {
	t.Helper()
	if there, err := gpu.Count(); err != nil || there < needed {
		t.Skipf("%d GPUs, the test needs %d (%v)", there, needed, err)
	}
	c := overRanks(t, l, ranks, args...)
	c.Env = append(c.Env, "EMULATION_MEMORY=280")
	return c
}

// libraryInTurn returns a function that returns the MPI libraries in turn, but not that of
// MPI 5, behind which is Open MPI.
func libraryInTurn(t *testing.T) (next func() mpitest.Library) {
	t.Helper()
	list := slices.DeleteFunc(mpitest.Libraries(t), func(l mpitest.Library) bool { return l.Name == "MPI 5" })
	at := -1
	return func() mpitest.Library {
		at++
		return list[at%len(list)]
	}
}

// Any number of ranks with any number of GPUs finds the same edges as one GPU, and for each
// vertex the depth that the CPU engine finds, also with a part of the neighbours in host memory.
func TestGPURanks(t *testing.T) {
	library, want := libraryInTurn(t), ""
	const small = 264704 << 10 // bytes for scale 12 on two GPUs, with a part of the neighbours on the host
	for _, c := range []struct {
		ranks, each int
		flags       []string
		lines       int // on standard error
	}{
		{1, 1, nil, 3}, {2, 1, nil, 3}, {3, 1, nil, 3}, {4, 1, nil, 3}, {2, 2, nil, 3},
		{1, 2, []string{"-residency=prefix", fmt.Sprint("-gpu-memory=", small)}, 4}, {2, 1, []string{"-residency=prefix", fmt.Sprint("-gpu-memory=", small)}, 4},
	} {
		l := library()
		t.Run(fmt.Sprintf("%s, %d ranks with %d GPUs %q", l.Name, c.ranks, c.each, c.flags), func(t *testing.T) {
			flags := append([]string{"-engine=gpu", "-scale=12", "-roots=6", "-check-engine", fmt.Sprintf("-gpus=%d", c.each)}, c.flags...)
			r := finish(t, gpuRanks(t, l, c.ranks*c.each, c.ranks, flags...))
			if r.Status != 0 || len(ownLines(r.Stderr)) != c.lines || strings.Contains(r.Stderr, "neighbours: the first ") != (c.lines == 4) {
				t.Fatalf("status %d, %s", r.Status, r.Stderr)
			}
			got := strings.Join(nedgeLines.FindAllString(r.Stdout, -1), "\n")
			if want == "" {
				want = got
			}
			if got != want || got == "" {
				t.Errorf("%s\ninstead of\n%s", got, want)
			}
			if line := fmt.Sprintf("num_mpi_processes:              %d\n", c.ranks); strings.Count(r.Stdout, line) != 1 {
				t.Error(r.Stdout)
			}
		})
	}
}

// Ranks with GPUs find the distances of the CPU engine, bit for bit. They
// write the distances of one process and read its edges and weights.
func TestGPURanksShortestPaths(t *testing.T) {
	library := libraryInTurn(t)
	one, args := t.TempDir(), []string{"-scale=12", "-roots=2", "-format=json"}
	want := searchFacts(t, programtest.Succeed(t, one, append(args, "-engine=cpu", "-kernel=sssp", "-write-edges=edges", "-write-parents=parents")...))
	for _, c := range []struct {
		ranks, each int
		flags       []string
	}{{1, 3, nil}, {1, 2, []string{"-residency=prefix", "-gpu-memory=300000KiB"}}, {2, 1, nil}, {4, 1, nil}, {3, 1, []string{"-write-parents=parents"}}, {2, 2, []string{"-read-edges=" + filepath.Join(one, "edges")}}} {
		l := library()
		t.Run(fmt.Sprintf("%s, %d ranks with %d GPUs %q", l.Name, c.ranks, c.each, c.flags), func(t *testing.T) {
			flags := append([]string{"-engine=gpu", "-kernel=sssp", "-check-engine", fmt.Sprintf("-gpus=%d", c.each)}, c.flags...)
			command := gpuRanks(t, l, c.ranks*c.each, c.ranks, append(args, flags...)...)
			command.Env = append(command.Env, "EMULATION_MEMORY=300")
			if got := searchFacts(t, finish(t, command)); !slices.Equal(got, want) {
				t.Errorf("%q, one process: %q", got, want)
			}
			distances, err := filepath.Glob(filepath.Join(command.Dir, "parents", "sssp", "*.f32"))
			if err != nil || len(distances) != 0 != slices.Contains(c.flags, "-write-parents=parents") {
				t.Fatalf("%q, %v", distances, err)
			}
			for _, name := range distances {
				got, gotErr := os.ReadFile(name)
				want, wantErr := os.ReadFile(filepath.Join(one, "parents", "sssp", filepath.Base(name)))
				if gotErr != nil || wantErr != nil || !bytes.Equal(got, want) {
					t.Errorf("%s differs (%v, %v)", name, gotErr, wantErr)
				}
			}
		})
	}
}

// Ranks with GPUs write and read the files of one process.
func TestGPURanksFiles(t *testing.T) {
	l := mpitest.Libraries(t)[0]
	one, args := t.TempDir(), []string{"-scale=12", "-roots=2", "-format=json"}
	want := searchFacts(t, programtest.Succeed(t, one, append(args, "-engine=cpu", "-write-edges=edges", "-write-parents=parents")...))
	c := gpuRanks(t, l, 3, 3, append(args, "-engine=gpu", "-write-edges=edges", "-write-parents=parents")...)
	if got := searchFacts(t, finish(t, c)); !slices.Equal(got, want) {
		t.Errorf("writing: %q, one process: %q", got, want)
	}
	testinput.SameFiles(t, c.Dir, one)
	parents, err := filepath.Glob(filepath.Join(c.Dir, "parents", "0-*.i64"))
	if err != nil || len(parents) != 1 {
		t.Fatalf("%q, %v", parents, err)
	}
	_, root, _ := strings.Cut(strings.TrimSuffix(filepath.Base(parents[0]), ".i64"), "-")
	programtest.Succeed(t, c.Dir, "-engine=cpu", "-scale=12", "-root="+root, "-check-parents="+parents[0])
	again := gpuRanks(t, l, 2, 2, append(args, "-engine=gpu", "-check-engine", "-read-edges="+filepath.Join(c.Dir, "edges"))...)
	if got := searchFacts(t, finish(t, again)); !slices.Equal(got, want) {
		t.Errorf("reading: %q, one process: %q", got, want)
	}
}

// The ranks take different GPUs, unless -device makes them share one, and the report lists
// them.
func TestGPURanksInReport(t *testing.T) {
	l := mpitest.Libraries(t)[0]
	for _, c := range []struct {
		ranks, each int
		flags       string
		distinct    int
	}{{2, 1, "-gpus=1", 2}, {2, 1, "-device=1", 1}, {3, 1, "-engine=auto", 3}, {1, 2, "-gpus=2", 2}} {
		r := finish(t, gpuRanks(t, l, 3, c.ranks, "-scale=12", "-roots=2", "-format=json", c.flags))
		var document struct {
			Ranks   []report.Rank
			Devices []report.GPU
			Device  *report.GPU
		}
		if err := json.Unmarshal([]byte(r.Stdout), &document); err != nil {
			t.Fatalf("%v: %s", err, r.Stderr)
		}
		host, _ := os.Hostname()
		if len(document.Ranks) != c.ranks || slices.ContainsFunc(document.Ranks, func(r report.Rank) bool { return r.Host != host || r.Threads != 1 || r.GPUs != c.each || r.Peak == 0 }) {
			t.Errorf("%+v: %+v", c, document.Ranks)
		}
		ids := make(map[string]bool)
		for _, d := range document.Devices {
			ids[d.BusID] = true
		}
		if len(document.Devices) != c.ranks*c.each || len(ids) != c.distinct || *document.Device != document.Devices[0] {
			t.Errorf("%+v: %+v", c, document.Devices)
		}
	}
}

func TestGPURanksRefuse(t *testing.T) {
	l := mpitest.Libraries(t)[0]
	there, err := gpu.Count()
	if err != nil || there < 2 {
		t.Skipf("%d GPUs (%v)", there, err)
	}
	host, _ := os.Hostname()
	for _, c := range []struct {
		ranks      int
		args, want string
	}{
		{2, "-engine=gpu -scale=10", "2 GPUs search graphs of at least 2048 vertices together, this one has 1024"},
		{2, fmt.Sprintf("-gpus=%d", there), fmt.Sprintf("2 ranks need %d GPUs, %d each, there are %d on %s", 2*there, there, there, host)},
		{there + 1, "-engine=gpu", fmt.Sprintf("%d ranks need %d GPUs (or -device to share one), there are %d on %s", there+1, there+1, there, host)},
		{2, fmt.Sprintf("-device=%d", there), fmt.Sprintf("there are 0 GPUs from GPU %d on, not 1, on %s", there, host)},
	} {
		r := finish(t, gpuRanks(t, l, 2, c.ranks, strings.Fields(c.args)...))
		if lines := ownLines(r.Stderr); r.Status != 1 || len(lines) != 1 || lines[0] != "graph500: "+c.want || r.Stdout != "" {
			t.Errorf("%s: status %d, %q %s", c.args, r.Status, lines, r.Stdout)
		}
	}
}

// A rank that dies or stops answering while the kernels of the others wait for its kernel
// ends the run within ten seconds, without a result.
func TestGPURanksFaults(t *testing.T) {
	library := libraryInTurn(t)
	for s, name := range map[syscall.Signal]string{syscall.SIGKILL: "killed", syscall.SIGSTOP: "stopped"} {
		l := library()
		t.Run(l.Name+", "+name, func(t *testing.T) {
			c := gpuRanks(t, l, 3, 3, "-engine=gpu", "-scale=15", "-roots=1000", "-v", "-out=out", "-skip-validation")
			r, took := signalRank(t, c, 2, "searches", s)
			if strings.Contains(r.Stdout, "SCALE:") || took > 10*time.Second || r.Status == 0 {
				t.Errorf("status %d, took %v: %s", r.Status, took, r.Stdout)
			}
			if entries, err := os.ReadDir(filepath.Join(c.Dir, "out")); err == nil && len(entries) > 0 {
				t.Errorf("wrote %v", entries)
			}
		})
	}
}

// A signal to the launcher ends all ranks with one message.
func TestGPURanksInterrupted(t *testing.T) {
	c := gpuRanks(t, mpitest.Libraries(t)[0], 2, 2, "-engine=gpu", "-scale=15", "-roots=1000", "-v", "-skip-validation")
	r, took := signalRank(t, c, 0, "searches", syscall.SIGTERM)
	if !strings.Contains(r.Stderr, "stopped by SIGTERM, no result") || strings.Count(r.Stderr, "SIGTERM") != 1 || r.Stdout != "" || r.Status == 0 || took > 10*time.Second {
		t.Errorf("status %d, %v, %s%s", r.Status, took, r.Stdout, r.Stderr)
	}
}
