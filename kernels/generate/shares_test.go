//go:build cuda

package generate

import (
	"math"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
)

// TestShareOf divides lists into shares that cover them.
func TestShareOf(t *testing.T) {
	for _, count := range []uint64{0, 1, 15, 16, 17, 1000, 16 << 32, math.MaxInt64} {
		for shares := 1; shares <= 17; shares++ {
			next := uint64(0)
			for k := range shares {
				first, n := ShareOf(count, shares, k)
				if first != next || n < count/uint64(shares) || n > count/uint64(shares)+1 {
					t.Errorf("share %d of %d: %d tuples of %d from %d", k, shares, n, count, first)
				}
				next = first + n
			}
			if next != count {
				t.Errorf("%d shares have %d tuples of %d", shares, next, count)
			}
		}
	}
}

// checkShares compares shares, and the views of all of them, with the list, and closes them.
func checkShares(t *testing.T, shares []*Tuples, scale int, list engine.Tuples) {
	t.Helper()
	for own, share := range shares {
		view, err := Join(shares, own)
		if err != nil {
			t.Fatal(err)
		}
		whole, start := share.Whole(), uint64(0) // now that they are joined
		if whole {
			start = share.First() // the devices do not all begin with the same share
		}
		if view.Len() != uint64(len(list.Edges)) || view.First() != 0 || view.Scale() != scale || view.Whole() != whole ||
			view.Weighted() != share.Weighted() || view.IsWide() != share.IsWide() {
			t.Fatalf("view of %d tuples of scale %d", view.Len(), view.Scale())
		}
		if start == view.Len() { // an empty share after the others
			start = 0
		}
		checkPasses(t, view, list, start)
		if whole {
			checkAt(t, view, list)
		}
		devicetest.Close(t, view)
	}
	for _, share := range shares {
		checkPasses(t, share, list, 0)
	}
	for k := range shares {
		devicetest.Close(t, shares[len(shares)-1-k])
	}
}

// TestShares divides an official graph.
func TestShares(t *testing.T) {
	const scale, count = 7, 16 << 7
	eachForm(t, func(t *testing.T, form Config) {
		d, list := devicetest.Open(t), official(scale, form)
		for _, number := range []int{1, 2, 3, 5} {
			for _, capacity := range []uint64{100, count / uint64(number), 0} {
				free := d.Free()
				var shares []*Tuples
				for k := range number {
					c := form
					c.Capacity = capacity
					c.First, c.Count = ShareOf(count, number, k)
					shares = append(shares, generated(t, d, scale, c))
				}
				checkShares(t, shares, scale, list)
				if d.Free() != free {
					t.Errorf("%d bytes are free after %d", d.Free(), free)
				}
			}
		}
	})
}

// loadedShare returns a loaded share of a list.
func loadedShare(t *testing.T, d *device.Device, list engine.Tuples, first, count uint64, form Config) *Tuples {
	t.Helper()
	own := cut(list, first, count)
	c := ConfigOf(own, first)
	c.Weighted, c.Wide = form.Weighted, form.Wide
	return made(t, d, c, Source{Loaded: own})
}

// TestLoadedShares divides loaded tuples, also into more shares than tuples.
func TestLoadedShares(t *testing.T) {
	eachForm(t, func(t *testing.T, form Config) {
		d := devicetest.Open(t)
		for _, n := range []int{0, 3, 100} {
			list := numbered(n, form)
			for number := 1; number <= 4; number++ {
				var shares []*Tuples
				for k := range number {
					first, count := ShareOf(uint64(n), number, k)
					shares = append(shares, loadedShare(t, d, list, first, count, form))
				}
				checkShares(t, shares, 0, list)
			}
		}
	})
}

// TestSharesRefused joins shares that do not fit together.
func TestSharesRefused(t *testing.T) {
	d := devicetest.Open(t)
	list := numbered(4, Config{Weighted: true})
	plain := engine.Tuples{Edges: list.Edges}
	a, b := loadedShare(t, d, plain, 0, 2, Config{}), loadedShare(t, d, plain, 2, 2, Config{})
	heavy, wide := loadedShare(t, d, list, 2, 2, Config{Weighted: true}), loadedShare(t, d, plain, 2, 2, Config{Wide: true})
	view, err := Join([]*Tuples{a, b}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		shares []*Tuples
		own    int
	}{{nil, 0}, {[]*Tuples{a, b}, 2}, {[]*Tuples{a, b}, -1}, {[]*Tuples{b, a}, 0}, {[]*Tuples{a, a}, 0}, {[]*Tuples{a, heavy}, 0}, {[]*Tuples{a, wide}, 0}, {[]*Tuples{view}, 0}} {
		if _, err := Join(c.shares, c.own); err == nil {
			t.Errorf("joined %d shares for share %d", len(c.shares), c.own)
		}
	}
	devicetest.Close(t, a, b, heavy, wide)
}
