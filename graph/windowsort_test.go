package graph

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// TestSortWindow compares windows of arcs with a plain sort, for labels of several lengths: random arcs,
// repeated ones, a star, two stars of labels whose highest bits are equal, and none.
func TestSortWindow(t *testing.T) {
	const window = 3
	r := rand.New(rand.NewPCG(5, 6))
	u := new(windowBuffers)
	defer func() {
		if err := memory.Free(u.words); err != nil {
			t.Error(err)
		}
	}()
	for _, c := range []struct {
		vertices uint64
		shift    uint // of windows
	}{{1 << 10, 7}, {1 << 12, 7}, {1<<12 + 1, 7}, {1 << 22, 7}, {1 << 24, 7}, {1<<24 + 1, 7}, {uint64(engine.None) - 1, 7}, {uint64(engine.None) - 1, 16}} {
		vertices, shift := c.vertices, c.shift
		neighbor := func() uint64 { return r.Uint64N(vertices) }
		source := func() uint64 { return window<<shift + r.Uint64N(1<<shift) }
		for name, arc := range map[string]func() (from, to uint64){
			"random":   func() (from, to uint64) { return source(), neighbor() },
			"repeated": func() (from, to uint64) { return source(), vertices - 1 - r.Uint64N(3) },
			"star":     func() (from, to uint64) { return window<<shift + 5, neighbor() },
			"near":     func() (from, to uint64) { return window<<shift + 5 + r.Uint64N(2), vertices - 1 - r.Uint64N(1000) },
		} {
			for _, n := range []int{0, 1, 5000} {
				labelBits := uint(bits.Len64(vertices - 1))
				t.Run(fmt.Sprintf("%s/labels=%d/window=%d/arcs=%d", name, labelBits, shift, n), func(t *testing.T) {
					arcs := make([]uint64, n) // source and neighbour
					for i := range arcs {
						from, to := arc()
						arcs[i] = from<<32 | to
					}
					checkWindow[uint64](t, u, arcs, arcForm{2, labelBits}, shift, window, vertices)
					if labelBits+shift <= 32 {
						checkWindow[uint32](t, u, arcs, arcForm{1, labelBits}, shift, window, vertices)
					}
				})
			}
		}
	}
}

// TestFinishRow sorts a row that is far from sorted and has every label twice, in place behind another row.
// Inserting one after the other would take minutes.
func TestFinishRow(t *testing.T) {
	const n, before = 1 << 21, 3
	words := make([]uint32, before+2*n)
	for i := range n {
		words[before+i], words[before+n+i] = uint32(i), uint32(i)
	}
	if kept := finishRow(words[before:], words); kept != n {
		t.Fatalf("%d labels, want %d", kept, n)
	}
	for i, v := range words[:n] {
		if v != uint32(i) {
			t.Fatalf("label %d is %d", i, v)
		}
	}
}

// TestMoveForward moves blocks of random lengths together, over gaps from none to several times their
// length.
func TestMoveForward(t *testing.T) {
	team := parallel.NewTeam(3)
	defer team.Close()
	r := rand.New(rand.NewPCG(10, 11))
	for i := range 300 {
		blocks := make([]blockMove, r.IntN(30))
		var words, want []uint32
		for b := range blocks {
			for range r.IntN(1 + i%4*10) {
				words = append(words, ^uint32(0))
			}
			n := r.IntN(20)
			blocks[b] = blockMove{uint64(len(words)), uint64(len(want)), uint64(n)}
			for range n {
				want = append(want, uint32(len(want)))
			}
			words = append(words, want[len(want)-n:]...)
		}
		if err := moveForward(t.Context(), team, words, blocks); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(words[:len(want)], want) {
			t.Fatalf("blocks %v: %d", blocks, words)
		}
	}
}

func checkWindow[A packedArc](t *testing.T, u *windowBuffers, arcs []uint64, form arcForm, shift uint, window, vertices uint64) {
	t.Helper()
	want := slices.Clone(arcs)
	slices.Sort(want)
	want = slices.Compact(want)
	degree := make([]uint32, 1<<shift)
	for _, x := range want {
		degree[x>>32-window<<shift]++
	}
	packed := make([]A, len(arcs))
	for i, x := range arcs {
		packed[i] = A(x>>32-window<<shift)<<form.sourceBit() | A(uint32(x))
	}
	for i := range u.words { // nothing may be left of an earlier window
		u.words[i] = ^uint32(0)
	}
	b := &builder{scatter: scatter{of: WholeGraph(vertices), shift: shift}, packing: form, g: &CSR{}, degree: make([]uint32, 8<<shift)}
	b.g.Present = make([]uint64, 8<<shift/64)
	kept, err := sortWindow(b, u, packed, window<<shift)
	if err != nil || kept != uint64(len(want)) {
		t.Fatalf("%d arcs, want %d (%v)", kept, len(want), err)
	}
	for i, v := range asWords(packed)[:kept] {
		if v != uint32(want[i]) {
			t.Fatalf("arc %d leads to %d, want %d", i, v, uint32(want[i]))
		}
	}
	for i, d := range b.degree {
		inside := i>>shift == int(window)
		if has := b.g.Present[i>>6]>>(i&63)&1 != 0; has != (d > 0) || !inside && d > 0 || inside && d != degree[i-int(window)<<shift] {
			t.Fatalf("vertex %d has degree %d, bit %v", i, d, has)
		}
	}
}

// TestArcFormOf checks that arcs of every graph fit into their form, with windows of 64 labels or more.
func TestArcFormOf(t *testing.T) {
	for _, c := range []struct {
		vertices, arcs uint64
		words, windows int
	}{
		{0, 0, 1, 0}, {1, 2, 1, 1}, {2, 1 << 40, 1, 1}, {1 << 20, 1 << 25, 1, 1 << 10},
		{1 << 22, 1 << 27, 1, 1 << 12}, {1 << 23, 1 << 28, 1, 1 << 14}, {1 << 24, 1 << 29, 2, 1 << 13}, {1<<24 + 1, 1 << 29, 2, 1<<12 + 1}, {1 << 24, 1 << 20, 2, 1 << 5},
		{1 << 26, 1 << 31, 2, 1 << 13}, {1<<32 - 2, 6, 2, 1 << 16},
	} {
		f := arcFormOf(WholeGraph(c.vertices), c.arcs)
		shift, windows := f.windowsOf(c.vertices, c.arcs)
		if f.words != c.words || windows != c.windows || shift < 6 || f.words == 1 && shift+f.labelBits > 32 || uint64(windows)<<shift < c.vertices {
			t.Errorf("%d vertices, %d arcs: %+v, %d windows of 2^%d labels", c.vertices, c.arcs, f, windows, shift)
		}
	}
}

// The plan of a part holds for fewer arcs than planned, which can get arcs of the other form.
func TestPlanOfPartCoversFewerArcs(t *testing.T) {
	of := Share{Vertices: 1 << 25, Owned: 1 << 21, Shares: 16}
	const arcs = 1 << 26
	var planned uint64
	for _, a := range Plan(of, of.Owned, arcs, 2) {
		planned += a.Bytes
	}
	for _, fewer := range []uint64{arcs, arcs - 1, arcs - arcs/500} {
		b := newBuilder(t.Context(), nil, of, engine.Tuples{})
		b.use(arcFormOf(of, fewer))
		neighbors, sorting := b.form.plan(of.Owned, fewer, 2, b.windowsOf)
		if needed := neighbors + sorting; needed > planned {
			t.Errorf("%d arcs need %d bytes, %d are planned", fewer, needed, planned)
		}
	}
}
