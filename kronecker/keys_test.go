package kronecker

import (
	"context"
	"errors"
	"slices"
	"testing"

	"graph500/engine"
)

// usableOf reports which vertices of the graph have a tuple other than a self loop,
// and returns their number.
func usableOf(s Spec) (usable func(engine.Label) bool, count int64) {
	edges := make([]engine.Edge, s.Tuples())
	New(s).Edges(edges, 0)
	set := map[engine.Label]bool{}
	for _, e := range edges {
		if e.U != e.V {
			set[e.U], set[e.V] = true, true
		}
	}
	return func(v engine.Label) bool { return set[v] }, int64(len(set))
}

// sampled calls Sample with a test for single vertices.
func sampled(t *testing.T, s Spec, want int, count int64, usable func(engine.Label) bool) (roots []engine.Label) {
	t.Helper()
	keys, err := Sample(t.Context(), s, want, count, func(_ context.Context, vertices []engine.Vertex) ([]bool, error) {
		is := make([]bool, len(vertices))
		for i, v := range vertices {
			is[i] = usable(engine.Label(v))
		}
		return is, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		roots = append(roots, engine.Label(key))
	}
	return roots
}

// Sampling ends with its context, even if few vertices are usable, and with the
// error of usable.
func TestSampleStops(t *testing.T) {
	stop, broken := errors.New("stop"), errors.New("broken")
	ctx, cancel := context.WithCancelCause(t.Context())
	asked := 0
	_, err := Sample(ctx, official(31), 64, 64, func(_ context.Context, vertices []engine.Vertex) ([]bool, error) {
		if asked++; asked == 3 {
			cancel(stop)
		}
		return make([]bool, len(vertices)), nil
	})
	if err != stop || asked != 3 {
		t.Errorf("asked %d times, error %v", asked, err)
	}
	_, err = Sample(t.Context(), official(31), 64, 64, func(context.Context, []engine.Vertex) ([]bool, error) { return nil, broken })
	if err != broken {
		t.Errorf("error %v", err)
	}
}

// TestSampleOfSmallGraphs uses the known numbers of tries for official graphs. Below
// scale 7 the reference runs out of tries; Sample must not.
func TestSampleOfSmallGraphs(t *testing.T) {
	for _, c := range []struct {
		scale         int
		usable        int64
		tries, forced int // the reference's
		draws         int // until min(64, usable) different usable keys came
	}{
		{1, 2, 65, 63, 5}, {2, 4, 66, 62, 17}, {3, 8, 68, 60, 24}, {4, 16, 70, 54, 30}, {5, 30, 77, 45, 65},
		{6, 61, 89, 25, 324}, {7, 122, 88, 0, 88}, {8, 241, 75, 0, 75}, {9, 466, 76, 0, 76},
	} {
		s := official(c.scale)
		usable, count := usableOf(s)
		if count != c.usable {
			t.Errorf("scale %d: %d usable vertices, want %d", c.scale, count, c.usable)
		}
		reference, tries, forced := referenceKeys(s, usable)
		if tries != c.tries || forced != c.forced {
			t.Errorf("scale %d: the reference's rule takes %d tries, %d forced, want %d, %d", c.scale, tries, forced, c.tries, c.forced)
		}
		want, draws := firstDifferent(s, int(min(64, count)), usable)
		if draws != c.draws {
			t.Errorf("scale %d: %d keys drawn, want %d", c.scale, draws, c.draws)
		}
		got := sampled(t, s, 64, count, usable)
		if !slices.Equal(got, want) {
			t.Errorf("scale %d: keys %v, want %v", c.scale, got, want)
		}
		if forced == 0 && !slices.Equal(got, reference) {
			t.Errorf("scale %d: keys %v, the reference's are %v", c.scale, got, reference)
		}
	}
}

// firstDifferent returns the first distinct usable keys of the stream and the number
// of keys up to the last of them.
func firstDifferent(s Spec, want int, usable func(engine.Label) bool) (roots []engine.Label, draws int) {
	keys := newKeyStream(s)
	for ; len(roots) < want; draws++ {
		if v := engine.Label(keys.next()); usable(v) && !slices.Contains(roots, v) {
			roots = append(roots, v)
		}
	}
	return roots, draws
}

// TestSampleOfFewUsable tests the selection in the order of vertices: the random
// tries find 1 of 10^9 vertices with a probability of 0.4 %.
func TestSampleOfFewUsable(t *testing.T) {
	s := official(30)
	few := []engine.Label{5, 77, 1000}
	usable := func(v engine.Label) bool { return v == 5 || v == 77 || v == 1000 }
	for _, want := range []int{-1, 0, 1, 2, 3, 64} {
		length := min(max(want, 0), len(few))
		if roots := sampled(t, s, want, int64(len(few)), usable); !slices.Equal(roots, few[:length]) {
			t.Errorf("want %d: keys %v, want %v", want, roots, few[:length])
		}
	}
	if roots := sampled(t, s, 64, 0, func(engine.Label) bool { return false }); len(roots) != 0 {
		t.Errorf("no usable vertex, but keys %v", roots)
	}
}
