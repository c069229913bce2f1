package graph

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"

	"graph500/engine"
	"graph500/parallel"
)

// resident returns the current resident memory of this process in bytes (VmRSS),
// or its peak since the last reset (VmHWM).
func resident(t *testing.T, name string) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, line, _ := bytes.Cut(status, []byte(name+":"))
	var kib int64
	if _, err := fmt.Sscan(string(line), &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// TestPlanCoversFewVertices builds graphs with few vertices and many tuples, so
// that windows are few and large.
func TestPlanCoversFewVertices(t *testing.T) {
	if testing.Short() {
		t.Skip("bytes of large graphs: short tests look for races")
	}
	const tuples = 2 << 20
	for _, vertices := range []uint64{2, 130, 2000} {
		for _, workers := range []int{1, 4} {
			t.Run(fmt.Sprint(vertices, " ", workers), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, vertices))
				edges := make([]engine.Edge, tuples)
				for i := range edges {
					edges[i] = engine.Edge{U: engine.Label(r.Uint64N(vertices)), V: engine.Label(r.Uint64N(vertices))}
				}
				team := parallel.NewTeam(workers)
				defer team.Close()
				debug.FreeOSMemory()
				before := resident(t, "VmRSS")
				if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
					t.Skipf("cannot reset the peak of memory: %v", err)
				}
				g, err := Build(t.Context(), team, WholeGraph(vertices), engine.Tuples{Edges: edges})
				if err != nil {
					t.Fatal(err)
				}
				taken := resident(t, "VmHWM") - before
				if err := g.Close(); err != nil {
					t.Fatal(err)
				}
				planned := int64(engine.Peak(Plan(WholeGraph(vertices), vertices, 2*tuples, workers), engine.HostMemory))
				const slack = 4 << 20 // counters of the windows, stacks, pages of 2 MiB
				if taken > planned+slack {
					t.Errorf("%d MiB used, %d planned", taken>>20, planned>>20)
				}
			})
		}
	}
}
