package graph

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/memory"
)

// TestSortWindow compares windows of arcs with a plain sort, for labels of one to three digits:
// random arcs, repeated ones, a star, and none.
func TestSortWindow(t *testing.T) {
	const shift, window = 7, 3
	r := rand.New(rand.NewPCG(5, 6))
	u := new(windowBuffers)
	defer func() {
		if err := memory.Free(u.pairs); err != nil {
			t.Error(err)
		}
	}()
	for _, vertices := range []uint64{1 << 10, 1 << 12, 1<<12 + 1, 1 << 22, 1 << 24, 1<<24 + 1, uint64(engine.None) - 1} {
		neighbor := func() uint64 { return r.Uint64N(vertices) }
		source := func() uint64 { return window<<shift + r.Uint64N(1<<shift) }
		for name, arc := range map[string]func() (from, to uint64){
			"random":   func() (from, to uint64) { return source(), neighbor() },
			"repeated": func() (from, to uint64) { return source(), vertices - 1 - r.Uint64N(3) },
			"star":     func() (from, to uint64) { return window<<shift + 5, neighbor() },
		} {
			for _, n := range []int{0, 1, 5000} {
				t.Run(fmt.Sprintf("%s/labels=%d/arcs=%d", name, bits.Len64(vertices-1), n), func(t *testing.T) {
					arcs := make([]uint64, n)
					for i := range arcs {
						from, to := arc()
						arcs[i] = from<<32 | to
					}
					checkWindow(t, u, arcs, shift, window, vertices)
				})
			}
		}
	}
}

func checkWindow(t *testing.T, u *windowBuffers, arcs []uint64, shift uint, window, vertices uint64) {
	t.Helper()
	want := slices.Clone(arcs)
	slices.Sort(want)
	want = slices.Compact(want)
	degree := make([]uint32, 1<<shift)
	for _, x := range want {
		degree[x>>32-window<<shift]++
	}
	for i := range u.pairs { // nothing may be left of an earlier window
		u.pairs[i] = ^uint64(0)
	}
	b := &builder{scatter: scatter{of: WholeGraph(vertices), shift: shift}, g: &CSR{}, degree: make([]uint32, 8<<shift)}
	b.g.Present = make([]uint64, 8<<shift/64)
	kept, err := b.sortWindow(u, arcs, window<<shift)
	if err != nil || kept != uint64(len(want)) {
		t.Fatalf("%d arcs, want %d (%v)", kept, len(want), err)
	}
	for i, v := range words32(arcs)[:kept] {
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
