//go:build cuda

package main

import (
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
	"graph500/engine"
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

// Any number of ranks with any number of GPUs finds the edges, the depths and the distances that one
// process finds on the cores, and writes and reads its files: by each exchange, with labels of 32
// and of 48 bits, and with a part of the neighbours in host memory. GPUs of several hosts have no
// access to each other's memory.
func TestGPURanks(t *testing.T) {
	library, args := libraryInTurn(t), []string{"-scale=12", "-roots=2", "-format=json"}
	one := t.TempDir()
	want := searchFacts(t, programtest.Succeed(t, one, append(args, "-engine=cpu", "-kernel=both", "-write-edges=edges", "-write-parents=parents")...))
	wanted := map[string][]string{"bfs": want[:1], "sssp": want[1:], "both": want}
	reading := "-read-edges=" + filepath.Join(one, "edges")
	const writing = "-write-edges=edges -write-parents=parents"
	for _, c := range []struct {
		exchange    engine.Exchange
		wide        bool
		ranks, each int
		hosts       bool
		kernel      string
		flags       string
	}{
		{engine.PeerExchange, false, 1, 3, false, "both", reading},
		{engine.PeerExchange, false, 4, 1, false, "both", writing},
		{engine.PeerExchange, false, 2, 1, false, "sssp", "-residency=prefix -gpu-memory=285376KiB"},
		{engine.PeerExchange, false, 2, 1, false, "bfs", "-residency=prefix -gpu-memory=265248KiB"},
		{engine.PeerExchange, true, 2, 1, false, "both", writing},
		{engine.PeerExchange, true, 2, 2, false, "both", reading},
		{engine.HostExchange, false, 3, 1, true, "both", writing},
		{engine.HostExchange, true, 1, 2, false, "bfs", reading},
		{engine.NCCLExchange, false, 3, 1, true, "both", ""},
		{engine.NCCLExchange, false, 2, 2, true, "both", reading},
	} {
		l := library()
		t.Run(fmt.Sprintf("%s, %d ranks with %d GPUs by %s, 48 bits: %v %q", l.Name, c.ranks, c.each, c.exchange, c.wide, c.flags), func(t *testing.T) {
			flags := append(args, "-engine=gpu", "-check-engine", "-kernel="+c.kernel, fmt.Sprintf("-gpus=%d", c.each))
			if c.wide {
				flags = append(flags, "-label-bits=48")
			}
			flags = append(flags, "-exchange="+string(c.exchange))
			command := gpuRanks(t, l, c.ranks*c.each, c.ranks, append(flags, strings.Fields(c.flags)...)...)
			command.Env = append(command.Env, "EMULATION_MEMORY=320")
			if c.hosts {
				onHosts(command, c.each)
			}
			r := finish(t, command)
			if strings.Contains(r.Stderr, "no NCCL: ") {
				t.Skip("no NCCL")
			}
			if exchange, warning := exchangeOf(t, r); exchange != c.exchange || warning != "" {
				t.Errorf("exchange %q, %q", exchange, warning)
			}
			if got := searchFacts(t, r); !slices.Equal(got, wanted[c.kernel]) {
				t.Errorf("%q, one process: %q", got, wanted[c.kernel])
			}
			if run, err := report.ReadRun(strings.NewReader(r.Stdout)); err != nil || (run.Engine.LabelBits == 48) != c.wide {
				t.Errorf("%+v, %v", run.Engine, err)
			}
			if strings.Contains(r.Stderr, "neighbours: the first ") != strings.Contains(c.flags, "prefix") {
				t.Error(r.Stderr)
			}
			if c.flags == writing {
				checkWritten(t, command.Dir, one)
			}
		})
	}
}

// Ranks build split rows by hubs in host memory that they share; lists of one GPU each remain there.
func TestGPURanksShareHostMemory(t *testing.T) {
	for _, each := range []int{1, 2} {
		memory := fmt.Sprintf("-gpu-memory=%dKiB", 276<<10+560*each) // the page tables of the other rank's GPUs take 560 KiB for each
		c := gpuRanks(t, mpitest.Libraries(t)[0], 2*each, 2, "-engine=gpu", fmt.Sprintf("-gpus=%d", each), "-check-engine", "-scale=13", "-roots=2", "-residency=prefix", memory)
		c.Env = append(c.Env, "EMULATION_MEMORY=320")
		if r := finish(t, c); r.Status != 0 || strings.Contains(r.Stderr, "of the lists are in host memory") != (each == 1) {
			t.Errorf("%d GPUs a rank: status %d, %s", each, r.Status, r.Stderr)
		}
	}
}

// checkWritten compares the files of ranks with those of one process, and lets the cores check a tree.
func checkWritten(t *testing.T, dir, one string) {
	t.Helper()
	testinput.SameFiles(t, dir, one)
	parents, err := filepath.Glob(filepath.Join(dir, "parents", "0-*.i64"))
	if err != nil || len(parents) != 1 {
		t.Fatalf("%q, %v", parents, err)
	}
	_, root, _ := strings.Cut(strings.TrimSuffix(filepath.Base(parents[0]), ".i64"), "-")
	programtest.Succeed(t, dir, "-engine=cpu", "-scale=12", "-root="+root, "-check-parents="+parents[0])
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
