//go:build cuda

package generate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kronecker"
)

// eachForm runs a test with and without weights, with labels of 32 and of 48 bits. The
// configuration has nothing else.
func eachForm(t *testing.T, test func(t *testing.T, form Config)) {
	for _, weighted := range []bool{false, true} {
		for _, wide := range []bool{false, true} {
			t.Run(fmt.Sprintf("weighted=%v/wide=%v", weighted, wide), func(t *testing.T) { test(t, Config{Weighted: weighted, Wide: wide}) })
		}
	}
}

// official returns the tuples of an official graph, with weights if the form has them.
func official(scale int, form Config) engine.Tuples {
	list := engine.Tuples{Edges: devicetest.OfficialTuples(scale)}
	if form.Weighted {
		list.Weights = make([]float32, len(list.Edges))
		kronecker.New(devicetest.Official(scale)).Weights(list.Weights, 0)
	}
	return list
}

// numbered returns n different tuples, with weights if the form has them.
func numbered(n int, form Config) (list engine.Tuples) {
	for i := range n {
		list.Edges = append(list.Edges, engine.Edge{U: engine.Label(i), V: engine.Label(2 * i)})
		if form.Weighted {
			list.Weights = append(list.Weights, float32(i)/7)
		}
	}
	return list
}

// widened returns edges with labels of 48 bits.
func widened(edges []engine.Edge) []engine.Edge48 {
	wide := make([]engine.Edge48, len(edges))
	engine.Widen(wide, edges)
	return wide
}

// cut returns count tuples from first on.
func cut(list engine.Tuples, first, count uint64) engine.Tuples {
	of := engine.Tuples{Edges: list.Edges[first:][:count]}
	if list.Weights != nil {
		of.Weights = list.Weights[first:][:count]
	}
	return of
}

// made returns tuples of which memory has been taken as planned, in arrays with poison unless
// they are loaded.
func made(t *testing.T, d *device.Device, c Config, from Source) *Tuples {
	t.Helper()
	free := d.Free()
	tuples, err := New(t.Context(), d, c, from)
	if err != nil {
		t.Fatal(err)
	}
	if used, want := free-d.Free(), engine.Peak(c.Plan(), engine.DeviceMemory); used != want {
		t.Errorf("%d bytes are used, %d planned", used, want)
	}
	if tuples.Len() != c.Count || tuples.First() != c.First || tuples.Weighted() != c.Weighted || tuples.IsWide() != c.Wide || tuples.Whole() != (!c.inParts() && !c.Regenerated) {
		t.Fatalf("%+v: %d tuples from number %d, whole %v", c, tuples.Len(), tuples.First(), tuples.Whole())
	}
	if !c.Loaded {
		poison(t, tuples)
	}
	return tuples
}

func poison(t *testing.T, tuples *Tuples) {
	t.Helper()
	if err := errors.Join(tuples.edges.Fill(devicetest.Poison), tuples.weights.Fill(devicetest.Poison)); err != nil {
		t.Fatal(err)
	}
}

// generated is made for tuples of an official graph, which Make has generated.
func generated(t *testing.T, d *device.Device, scale int, c Config) *Tuples {
	t.Helper()
	tuples := made(t, d, c, Source{Spec: devicetest.Official(scale)})
	all := uint64(0)
	if err := tuples.Make(t.Context(), func(done uint64) {
		if done <= all {
			t.Errorf("%d tuples are generated, after %d", done, all)
		}
		all = done
	}); err != nil || all != c.Count || tuples.Scale() != scale {
		t.Fatalf("%+v: %d tuples of scale %d, %v", c, all, tuples.Scale(), err)
	}
	return tuples
}

// checkPart compares a part with tuples of the list.
func checkPart(t *testing.T, part Part, list engine.Tuples) {
	t.Helper()
	want := cut(list, part.First, uint64(part.Count))
	words := asWords(want.Edges)
	if part.IsWide() {
		words = asWords(widened(want.Edges))
	}
	edges := make([]engine.Edge, part.Count)
	if err := part.Read(0, edges); err != nil || !slices.Equal(edges, want.Edges) {
		t.Fatalf("part from tuple %d has other tuples, %v", part.First, err)
	}
	if part.Address() != part.Edges.Address() || !slices.Equal(devicetest.First(t, part.Edges, len(words)), words) {
		t.Fatalf("part from tuple %d has other words", part.First)
	}
	if want.Weights == nil && part.Weights.Len() > 0 {
		t.Fatalf("%d weights of tuples without weights", part.Weights.Len())
	}
	weights := devicetest.First(t, part.Weights, min(part.Count, part.Weights.Len()))
	if !slices.EqualFunc(weights, want.Weights, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }) {
		t.Fatalf("part from tuple %d has other weights", part.First)
	}
}

