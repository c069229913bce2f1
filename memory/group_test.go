package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
)

func TestGroup(t *testing.T) {
	var words []uint64
	var labels, more []uint32
	g := Group{Alive: engine.Construction, Arrays: []Declared{
		Of(&words, "bitmap", 5), Of(&labels, "labels", 3), Grown("lists", 7), Of(&more, "labels", 2),
	}}
	want := []engine.Allocation{
		{Name: "bitmap", Bytes: 40, Phase: engine.Construction},
		{Name: "labels", Bytes: 20, Phase: engine.Construction},
		{Name: "lists", Bytes: 7, Phase: engine.Construction},
	}
	if d := cmp.Diff(want, g.Plan()); d != "" || words != nil {
		t.Errorf("-want +got\n%s", d)
	}
	var groups Groups
	if err := groups.Take(g); err != nil || len(words) != 5 || len(labels) != 3 || len(more) != 2 {
		t.Fatal(len(words), len(labels), len(more), err)
	}
	labels = labels[:1] // a shorter slice of the same memory
	if err := groups.Free(); err != nil || words != nil || labels != nil || more != nil || len(groups) > 0 {
		t.Error(words, labels, more, groups, err)
	}
	if err := groups.Free(); err != nil {
		t.Errorf("freed twice: %v", err)
	}
}

// A group of which one array cannot be allocated leaves nothing behind.
func TestGroupThatDoesNotFit(t *testing.T) {
	var small, large []uint64
	var groups Groups
	err := groups.Take(Group{Arrays: []Declared{Of(&small, "small", 8), Of(&large, "large", 1<<59)}})
	if err == nil || small != nil || large != nil || len(groups) > 0 {
		t.Error(err, small, groups)
	}
}
