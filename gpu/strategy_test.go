//go:build cuda

package gpu

import (
	"slices"
	"testing"

	"graph500/conformance"
	"graph500/engine"
)

// The plan includes the arrays of the strategy: for edge, the sources of all arcs.
func TestPlanOfStrategies(t *testing.T) {
	const vertices, tuples = 1 << 28, 1 << 32
	searching := func(name string) (sum uint64) {
		s, ok := lookUp(engine.Strategy{Kernel: engine.BFS, Name: name})
		if !ok {
			t.Fatalf("no strategy %s", name)
		}
		for _, a := range s.plan(sizes{vertices: vertices, rows: vertices, arcs: 2 * tuples, l2: defaultL2}) {
			sum += a.Bytes
		}
		return sum
	}
	push, edge := searching("push"), searching("edge")
	if edge-push != 8*tuples {
		t.Errorf("edge takes %d bytes more than push, want %d", edge-push, 8*tuples)
	}
	if _, ok := lookUp(engine.Strategy{Kernel: engine.SSSP, Name: "edge"}); ok {
		t.Error("a strategy of another kernel was found")
	}
	for _, s := range Strategies() {
		if s.Doc == "" || s.Source == "" || s.Structure == "" || s.Memory == nil {
			t.Errorf("%+v", s)
		}
	}
	for _, k := range engine.Kernels() {
		var names []string
		for _, s := range strategiesOf(k) {
			names = append(names, s.Name)
		}
		if other := StrategyNames(k); !slices.Equal(names, other) {
			t.Errorf("strategies of %s %v, in other builds %v", k, names, other)
		}
	}
}

// readied counts the calls of Ready.
type readied struct {
	search
	calls int
}

func (r *readied) Ready() error {
	r.calls++
	return r.search.Ready()
}

func TestClearMakesReady(t *testing.T) {
	_, searchers := start(t, one, conformance.Official(8), bothKernels()...)
	for _, s := range searchers {
		r := &readied{search: s.search}
		s.search = r
		if err := s.Clear(); err != nil || r.calls != 1 {
			t.Errorf("%s: %v, %d launches without a root", s.strategy.Kernel, err, r.calls)
		}
	}
}
