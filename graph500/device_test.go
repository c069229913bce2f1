package main

import (
	"strings"
	"testing"

	"graph500/graph500/programtest"
)

// Without a GPU, or without the GPU engine, the error says so.
func TestNoGPU(t *testing.T) {
	dir := t.TempDir()
	// The program sees no device. A missing driver is reported instead of that.
	variables := []string{"CUDA_VISIBLE_DEVICES="}
	programtest.Refused(t, finish(t, prepare(dir, variables, "-scale=4", "-engine=gpu")), 1, "graph500: flag -engine=gpu: ")
	programtest.Refused(t, finish(t, prepare(dir, variables, "-scale=4", "-device=3")), 1, "graph500: flag -device=3: ")
	programtest.Refused(t, finish(t, prepare(dir, variables, "-scale=4", "-device=0")), 1, "graph500: flag -device=0: ")
	programtest.Refused(t, finish(t, prepare(dir, variables, "strategies", "-scale=4", "-device=0")), 1, "graph500: flag -device=0: ")
	programtest.Refused(t, finish(t, prepare(dir, variables, "-scale=4", "-check-engine")), 1, "graph500: flag -check-engine: there is no GPU engine to check: ")
	programtest.Refused(t, finish(t, prepare(dir, variables, "-scale=4", "-exchange=host")), 1, "graph500: flag -exchange=host: ")
	r := finish(t, prepare(dir, variables, "-scale=4", "-engine=auto", "-verbose"))
	if r.Status != 0 || !strings.HasPrefix(r.Stderr, "graph500: the cpu engine searches: ") {
		t.Errorf("status %d, %s", r.Status, r.Stderr)
	}
	if r := finish(t, prepare(dir, variables, "-scale=4")); r.Status != 0 || strings.Contains(r.Stderr, "the cpu engine searches") {
		t.Errorf("status %d, %s", r.Status, r.Stderr)
	}
}
