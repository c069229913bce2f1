//go:build cuda || (linux && amd64)

package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"graph500/graph500/programtest"
)

// TestLittleAddressSpace ends with one line, however little there is.
func TestLittleAddressSpace(t *testing.T) {
	for _, mib := range []int{200, 300, 600, 800, 1000, 1150, 1200, 1250, 1400, 1500, 1800} {
		r := limited(t, mib)
		if lines := strings.Split(strings.TrimSpace(r.Stderr), "\n"); r.Status != 1 || len(lines) != 1 || !strings.HasPrefix(lines[0], "graph500: ") {
			t.Errorf("%d MiB: status %d, %s", mib, r.Status, r.Stderr)
		}
	}
}

// TestEnoughAddressSpace runs with a limit, and without one.
func TestEnoughAddressSpace(t *testing.T) {
	for _, mib := range []int{1728 + 88*runtime.NumCPU() + 100, 0} {
		if r := limited(t, mib); r.Status != 0 || !strings.HasPrefix(r.Stdout, "SCALE:                          4\n") {
			t.Errorf("%d MiB: %+v", mib, r)
		}
	}
}

// limited runs the program with an address space of so many MiB, 0 for any.
func limited(t *testing.T, mib int) programtest.Result {
	limit := "unlimited"
	if mib > 0 {
		limit = strconv.Itoa(mib << 10)
	}
	c := exec.Command("sh", "-c", fmt.Sprintf("ulimit -v %s; exec %s -scale=4 -engine=cpu -progress=never", limit, program))
	c.Dir = t.TempDir()
	return finish(t, c)
}
