//go:build cuda

package generate

import (
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kronecker"
)

// A share and the view of all tuples regenerate the same tuples in any order of passes, in
// parts of any size.
func TestRegenerateShare(t *testing.T) {
	d, spec := devicetest.Open(t), devicetest.Official(9)
	list := engine.Tuples{Edges: devicetest.OfficialTuples(9), Weights: make([]float32, spec.Tuples())}
	kronecker.New(spec).Weights(list.Weights, 0)
	for _, capacity := range []uint64{1, 977, spec.Tuples()} {
		for k := range 3 {
			first, count := ShareOf(spec.Tuples(), 3, k)
			if capacity == 1 {
				first, count = first+count-20, 20 // one by one takes long
			}
			want := list
			if k == 1 {
				want.Weights = nil
			}
			share, all, err := RegenerateShare(d, spec, first, count, capacity, want.Weights != nil)
			if err != nil {
				t.Fatal(err)
			}
			for range devicetest.Sized(2, 1) {
				if !sameTuples(passOver(t, share), shareOf(want, share)) {
					t.Errorf("capacity %d: other tuples of share %d", capacity, k)
				}
				if capacity == 1 {
					continue
				}
				if !sameTuples(passOver(t, all), want) || all.Whole() || share.Whole() || all.Len() != spec.Tuples() {
					t.Errorf("capacity %d: share %d has another view", capacity, k)
				}
			}
			devicetest.Close(t, all, share)
		}
	}
	for _, c := range [][3]uint64{{0, 0, 1}, {0, 1, 0}, {spec.Tuples(), 1, 1}} {
		if _, _, err := RegenerateShare(d, spec, c[0], c[1], c[2], true); err == nil {
			t.Errorf("a share of %v", c)
		}
	}
}

// passOver returns the tuples of a pass, with their weights if they have any.
func passOver(t *testing.T, list *Tuples) (tuples engine.Tuples) {
	t.Helper()
	if err := list.Each(t.Context(), func(part Part) error {
		tuples.Edges = append(tuples.Edges, devicetest.First(t, part.Edges, part.Count)...)
		if list.Weighted() {
			tuples.Weights = append(tuples.Weights, devicetest.First(t, part.Weights, part.Count)...)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return tuples
}
