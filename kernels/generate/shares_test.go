//go:build cuda

package generate

import (
	"errors"
	"math"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kronecker"
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

// TestShares compares shares of an official graph, and the views of all of them, with the
// tuples of the host.
func TestShares(t *testing.T) {
	d := devicetest.Open(t)
	const scale, count = 7, 16 << 7
	weighted := engine.Tuples{Edges: devicetest.OfficialTuples(scale), Weights: make([]float32, count)}
	kronecker.New(devicetest.Official(scale)).Weights(weighted.Weights, 0)
	for _, want := range []engine.Tuples{weighted, {Edges: weighted.Edges}} {
		for _, number := range []int{1, 2, 3, 5} {
			for _, capacity := range []uint64{100, count / uint64(number), count} {
				free := d.Free()
				shares := generateShares(t, d, scale, number, capacity, want)
				checkViews(t, shares, scale, want)
				checkAlone(t, shares, want)
				closeShares(t, shares)
				if d.Free() != free {
					t.Errorf("%d bytes are free after %d", d.Free(), free)
				}
			}
		}
	}
}

// generateShares generates shares of an official graph and compares their memory with
// the plan.
func generateShares(t *testing.T, d *device.Device, scale, number int, capacity uint64, list engine.Tuples) (shares []*Tuples) {
	t.Helper()
	length, weighted := uint64(len(list.Edges)), list.Weights != nil
	for k := range number {
		first, count := ShareOf(length, number, k)
		free := d.Free()
		s, err := NewShare(d, devicetest.Official(scale), first, count, capacity, weighted)
		if err != nil {
			t.Fatal(err)
		}
		checkMemory(t, free-d.Free(), Plan(count, capacity, false, weighted))
		if err := errors.Join(s.edges.Fill(devicetest.Poison), s.weights.Fill(devicetest.Poison)); err != nil {
			t.Fatal(err)
		}
		generated := uint64(0)
		if err := s.Make(t.Context(), func(done uint64) { generated = done }); err != nil || generated != count {
			t.Fatalf("%d tuples of %d generated, %v", generated, count, err)
		}
		if s.Len() != count || s.Whole() != (capacity >= count) || s.Scale() != scale {
			t.Fatalf("share %d: %d tuples of scale %d", k, s.Len(), s.Scale())
		}
		shares = append(shares, s)
	}
	return shares
}

func closeShares(t *testing.T, shares []*Tuples) {
	t.Helper()
	for k := range shares {
		devicetest.Close(t, shares[len(shares)-1-k])
	}
}

// checkAlone compares the tuples of each share with its part of the list.
func checkAlone(t *testing.T, shares []*Tuples, want engine.Tuples) {
	t.Helper()
	for k, s := range shares {
		got := engine.Tuples{Edges: make([]engine.Edge, 0, s.Len())}
		if err := s.Each(t.Context(), func(part Part) error {
			if part.First != s.first+uint64(len(got.Edges)) {
				t.Fatalf("tuple %d after %d of share %d", part.First, len(got.Edges), k)
			}
			got.Edges = append(got.Edges, devicetest.First(t, part.Edges, part.Count)...)
			if s.Weighted() {
				got.Weights = append(got.Weights, devicetest.First(t, part.Weights, part.Count)...)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if !sameTuples(got, shareOf(want, s)) {
			t.Fatalf("share %d of %d has other tuples", k, len(shares))
		}
	}
}

// shareOf returns the part of the list that the share has.
func shareOf(list engine.Tuples, s *Tuples) engine.Tuples {
	part := engine.Tuples{Edges: list.Edges[s.first:][:s.count]}
	if list.Weights != nil {
		part.Weights = list.Weights[s.first:][:s.count]
	}
	return part
}

// checkViews compares the tuples of the views of every share with the list.
func checkViews(t *testing.T, shares []*Tuples, scale int, want engine.Tuples) {
	t.Helper()
	for own := range shares {
		view, err := Join(shares, own)
		if err != nil {
			t.Fatal(err)
		}
		whole := shares[own].Whole()
		if view.Len() != uint64(len(want.Edges)) || view.Scale() != scale || view.Whole() != whole || view.Weighted() != (want.Weights != nil) {
			t.Fatalf("view of %d tuples of scale %d", view.Len(), view.Scale())
		}
		for range 2 {
			seen := 0
			if err := view.Each(t.Context(), func(part Part) error {
				if seen == 0 && whole && part.First != shares[own].first {
					t.Errorf("the view of share %d begins with tuple %d", own, part.First)
				}
				seen += part.Count
				got := engine.Tuples{Edges: devicetest.First(t, part.Edges, part.Count)}
				if want.Weights != nil {
					got.Weights = devicetest.First(t, part.Weights, part.Count)
				}
				if !sameTuples(got, shareOf(want, &Tuples{first: part.First, count: uint64(part.Count)})) {
					t.Fatalf("other tuples from number %d", part.First)
				}
				return nil
			}); err != nil || seen != len(want.Edges) {
				t.Fatalf("%d tuples of %d, %v", seen, len(want.Edges), err)
			}
		}
		for i := 0; whole && i < len(want.Edges); i += 97 {
			if e, err := view.At(uint64(i)); err != nil || e != want.Edges[i] {
				t.Errorf("tuple %d is %v, %v", i, e, err)
			}
			if want.Weights == nil {
				continue
			}
			if w, err := view.WeightAt(uint64(i)); err != nil || w != want.Weights[i] {
				t.Errorf("tuple %d has weight %v, %v", i, w, err)
			}
		}
		if _, err := view.At(view.Len()); err == nil {
			t.Error("a tuple beyond the last one")
		}
		devicetest.Close(t, view)
	}
}

// cut returns count tuples from first on.
func cut(list engine.Tuples, first, count uint64) engine.Tuples {
	of := engine.Tuples{Edges: list.Edges[first:][:count]}
	if list.Weights != nil {
		of.Weights = list.Weights[first:][:count]
	}
	return of
}

// TestLoadedShares divides loaded tuples, also into more shares than tuples.
func TestLoadedShares(t *testing.T) {
	d := devicetest.Open(t)
	edges := []engine.Edge{{U: 1, V: 2}, {U: 3, V: 3}, {U: 4, V: 0}}
	for _, want := range []engine.Tuples{{}, {Edges: edges}, {Edges: edges, Weights: []float32{0.25, 1e30, 0}}} {
		for number := 1; number <= 4; number++ {
			var shares []*Tuples
			for k := range number {
				first, count := ShareOf(uint64(len(want.Edges)), number, k)
				free := d.Free()
				s, err := FromShare(d, cut(want, first, count), first)
				if err != nil {
					t.Fatal(err)
				}
				checkMemory(t, free-d.Free(), Plan(count, count, true, want.Weights != nil))
				shares = append(shares, s)
			}
			checkViews(t, shares, 0, want)
			checkAlone(t, shares, want)
			closeShares(t, shares)
		}
	}
}

// TestSharesRefused joins and makes shares that do not fit together.
func TestSharesRefused(t *testing.T) {
	d := devicetest.Open(t)
	list := engine.Tuples{Edges: make([]engine.Edge, 4)}
	weighted := engine.Tuples{Edges: list.Edges, Weights: make([]float32, 4)}
	var made []*Tuples
	share := func(list engine.Tuples, first, count uint64) *Tuples {
		s, err := FromShare(d, cut(list, first, count), first)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, s)
		return s
	}
	a, b, heavy := share(list, 0, 2), share(list, 2, 2), share(weighted, 2, 2)
	view, err := Join([]*Tuples{a, b}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		shares []*Tuples
		own    int
	}{{nil, 0}, {[]*Tuples{a, b}, 2}, {[]*Tuples{a, b}, -1}, {[]*Tuples{b, a}, 0}, {[]*Tuples{a, a}, 0}, {[]*Tuples{a, heavy}, 0}, {[]*Tuples{view}, 0}} {
		if _, err := Join(c.shares, c.own); err == nil {
			t.Errorf("joined %d shares for share %d", len(c.shares), c.own)
		}
	}
	for _, c := range [][2]uint64{{0, 5}, {5, 0}, {3, 2}, {1, math.MaxUint64}} {
		if _, err := NewShare(d, devicetest.Official(1), 32+c[0], c[1], 100, false); err == nil && c[1] > 0 {
			t.Errorf("%d tuples from %d", c[1], 32+c[0])
		}
	}
	closeShares(t, made)
}
