//go:build cuda

package main

import (
	"os"
	"strings"
	"testing"

	"graph500/graph500/programtest"
)

// TestSearchTimeoutOfSeveralGPUs ends searches that take longer than they may, on one GPU and on two.
// Those of the emulated GPUs do.
func TestSearchTimeoutOfSeveralGPUs(t *testing.T) {
	if os.Getenv("EMULATION_DEVICES") == "" {
		t.Skip("no emulated GPUs")
	}
	for _, gpus := range []string{"1", "2"} {
		for _, kernel := range []string{"bfs", "sssp"} {
			r := finish(t, prepare(t.TempDir(), nil, "-engine=gpu", "-gpus="+gpus, "-kernel="+kernel, "-scale=10", "-search-timeout=5ms", "-progress=never"))
			programtest.Refused(t, programtest.Result{Stdout: r.Stdout, Stderr: strings.Join(ownLines(r.Stderr), "\n") + "\n", Status: r.Status}, 124, `stopped in phase "warm-up", no result: the search of `)
		}
	}
}
