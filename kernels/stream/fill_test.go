//go:build cuda

package stream

import (
	"errors"
	"slices"
	"testing"

	"graph500/device/devicetest"
)

func TestFiller(t *testing.T) {
	d := devicetest.Open(t)
	for _, n := range []int{1, 2, 3, 4, 5, 31, 1023, 1024, 1029, 1<<20 + 3} {
		a := devicetest.Array[uint32](t, d, n)
		f, err := NewFiller(d, a, 0x89ABCDEF)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second launch reuses the launch graph
			if err := errors.Join(a.Fill(devicetest.Poison), f.Fill()); err != nil {
				t.Fatal(err)
			}
			if got := devicetest.Host(t, a); !slices.Equal(got, slices.Repeat([]uint32{0x89ABCDEF}, n)) {
				t.Errorf("%d elements: %x", n, got[:min(n, 20)])
			}
		}
		if err := errors.Join(f.Close(), f.Close()); err != nil {
			t.Error(err)
		}
		if err := f.Fill(); err == nil {
			t.Error("a closed Filler filled")
		}
	}
	a := devicetest.Array[float32](t, d, 77)
	f, err := NewFiller(d, a, -1)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Fill(); err != nil {
		t.Fatal(err)
	}
	if got := devicetest.Host(t, a); !slices.Equal(got, slices.Repeat([]float32{-1}, 77)) {
		t.Error(got)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := (*Filler)(nil).Close(); err != nil {
		t.Error(err)
	}
}
