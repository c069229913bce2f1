package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
	"graph500/vector"
)

// TestArcLines compares the scatter of several workers with a plain one, for all windows and for a
// group of them, with lines that begin and end anywhere, self loops and repeated arcs.
func TestArcLines(t *testing.T) {
	const vertices, shift, windows, workers = 1 << 10, 6, 1 << 4, 3
	r := rand.New(rand.NewPCG(8, 9))
	of, _ := asShare(vertices, nil)
	for name, share := range map[string]Share{"tuples": WholeGraph(vertices), "arcs": of} {
		for _, form := range vector.Forms() {
			for _, group := range [][2]int{{0, windows}, {3, 9}, {15, 16}} {
				for _, n := range []int{0, 1, 100, 3*blockTuples + 7} {
					t.Run(fmt.Sprint(name, form, group, n), func(t *testing.T) {
						tuples := make([]engine.Edge, n)
						for i := range tuples { // many of them from few sources
							tuples[i] = engine.Edge{U: engine.Label(r.IntN(vertices) >> r.IntN(10)), V: engine.Label(r.IntN(vertices))}
						}
						scatter := scatter{of: share, shift: shift, windows: windows}
						checkLines[uint32](t, &builder{scatter: scatter, packing: arcForm{1, 10}}, workers, group, form, tuples)
						checkLines[uint64](t, &builder{scatter: scatter, packing: arcForm{2, 10}}, workers, group, form, tuples)
					})
				}
			}
		}
	}
}

// TestWideArcLines scatters arcs with labels of 32 bits to windows of almost as many labels.
func TestWideArcLines(t *testing.T) {
	const shift, windows, workers = 28, 1 << 4, 2
	r := rand.New(rand.NewPCG(8, 10))
	tuples := make([]engine.Edge, 3*blockTuples+7)
	for i := range tuples {
		tuples[i] = engine.Edge{U: engine.Label(r.Uint32()) &^ 1, V: engine.Label(r.Uint32()) &^ 1} // none of them is engine.None
	}
	scatter := scatter{of: WholeGraph(uint64(engine.None)), shift: shift, windows: windows}
	for _, form := range vector.Forms() {
		checkLines[uint64](t, &builder{scatter: scatter, packing: arcForm{2, 32}}, workers, [2]int{5, windows}, form, tuples)
	}
}

func checkLines[A packedArc](t *testing.T, b *builder, workers int, group [2]int, form vector.Form, tuples []engine.Edge) {
	t.Helper()
	want := make([][]A, b.windows) // by window: its arcs, in the order of the workers
	parts := make([][]engine.Edge, workers)
	for worker := range workers {
		lo, hi := parallel.Split(len(tuples), workers, worker)
		parts[worker] = tuples[lo:hi]
		count := make([]uint64, b.windows+1)
		add := func(u, v engine.Label) {
			count[u>>b.shift]++
			want[u>>b.shift] = append(want[u>>b.shift], A(u%(1<<b.shift))<<b.packing.sourceBit()|A(v))
		}
		for _, e := range parts[worker] {
			if b.of.isPart() || e.U != e.V {
				add(e.U, e.V)
			}
			if !b.of.isPart() && e.U != e.V {
				add(e.V, e.U)
			}
		}
		b.count = append(b.count, count)
	}
	start := b.cursors(group[0], group[1])
	got, err := memory.Alloc[A](wholeLines(start[len(start)-1])) // aligned, as the arena
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = memory.Free(got) }()
	got = got[:start[len(start)-1]]
	for i := range got {
		got[i] = ^A(0)
	}
	for worker, edges := range parts {
		l := linesOf(b, worker, group[0], group[1], got, make([]A, (group[1]-group[0])*int(lineArcs[A]())))
		l.form = form
		l.add(edges)
		l.flush()
	}
	for w, at := range start[:len(start)-1] { // the order of the arcs of a window is free
		slices.Sort(got[at:start[w+1]])
		slices.Sort(want[group[0]+w])
	}
	if d := slices.Concat(want[group[0]:group[1]]...); !slices.Equal(got, d) {
		t.Fatalf("%d arcs %x, want %d: %x", len(got), got, len(d), d)
	}
}
