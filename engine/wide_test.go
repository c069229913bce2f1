package engine

import (
	"slices"
	"testing"
)

// High words of more than 16 bits of a label make it None.
func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		wide Edge48
		want Edge
	}{
		{Edge48{1, 2, 0}, Edge{1, 2}},
		{Edge48{1<<32 - 3, 1 << 31, 0}, Edge{1<<32 - 3, 1 << 31}},
		{Edge48{1, 2, 1}, Edge{None, 2}},
		{Edge48{1, 2, 1 << 15}, Edge{None, 2}},
		{Edge48{1, 2, 1 << 16}, Edge{1, None}},
		{Edge48{1, 2, 1 << 31}, Edge{1, None}},
		{Edge48{0, 0, 1<<32 - 1}, Edge{None, None}},
	} {
		if got := c.wide.Narrow(); got != c.want {
			t.Errorf("%v is %v, want %v", c.wide, got, c.want)
		}
	}
}

func TestView(t *testing.T) {
	edges := []Edge{{1, 2}, {3, 4}, {5, 5}, {1<<32 - 3, 0}, {7, 8}}
	wide := make([]Edge48, len(edges))
	Widen(wide, edges)
	for _, tuples := range []Tuples{{Edges: edges}, {Wide: wide}} {
		if tuples.Len() != len(edges) {
			t.Errorf("%d tuples", tuples.Len())
		}
		var buffer []Edge
		for lo := range len(edges) + 1 {
			for hi := lo; hi <= len(edges); hi++ {
				view, first := tuples.View(lo, hi, &buffer)
				if !slices.Equal(view[lo-first:hi-first], edges[lo:hi]) {
					t.Errorf("tuples %d..%d are %v from %d on", lo, hi-1, view, first)
				}
			}
		}
		for i, e := range edges {
			if tuples.At(i) != e {
				t.Errorf("tuple %d is %v", i, tuples.At(i))
			}
		}
	}
	if (Tuples{}).Len() != 0 {
		t.Error("no tuples have a length")
	}
}