// checkPasses passes twice over tuples, which are those of the list from first on, the first one
// being number start of them in each pass: the others follow, then those before. Where not all
// are kept, nothing of the first pass is left for the second one.
func checkPasses(t *testing.T, tuples *Tuples, list engine.Tuples, start uint64) {
	t.Helper()
	for range 2 {
		next, seen := tuples.First()+start, uint64(0)
		if err := tuples.Each(t.Context(), func(part Part) error {
			if next == tuples.First()+tuples.Len() {
				next = tuples.First()
			}
			if part.First != next || part.Count < 1 || part.IsWide() != tuples.IsWide() {
				t.Fatalf("a part of %d tuples from number %d, not %d", part.Count, part.First, next)
			}
			checkPart(t, part, list)
			next, seen = next+uint64(part.Count), seen+uint64(part.Count)
			return nil
		}); err != nil || seen != tuples.Len() {
			t.Fatalf("%d tuples of %d, %v", seen, tuples.Len(), err)
		}
		if !tuples.Whole() {
			poison(t, tuples)
		}
	}
}

// checkAt compares single tuples with those of the list.
func checkAt(t *testing.T, tuples *Tuples, list engine.Tuples) {
	t.Helper()
	last := tuples.First() + tuples.Len()
	for i := tuples.First(); i < last; i += 1 + min(96, last-1-i) {
		if e, err := tuples.At(i); err != nil || e != list.Edges[i] {
			t.Errorf("tuple %d is %v, want %v (%v)", i, e, list.Edges[i], err)
		}
		if !tuples.Weighted() {
			continue
		}
		if w, err := tuples.WeightAt(i); err != nil || w != list.Weights[i] {
			t.Errorf("tuple %d has weight %v, want %v (%v)", i, w, list.Weights[i], err)
		}
	}
	if _, err := tuples.At(last); err == nil {
		t.Error("a tuple beyond the last one")
	}
}

// checkClosed closes tuples, twice, and requires that the arena is as it was.
func checkClosed(t *testing.T, d *device.Device, tuples *Tuples, free uint64) {
	t.Helper()
	if err := errors.Join(tuples.Close(), tuples.Close()); err != nil || d.Free() != free {
		t.Errorf("%d bytes are free after %d, %v", d.Free(), free, err)
	}
}

// TestTuples passes over the generated tuples of a graph, with several capacities.
func TestTuples(t *testing.T) {
	const scale, count = 7, 16 << 7
	eachForm(t, func(t *testing.T, c Config) {
		d, want := devicetest.Open(t), official(scale, c)
		c.Count = count
		for _, c.Capacity = range []uint64{0, 1, 2, 3, 1000, count/2 - 1, count / 2, count - 1, count, count + 1, 1 << 40} {
			free := d.Free()
			tuples := generated(t, d, scale, c)
			checkPasses(t, tuples, want, 0)
			if tuples.Whole() {
				checkAt(t, tuples, want)
			}
			checkClosed(t, d, tuples, free)
		}
	})
}

