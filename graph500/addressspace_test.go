//go:build cuda

package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// TestLittleAddressSpace ends with one line, or runs.
func TestLittleAddressSpace(t *testing.T) {
	for _, mib := range []int{300, 600, 800, 1000, 1200, 1500, 1800} {
		c := exec.Command("sh", "-c", fmt.Sprintf("ulimit -v %d; exec %s -scale=4 -engine=cpu", mib<<10, program))
		c.Dir = t.TempDir()
		r := finish(t, c)
		if lines := strings.Split(strings.TrimSpace(r.Stderr), "\n"); r.Status != 1 || len(lines) != 1 || !strings.HasPrefix(lines[0], "graph500: ") {
			t.Errorf("%d MiB: status %d, %s", mib, r.Status, r.Stderr)
		}
	}
}
