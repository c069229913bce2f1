//go:build cuda

package stream

import (
	"slices"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
)

// TestLabels converts parents of all kinds in both directions.
func TestLabels(t *testing.T) {
	d := devicetest.Open(t)
	l, err := NewLabels(d)
	if err != nil {
		t.Fatal(err)
	}
	narrow := []engine.Label{engine.None, 0, 1, 1 << 31, engine.Beyond - 1}
	wide := []int64{-1, 0, 1, 1 << 31, int64(engine.Beyond) - 1}
	for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 1023, 1024, 1029} {
		from, want := make([]engine.Label, n), make([]int64, n)
		for i := range from {
			from[i], want[i] = narrow[i%len(narrow)], wide[i%len(wide)]
		}
		on, to := devicetest.From(t, d, from), devicetest.Array[int64](t, d, n)
		if err := l.Widen(to, on); err != nil {
			t.Fatal(err)
		}
		if got := devicetest.Host(t, to); !slices.Equal(got, want) {
			t.Errorf("%d parents: %v", n, got)
		}
		back := devicetest.Array[engine.Label](t, d, n)
		if err := l.Narrow(back, to); err != nil {
			t.Fatal(err)
		}
		if got := devicetest.Host(t, back); !slices.Equal(got, from) {
			t.Errorf("%d parents back: %v", n, got)
		}
	}
	high := []int64{1<<33 + 5, -2, -1 << 63, 1 << 32, 1<<32 - 1, 1<<32 - 2, 1<<32 + 1, 1<<63 - 1}
	to := devicetest.Array[engine.Label](t, d, len(high))
	if err := l.Narrow(to, devicetest.From(t, d, high)); err != nil {
		t.Fatal(err)
	}
	if got := devicetest.Host(t, to); !slices.Equal(got, slices.Repeat([]engine.Label{engine.Beyond}, len(high))) {
		t.Errorf("no labels of 32 bits: %v", got)
	}
}
