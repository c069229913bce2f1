package graph

import (
	"testing"

	"pgregory.net/rapid"

	"graph500/engine"
	"graph500/memory"
)

// TestLargest compares the component with a search in every component.
func TestLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 130).Draw(t, "vertices")
		vertex := rapid.Custom(func(t *rapid.T) engine.Label { return engine.Label(rapid.IntRange(0, n-1).Draw(t, "v")) })
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) engine.Edge {
			return engine.Edge{U: vertex.Draw(t, "u"), V: vertex.Draw(t, "v")}
		}), 0, n).Draw(t, "edges")
		members, size, err := Largest(t.Context(), edges, uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		component := make([]int, n) // smallest vertex of the component
		for v := range component {
			component[v] = v
		}
		for changed := true; changed; {
			changed = false
			for _, e := range edges {
				if low := min(component[e.U], component[e.V]); component[e.U] != component[e.V] {
					component[e.U], component[e.V], changed = low, low, true
				}
			}
		}
		counts, best := make([]int, n), 0
		for _, c := range component {
			counts[c]++
		}
		for v, count := range counts {
			if count > counts[best] {
				best = v
			}
		}
		if size != uint64(counts[best]) {
			t.Fatalf("%d vertices instead of %d", size, counts[best])
		}
		for v, c := range component {
			if is := members[v/64]>>(v%64)&1 == 1; is != (c == best) {
				t.Fatalf("vertex %d: %v", v, is)
			}
		}
		if err := memory.Free(members); err != nil {
			t.Fatal(err)
		}
	})
}
