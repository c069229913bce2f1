//go:build cuda

package main

import (
	"debug/elf"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"graph500/gpu"
	"graph500/graph500/programtest"
	"graph500/report"
)

const buildTags = "cuda"

// The program with the GPU engine starts without a driver, even if the loader binds all
// symbols at start.
func TestDriverIsNoDependency(t *testing.T) {
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(libraries, func(l string) bool { return strings.Contains(l, "cuda") }) {
		t.Errorf("the program needs %v", libraries)
	}
	programtest.Block(t, finish(t, prepare(t.TempDir(), []string{"LD_BIND_NOW=1", "CUDA_VISIBLE_DEVICES="}, "-scale=6")).Stdout)
}

func TestStrategiesOfBothEnginesAreListed(t *testing.T) {
	r := programtest.Succeed(t, t.TempDir(), "-strategy=help")
	cpu, gpu, found := strings.Cut(r.Stdout, "gpu engine, bfs:")
	if !found || !strings.Contains(cpu, "  pull ") || strings.Contains(cpu, "  spmv ") || !strings.Contains(gpu, "  spmv ") {
		t.Error(r.Stdout)
	}
}

// countGPUs returns the number of GPUs. With fewer than 2 it skips the test.
func countGPUs(t *testing.T) int {
	t.Helper()
	there, err := gpu.Count()
	if err != nil || there < 2 {
		t.Skipf("%d GPUs, the test needs 2 (%v)", there, err)
	}
	return there
}

func TestSeveralGPUsAreRecorded(t *testing.T) {
	there := countGPUs(t)
	scale := 10 + bits.Len(uint(min(there, 16)-1)) // at least 1024 vertices for each
	for value, want := range map[string]int{"1": 1, "2": 2, "all": there} {
		var run struct {
			Devices []report.GPU `json:"devices"`
		}
		// The emulated GPUs get little memory, of which the copy rate is measured.
		out := finish(t, prepare(t.TempDir(), []string{"EMULATION_MEMORY=280"}, fmt.Sprint("-scale=", scale), "-roots=2", "-format=json", "-gpus="+value)).Stdout
		if err := json.Unmarshal([]byte(out), &run); err != nil || len(run.Devices) != min(want, 16) {
			t.Errorf("-gpus=%s: %d devices, not %d (%v)", value, len(run.Devices), want, err)
		}
	}
}

func TestSeveralGPUsAreRefused(t *testing.T) {
	there := countGPUs(t)
	for _, c := range []struct {
		args, want string
		status     int
	}{
		{fmt.Sprintf("-gpus=%d", there+1), fmt.Sprintf("flag -gpus=%d: there are %d GPUs from GPU 0 on", there+1, there), 1},
		{fmt.Sprintf("-gpus=%d -device=1", there), fmt.Sprintf("flag -gpus=%d: there are %d GPUs from GPU 1 on", there, there-1), 1},
		{"-gpus=2 -scale=10", "flag -gpus: 2 GPUs search graphs of at least 2048 vertices together, this one has 1024", 1},
		{"strategies -gpus=2", "flag -gpus does not go with strategies", 2},
	} {
		r := finish(t, prepare(t.TempDir(), nil, strings.Fields(c.args)...))
		lines := strings.Split(strings.TrimSpace(r.Stderr), "\n")
		if last := lines[len(lines)-1]; r.Status != c.status || r.Stdout != "" || !strings.HasPrefix(last, "graph500: "+c.want) {
			t.Errorf("%s: status %d, %q", c.args, r.Status, r.Stderr)
		}
	}
}
