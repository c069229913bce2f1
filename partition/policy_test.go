package partition

import (
	"slices"
	"testing"
)

func TestFind(t *testing.T) {
	for _, name := range Names() {
		if p, ok := Find(name); !ok || p.Name() != name && published()[name] != p.Name() {
			t.Errorf("%s: %s", name, p.Name())
		}
	}
	if p, ok := Find("HVC"); !ok || p.Name() != "contiguous-eb-hybrid" {
		t.Errorf("HVC: %s", p.Name())
	}
	if _, ok := Find("contiguous"); ok {
		t.Error("a policy without a rule for arcs")
	}
	extra := slices.DeleteFunc(Policies(), func(p Policy) bool { return !p.Extra() })
	if len(Policies())-len(extra) != 12 {
		t.Errorf("%d policies, %d extra", len(Policies()), len(extra))
	}
}

func TestColumns(t *testing.T) {
	for parts, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 6: 2, 7: 1, 12: 3, 16: 4, 60: 6, 64: 8} {
		if got := (&Props{Parts: parts}).Columns(); got != want {
			t.Errorf("%d parts: %d columns", parts, got)
		}
	}
}
