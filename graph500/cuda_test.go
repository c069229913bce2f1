//go:build cuda

package main

import (
	"debug/elf"
	"slices"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/gpu"
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
	block(t, succeedWith(t, t.TempDir(), []string{"LD_BIND_NOW=1", "CUDA_VISIBLE_DEVICES="}, "-scale=6").stdout)
}

func TestStrategiesOfBothEnginesAreListed(t *testing.T) {
	r := succeed(t, t.TempDir(), "-strategy=help")
	cpu, gpu, found := strings.Cut(r.stdout, "gpu engine, bfs:")
	if !found || !strings.Contains(cpu, "  pull ") || strings.Contains(cpu, "  spmv ") || !strings.Contains(gpu, "  spmv ") {
		t.Error(r.stdout)
	}
}

func TestNoSuchDevice(t *testing.T) {
	if err := gpu.Available(); err != nil {
		t.Skip(err)
	}
	o := &options{catalogue: newCatalogue(), requiresGPU: true}
	o.Kernel, o.Engine, o.Device = string(engine.BFS), "gpu", 1023
	const want = "flag -device=1023: "
	if _, err := newEngine(t.Context(), cluster.Alone(), o, new(console)); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
}
