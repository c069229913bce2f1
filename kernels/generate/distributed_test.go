//go:build cuda

package generate

import (
	"slices"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
)

// A share and the view of all tuples regenerate the same tuples in any order of passes, in
// parts of any size.
func TestRegenerateShare(t *testing.T) {
	d, spec := devicetest.Open(t), devicetest.Official(9)
	want := devicetest.OfficialTuples(9)
	for _, capacity := range []uint64{1, 977, spec.Tuples()} {
		for k := range 3 {
			first, count := ShareOf(spec.Tuples(), 3, k)
			if capacity == 1 {
				first, count = first+count-20, 20 // one by one takes long
			}
			share, all, err := RegenerateShare(d, spec, first, count, capacity, false)
			if err != nil {
				t.Fatal(err)
			}
			for range devicetest.Sized(2, 1) {
				if got := passOver(t, share); !slices.Equal(got, want[first:][:count]) {
					t.Errorf("capacity %d: other tuples of share %d", capacity, k)
				}
				if capacity == 1 {
					continue
				}
				if got := passOver(t, all); !slices.Equal(got, want) || all.Whole() || share.Whole() || all.Len() != uint64(len(want)) {
					t.Errorf("capacity %d: share %d has another view", capacity, k)
				}
			}
			devicetest.Close(t, all, share)
		}
	}
	for _, c := range [][3]uint64{{0, 0, 1}, {0, 1, 0}, {spec.Tuples(), 1, 1}} {
		if _, _, err := RegenerateShare(d, spec, c[0], c[1], c[2], false); err == nil {
			t.Errorf("a share of %v", c)
		}
	}
}

// passOver returns the tuples of a pass.
func passOver(t *testing.T, list *Tuples) (tuples []engine.Edge) {
	t.Helper()
	if err := list.Each(t.Context(), func(part Part) error {
		host := make([]engine.Edge, part.Count)
		err := part.Edges.Read(0, host)
		tuples = append(tuples, host...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return tuples
}
