//go:build cuda

package kernels

import (
	"errors"
	"slices"
	"testing"

	"graph500/engine"
)

func TestFiller(t *testing.T) {
	d := testDevice(t)
	for _, n := range []int{1, 2, 3, 4, 5, 31, 1023, 1024, 1029, 1<<20 + 3} {
		a := testArray[engine.Local](t, d, n)
		f, err := NewFiller(d, a, 0x89ABCDEF)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second launch is prepared as the first was
			if err := errors.Join(a.Fill(0xA5), f.Fill()); err != nil {
				t.Fatal(err)
			}
			if got := testHost(t, a); !slices.Equal(got, slices.Repeat([]engine.Local{0x89ABCDEF}, n)) {
				t.Errorf("%d elements: %x", n, got[:min(n, 20)])
			}
		}
		if err := errors.Join(f.Close(), f.Close()); err != nil {
			t.Error(err)
		}
	}
	if err := (*Filler)(nil).Close(); err != nil {
		t.Error(err)
	}
}
