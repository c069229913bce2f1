//go:build cuda

package gpu

import (
	"testing"
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
		for _, a := range s.plan(vertices, vertices, 2*tuples, usualL2) {
			sum += a.Bytes
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
