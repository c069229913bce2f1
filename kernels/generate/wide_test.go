//go:build cuda

package generate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kronecker"
)

// widened returns edges with labels of 48 bits.
func widened(edges []engine.Edge) []engine.Edge48 {
	wide := make([]engine.Edge48, len(edges))
	engine.Widen(wide, edges)
	return wide
}

// checkWide compares tuples with labels of 48 bits with those they must be, in two passes.
func checkWide(t *testing.T, tuples *Tuples, want engine.Tuples) {
	t.Helper()
	for range 2 {
		var edges []engine.Edge48
		var weights []float32
		if err := tuples.Each(t.Context(), func(part Part) error {
			if part.First != uint64(len(edges)) || !part.IsWide() || part.Edges.Len() > 0 || part.Address() != part.Edges48.Address() {
				t.Fatalf("part from tuple %d, after %d", part.First, len(edges))
			}
			edges = append(edges, devicetest.First(t, part.Edges48, part.Count)...)
			weights = append(weights, devicetest.First(t, part.Weights, min(part.Count, part.Weights.Len()))...)
			read := make([]engine.Edge, part.Count)
			if err := part.Read(0, read); err != nil || !slices.Equal(read, want.Edges[part.First:][:part.Count]) {
				t.Errorf("part from tuple %d has other tuples, %v", part.First, err)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(edges, widened(want.Edges)) || !slices.Equal(weights, want.Weights) {
			t.Fatal("other tuples")
		}
	}
	if !tuples.IsWide() || tuples.Weighted() != (want.Weights != nil) {
		t.Errorf("%d tuples are wide: %v, weighted: %v", tuples.Len(), tuples.IsWide(), tuples.Weighted())
	}
}

// TestWideTuples generates tuples with several capacities.
func TestWideTuples(t *testing.T) {
	d := devicetest.Open(t)
	const scale, count = 7, 16 << 7
	all := engine.Tuples{Edges: devicetest.OfficialTuples(scale), Weights: make([]float32, count)}
	kronecker.New(devicetest.Official(scale)).Weights(all.Weights, 0)
	for _, want := range []engine.Tuples{{Edges: all.Edges}, all} {
		for _, capacity := range []uint64{1 << 8, 1000, count - 1, count, 1 << 40} {
			free, weighted := d.Free(), want.Weights != nil
			tuples, err := NewWide(d, devicetest.Official(scale), capacity, weighted)
			if err != nil {
				t.Fatal(err)
			}
			checkMemory(t, free-d.Free(), WidePlan(count, capacity, false, weighted))
			if err := errors.Join(tuples.edges48.Fill(devicetest.Poison), tuples.weights.Fill(devicetest.Poison)); err != nil {
				t.Fatal(err)
			}
			if err := tuples.Make(t.Context(), func(uint64) {}); err != nil || tuples.Whole() != (capacity >= count) {
				t.Fatal(tuples.Whole(), err)
			}
			checkWide(t, tuples, want)
			devicetest.Close(t, tuples)
			if d.Free() != free {
				t.Errorf("%d bytes are free after %d", d.Free(), free)
			}
		}
	}
}

// TestWideScales generates the first tuples of graphs of all sizes.
func TestWideScales(t *testing.T) {
	d := devicetest.Open(t)
	for scale := 1; scale <= 30; scale += 1 + devicetest.Sized(0, 6) {
		spec := devicetest.Official(scale)
		const count = 5000
		g := &Generator{wide: true}
		held, err := d.Take(device.Group{Alive: engine.Always, Arrays: g.arrays()})
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Repeat([]engine.Edge{{U: 1, V: 2}}, count+20)
		on := devicetest.From(t, d, widened(want))
		if err := errors.Join(g.prepare(d, spec), g.generateWide(on, device.Array[float32]{}, 7, count, 99)); err != nil {
			t.Fatal(err)
		}
		kronecker.New(spec).Edges(want[7:7+count], 99)
		if !slices.Equal(devicetest.Host(t, on), widened(want)) {
			t.Errorf("scale %d: other tuples", scale)
		}
		if err := held.Free(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFromWide copies tuples of several pieces to the device.
func TestFromWide(t *testing.T) {
	d := devicetest.Open(t)
	for _, n := range []int{0, 1, 2, widePiece, widePiece + 3} {
		want, free := numbered(n, n%2 == 1), d.Free()
		tuples, err := FromWide(d, want)
		if err != nil {
			t.Fatal(err)
		}
		checkMemory(t, free-d.Free(), WidePlan(uint64(n), uint64(n), true, want.Weights != nil))
		checkWide(t, tuples, want)
		if n > 0 {
			if e, err := tuples.At(uint64(n - 1)); err != nil || e != want.Edges[n-1] {
				t.Errorf("tuple %d is %v, %v", n-1, e, err)
			}
		}
		if _, err := tuples.At(uint64(n)); err == nil {
			t.Error("a tuple beyond the last one")
		}
		devicetest.Close(t, tuples)
	}
	if _, err := FromWide(d, engine.Tuples{Edges: make([]engine.Edge, 3), Weights: make([]float32, 2)}); err == nil || !strings.Contains(err.Error(), "2 weights for 3 tuples") {
		t.Error(err)
	}
}

// TestWideShares compares shares with labels of 48 bits, and the views of all of them, with the
// tuples of the host.
func TestWideShares(t *testing.T) {
	d := devicetest.Open(t)
	const scale, count = 7, 16 << 7
	all := engine.Tuples{Edges: devicetest.OfficialTuples(scale), Weights: make([]float32, count)}
	kronecker.New(devicetest.Official(scale)).Weights(all.Weights, 0)
	for _, want := range []engine.Tuples{{Edges: all.Edges}, all} {
		for _, capacity := range []uint64{101, count} {
			for _, loaded := range []bool{false, true} {
				var shares []*Tuples
				for k := range 3 {
					first, n := ShareOf(count, 3, k)
					free, weighted := d.Free(), want.Weights != nil
					s, room := wideShare(t, d, scale, cut(want, first, n), first, capacity, loaded), min(n, capacity)
					if loaded {
						room = n
					}
					checkMemory(t, free-d.Free(), WidePlan(n, room, loaded, weighted))
					shares = append(shares, s)
				}
				checkWideViews(t, shares, want)
				closeShares(t, shares)
			}
		}
	}
}

// wideShare returns a loaded or generated share of a graph, own being its tuples.
func wideShare(t *testing.T, d *device.Device, scale int, own engine.Tuples, first, capacity uint64, loaded bool) (s *Tuples) {
	t.Helper()
	var err error
	if loaded {
		s, err = FromWideShare(d, own, first)
	} else {
		s, err = NewWideShare(d, devicetest.Official(scale), first, uint64(len(own.Edges)), capacity, own.Weights != nil)
	}
	if err == nil && !loaded {
		err = errors.Join(s.edges48.Fill(devicetest.Poison), s.Make(t.Context(), func(uint64) {}))
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkWideViews compares the tuples of the views of every share with the list.
func checkWideViews(t *testing.T, shares []*Tuples, want engine.Tuples) {
	t.Helper()
	for own := range shares {
		view, err := Join(shares, own)
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		if err := view.Each(t.Context(), func(part Part) error {
			edges := devicetest.First(t, part.Edges48, part.Count)
			if !part.IsWide() || !slices.Equal(edges, widened(want.Edges[part.First:][:part.Count])) {
				t.Fatalf("other tuples from number %d", part.First)
			}
			if want.Weights != nil && !slices.Equal(devicetest.First(t, part.Weights, part.Count), want.Weights[part.First:][:part.Count]) {
				t.Fatalf("other weights from number %d", part.First)
			}
			seen += part.Count
			return nil
		}); err != nil || seen != len(want.Edges) || !view.IsWide() || view.Len() != uint64(seen) {
			t.Fatalf("%d tuples of %d, %v", seen, len(want.Edges), err)
		}
		for i := 0; view.Whole() && i < len(want.Edges); i += 97 {
			if e, err := view.At(uint64(i)); err != nil || e != want.Edges[i] {
				t.Errorf("tuple %d is %v, %v", i, e, err)
			}
		}
	}
}

// TestWideSharesRefused: shares of both widths are no list.
func TestWideSharesRefused(t *testing.T) {
	d := devicetest.Open(t)
	list := engine.Tuples{Edges: make([]engine.Edge, 4)}
	narrow, err := FromShare(d, cut(list, 0, 2), 0)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := FromWideShare(d, cut(list, 2, 2), 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Join([]*Tuples{narrow, wide}, 0); err == nil {
		t.Error("joined shares of both widths")
	}
	if _, err := NewWideShare(d, devicetest.Official(1), 30, 3, 100, false); err == nil {
		t.Error("a share beyond the last tuple")
	}
	devicetest.Close(t, narrow, wide)
}

// TestRegenerateWideShare regenerates a share, and all tuples in its memory.
func TestRegenerateWideShare(t *testing.T) {
	d, spec := devicetest.Open(t), devicetest.Official(9)
	all := engine.Tuples{Edges: devicetest.OfficialTuples(9), Weights: make([]float32, spec.Tuples())}
	kronecker.New(spec).Weights(all.Weights, 0)
	for _, want := range []engine.Tuples{{Edges: all.Edges}, all} {
		for _, capacity := range []uint64{977, spec.Tuples()} {
			for k := range 3 {
				first, count := ShareOf(spec.Tuples(), 3, k)
				free, room, weighted := d.Free(), min(count, capacity), want.Weights != nil
				share, view, err := RegenerateWideShare(d, spec, first, count, room, weighted)
				if err != nil {
					t.Fatal(err)
				}
				checkMemory(t, free-d.Free(), WidePlan(count, room, false, weighted))
				checkWide(t, view, want)
				var own []engine.Edge48
				if err := share.Each(t.Context(), func(part Part) error {
					own = append(own, devicetest.First(t, part.Edges48, part.Count)...)
					return nil
				}); err != nil || !slices.Equal(own, widened(want.Edges[first:][:count])) {
					t.Errorf("capacity %d: other tuples of share %d, %v", capacity, k, err)
				}
				devicetest.Close(t, view, share)
			}
		}
	}
	if _, _, err := RegenerateWideShare(d, spec, 0, 0, 1, false); err == nil {
		t.Error("a share of nothing")
	}
}
