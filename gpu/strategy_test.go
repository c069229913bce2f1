//go:build cuda

package gpu

import (
	"testing"

	"graph500/engine"
	"graph500/kernels"
)

// The plan has what a strategy takes: for edges, their sources, which are as
// many as there are neighbours.
func TestPlanOfStrategies(t *testing.T) {
	const vertices, tuples = 1 << 28, 1 << 32
	searching := func(name string) (sum uint64) {
		s, ok := lookUp(name)
		if !ok {
			t.Fatalf("no strategy %s", name)
		}
		e, job := new(Engine), engine.Job{Vertices: vertices, Tuples: tuples, Strategy: s.Strategy}
		for _, a := range e.plan(job, layout{room: tuples, groups: kernels.LeastGroups}) {
			if a.Phase == engine.Searching && a.Place == engine.DeviceMemory {
				sum += a.Bytes
			}
		}
		return sum
	}
	push, edge := searching("push"), searching("edge")
	if edge-push != 8*tuples {
		t.Errorf("edge takes %d bytes more than push, want %d", edge-push, 8*tuples)
	}
	for _, s := range Strategies() {
		if s.Doc == "" || s.Source == "" || s.Structure == "" {
			t.Errorf("%+v", s)
		}
	}
}
