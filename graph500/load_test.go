package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"graph500/graph500/programtest"
)

// The program monitors its own machine.
func TestMoreThreadsThanProcessors(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip(err)
	}
	n := runtime.NumCPU()
	r := programtest.Succeed(t, t.TempDir(), "-scale=6", "-engine=cpu", "-format=json", fmt.Sprintf("-threads=%d", n+1))
	want := fmt.Sprintf("%d threads share the %d processors that this process may use, and wait for one another: take -threads=%[2]d, or ask for more processors", n+1, n)
	if strings.Count(r.Stderr, "graph500: warning: "+want+"\n") != 1 || !strings.Contains(r.Stdout, want) {
		t.Errorf("%s\n%s", r.Stderr, r.Stdout)
	}
}