// TestLoadedTuples copies tuples to the device, also none, and several pieces of those whose
// labels are converted.
func TestLoadedTuples(t *testing.T) {
	eachForm(t, func(t *testing.T, form Config) {
		d := devicetest.Open(t)
		for _, n := range []int{0, 1, 2, convertedPiece, convertedPiece + 3} {
			want, free := numbered(n, form), d.Free()
			c := ConfigOf(want, 0)
			c.Weighted, c.Wide = form.Weighted, form.Wide
			sources := []engine.Tuples{want}
			if c.Wide {
				sources = append(sources, engine.Tuples{Wide: widened(want.Edges), Weights: want.Weights})
			}
			for _, from := range sources {
				tuples := made(t, d, c, Source{Loaded: from})
				if tuples.Scale() != 0 {
					t.Errorf("loaded tuples of scale %d", tuples.Scale())
				}
				checkPasses(t, tuples, want, 0)
				checkAt(t, tuples, want)
				checkClosed(t, d, tuples, free)
			}
		}
	})
	var none *Tuples
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

// TestRegenerated passes over shares and over the views of all tuples that have their memory, in
// turn, in parts of any size.
func TestRegenerated(t *testing.T) {
	const scale, count = 9, 16 << 9
	eachForm(t, func(t *testing.T, form Config) {
		d, want := devicetest.Open(t), official(scale, form)
		for _, capacity := range []uint64{1, 977, count} {
			for k := range 3 {
				c := form
				c.Regenerated, c.Capacity = true, capacity
				c.First, c.Count = ShareOf(count, 3, k)
				if capacity == 1 {
					c.First, c.Count = c.First+c.Count-20, 20 // one by one takes long
				}
				free := d.Free()
				share := generated(t, d, scale, c)
				all, err := share.All()
				if err != nil || all.Len() != count || all.First() != 0 || all.Whole() {
					t.Fatalf("a view of %d tuples from number %d, %v", all.Len(), all.First(), err)
				}
				for range devicetest.Sized(2, 1) {
					checkPasses(t, share, want, 0)
					if capacity > 1 {
						checkPasses(t, all, want, 0)
					}
				}
				devicetest.Close(t, all)
				checkClosed(t, d, share, free)
			}
		}
	})
}

// TestRefused makes tuples of which the source has not all, or more, or of another width.
func TestRefused(t *testing.T) {
	d := devicetest.Open(t)
	two := engine.Tuples{Edges: make([]engine.Edge, 2)}
	weighted := engine.Tuples{Edges: two.Edges, Weights: make([]float32, 2)}
	graph := Source{Spec: devicetest.Official(1)} // 32 tuples
	for name, c := range map[string]struct {
		config Config
		from   Source
	}{
		"beyond the last tuple":    {Config{First: 30, Count: 3}, graph},
		"more than all":            {Config{Count: 33}, graph},
		"after the last tuple":     {Config{First: 33}, graph},
		"overflow":                 {Config{First: 1, Count: math.MaxUint64}, graph},
		"nothing to regenerate":    {Config{Regenerated: true}, graph},
		"scale 33":                 {Config{Count: 1}, Source{Spec: kronecker.Spec{Scale: 33, EdgeFactor: 16}}},
		"fewer loaded":             {Config{Count: 3, Loaded: true}, Source{Loaded: two}},
		"more loaded":              {Config{Count: 1, Loaded: true}, Source{Loaded: two}},
		"no weights":               {Config{Count: 2, Loaded: true, Weighted: true}, Source{Loaded: two}},
		"weights for nothing":      {Config{Count: 2, Loaded: true}, Source{Loaded: weighted}},
		"one weight":               {Config{Count: 2, Loaded: true, Weighted: true}, Source{Loaded: engine.Tuples{Edges: two.Edges, Weights: make([]float32, 1)}}},
		"48 bits for 32":           {Config{Count: 2, Loaded: true}, Source{Loaded: engine.Tuples{Wide: make([]engine.Edge48, 2)}}},
		"32 bits for parts of 48":  {Config{Count: 2, Capacity: 1, Loaded: true, Wide: true}, Source{Loaded: ownedTuples(t, two, false)}},
		"parts without weights":    {Config{Count: 2, Capacity: 1, Loaded: true, Weighted: true}, Source{Loaded: ownedTuples(t, two, false)}},
		"parts with other weights": {Config{Count: 2, Capacity: 1, Loaded: true}, Source{Loaded: ownedTuples(t, weighted, false)}},
	} {
		free := d.Free()
		if _, err := New(t.Context(), d, c.config, c.from); err == nil || d.Free() != free {
			t.Errorf("%s: %v, %d bytes are free after %d", name, err, d.Free(), free)
		}
	}
	for _, c := range []Config{{Count: 4}, {Count: 4, Capacity: 1}} {
		kept := made(t, d, c, graph)
		if _, err := kept.All(); err == nil {
			t.Error("all tuples are regenerated over those that are kept")
		}
		devicetest.Close(t, kept)
	}
}

// TestTuplesStop ends the context after the third part, then returns an error for the
// third part.
func TestTuplesStop(t *testing.T) {
	d := devicetest.Open(t)
	tuples := made(t, d, Config{Count: 16 << 7, Capacity: 100, Weighted: true}, Source{Spec: devicetest.Official(7)})
	defer devicetest.Close(t, tuples)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	parts := 0
	if err := tuples.Each(ctx, func(Part) error {
		if parts++; parts == 3 {
			cancel(stop)
		}
		return nil
	}); err != stop || parts != 3 {
		t.Errorf("%v after %d parts", err, parts)
	}
	if err := tuples.Make(ctx, func(uint64) { t.Error("generated") }); err != stop {
		t.Error(err)
	}
	if err := tuples.Each(t.Context(), func(Part) error {
		if parts--; parts == 0 {
			return stop
		}
		return nil
	}); err != stop || parts != 0 {
		t.Errorf("%v, %d parts left", err, parts)
	}
}

// TestTuplesOutOfMemory runs out of memory for the tuples and for the generator's tables.
func TestTuplesOutOfMemory(t *testing.T) {
	d := devicetest.OpenWith(t, device.Options{})
	const size = 1 << 20
	if err := d.Reserve(size); err != nil {
		t.Fatal(err)
	}
	spec := kronecker.Spec{Scale: 30, EdgeFactor: 1 << 20, Seed1: 2, Seed2: 3}
	for capacity, name := range map[uint64]string{
		size/8 + 1:            "tuples, a part at a time",
		size / 8:              "weights, a part at a time",
		size / 12 / 512 * 512: "streams of the generator",
	} {
		var full *device.MemoryError
		if _, err := New(t.Context(), d, Config{Count: spec.Tuples(), Capacity: capacity, Weighted: true}, Source{Spec: spec}); !errors.As(err, &full) || full.Name != name {
			t.Errorf("capacity %d: %v", capacity, err)
		}
	}
	var full *device.MemoryError
	many := engine.Tuples{Edges: make([]engine.Edge, size/8+1)}
	if _, err := New(t.Context(), d, ConfigOf(many, 0), Source{Loaded: many}); !errors.As(err, &full) {
		t.Error(err)
	}
	if d.Free() != size {
		t.Errorf("%d bytes are free of %d", d.Free(), size)
	}
}
