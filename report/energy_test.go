package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/energy"
	"graph500/engine"
)

func TestEnergyLines(t *testing.T) {
	want := []string{
		"BFS, GPU boards only: 500 W, 125 J a search, 0.2 MTEPS/W (40 searches in 10 s)",
		"BFS, packages only: 80 W, 20 J a search, 1.25 MTEPS/W (40 searches in 10 s)",
	}
	if d := cmp.Diff(want, EnergyLines(fullRun())); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// An energy of nothing, as a file can hold it, has figures that JSON can hold.
func TestEnergyOfNothing(t *testing.T) {
	r := &Run{Kernels: []KernelRun{{Kernel: engine.BFS, Searches: []Search{{}}, Energy: []Energy{{Amount: energy.Amount{Part: energy.System}, Edges: 5}}}}}
	if got := written(t, r); !strings.Contains(got, `"watts": 0,`) {
		t.Error(got)
	}
}
