//go:build cuda

package gpu

import (
	"slices"
	"testing"
)

// The plan includes the arrays of the strategy: for edge, the sources of all arcs.
func TestPlanOfStrategies(t *testing.T) {
	const vertices, tuples = 1 << 28, 1 << 32
	searching := func(name string) (sum uint64) {
		s, ok := lookUp(name)
		if !ok {
			t.Fatalf("no strategy %s", name)
		}
		for _, a := range s.plan(vertices, vertices, 2*tuples, defaultL2) {
			sum += a.Bytes
		}
		return sum
	}
	push, edge := searching("push"), searching("edge")
	if edge-push != 8*tuples {
		t.Errorf("edge takes %d bytes more than push, want %d", edge-push, 8*tuples)
	}
	var names []string
	for _, s := range Strategies() {
		names = append(names, s.Name)
		if s.Doc == "" || s.Source == "" || s.Structure == "" {
			t.Errorf("%+v", s)
		}
	}
	if other := StrategyNames(); !slices.Equal(names, other) {
		t.Errorf("strategies %v, in other builds %v", names, other)
	}
}
