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
	for _, flags := range [][]string{{"-kernel=bfs"}, {"-kernel=sssp", "-gpus=2"}} {
		r := finish(t, prepare(t.TempDir(), nil, append(flags, "-engine=gpu", "-scale=11", "-search-timeout=5ms", "-progress=never")...))
		r.Stderr = strings.Join(ownLines(r.Stderr), "\n") + "\n"
		programtest.Refused(t, r, 124, `stopped in phase "warm-up", no result: the search of `)
	}
}
