//go:build cuda

package validate

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	rules "graph500/validate"
)

// wideTuples copies tuples with labels of 48 bits to the device.
func wideTuples(t *testing.T, d *device.Device, tuples engine.Tuples) *generate.Tuples {
	t.Helper()
	return generatetest.Load(t, d, generate.Config{Wide: true}, tuples)
}

// width tells whether the labels in shares of the tuples have 48 bits.
type width struct{ wide bool }

// load copies a share to the device.
func (w width) load(t *testing.T, d *device.Device, tuples engine.Tuples, first uint64) *generate.Tuples {
	t.Helper()
	return generatetest.Load(t, d, generate.Config{First: first, Wide: w.wide}, tuples)
}

// sameText reports whether two errors have the same text.
func sameText(a, b error) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error())
}

// TestWideTuples checks right and wrong trees, of all forms of the table, with labels of 48
// bits and compares the verdicts with those of the host.
func TestWideTuples(t *testing.T) {
	d := devicetest.Open(t)
	if err := LoadWide(d); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(41, 42))
	graphs := append(nastyGraphs(), starGraph(50), pathGraph(300), pathGraph(40), officialGraph(9), testGraph{500, devicetest.RandomTuples(r, 500)})
	for _, g := range graphs {
		withBench(t, d, g, func(b *bench) {
			wide := wideTuples(t, d, engine.Tuples{Edges: g.tuples})
			root := engine.Local(r.IntN(g.n))
			parents, _ := g.search(root)
			for i := range 12 {
				changed := slices.Clone(parents)
				if at := r.IntN(g.n); i > 0 {
					changed[at] = []engine.Local{engine.Local(r.IntN(g.n)), engine.None, engine.Beyond}[i%3]
				}
				if err := b.live.Write(0, changed); err != nil {
					t.Fatal(err)
				}
				want, wantErr := b.check(t.Context(), changed, root)
				if got, err := b.whole(t.Context(), root, wide); got != want || !sameText(err, wantErr) {
					t.Errorf("%d vertices: %+v, %v; want %+v, %v", g.n, got, err, want, wantErr)
				}
				want, wantErr = b.count(t.Context(), changed)
				if got, err := b.counted(t.Context(), wide); got != want || !sameText(err, wantErr) {
					t.Errorf("%d vertices: counted %+v, %v; want %+v, %v", g.n, got, err, want, wantErr)
				}
			}
			devicetest.Close(t, wide)
		})
	}
}

// TestWideTuplesOfPaths does the same for SSSP, with batches of all widths.
func TestWideTuplesOfPaths(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(43, 44))
	for range devicetest.Sized(20, 4) {
		g := randomWeighted(r)
		right := g.shortest(engine.Local(r.IntN(g.n)))
		withPaths(t, d, g, func(b *pathBench) {
			wide := wideTuples(t, d, g.Tuples)
			for _, searches := range []int{1, 2, 3, 8} {
				k := b.newPaths(t, d, searches)
				for range 4 {
					var batch []rules.Search
					for range searches {
						s := rules.Search{Root: right.Root, Parents: slices.Clone(right.Parents), Distances: slices.Clone(right.Distances)}
						if r.IntN(3) == 0 {
							s.Distances[r.IntN(g.n)] += 0.25
						}
						batch = append(batch, s)
					}
					_ = b.judge(t, k, wide, batch)
				}
				devicetest.Close(t, k)
			}
			devicetest.Close(t, wide)
		})
	}
}

// TestWideLabelsOutOfRange: a label whose low 32 bits are those of a vertex, in the last one
// of an odd number of tuples, too.
func TestWideLabelsOutOfRange(t *testing.T) {
	d := devicetest.Open(t)
	g := testGraph{n: 4, tuples: []engine.Edge{joined(0, 1), joined(1, 2), joined(2, 3)}}
	parents, _ := g.search(0)
	withBench(t, d, g, func(b *bench) {
		for _, high := range []uint32{1, 1 << 15, 1 << 16, 1 << 31} {
			for at, e := range g.tuples {
				wide := wideTuples(t, d, engine.Tuples{Edges: g.tuples})
				if err := errors.Join(b.live.Write(0, parents), wide.Each(t.Context(), func(part generate.Part) error {
					return device.As[engine.Edge48](part.Edges).Write(at, []engine.Edge48{{ULow: e.U, VLow: e.V, High: high}})
				})); err != nil {
					t.Fatal(err)
				}
				_, err := b.whole(t.Context(), 0, wide)
				_, countErr := b.counted(t.Context(), wide)
				for _, err := range []error{err, countErr} {
					if err == nil || !strings.HasPrefix(err.Error(), "validate: tuple "+string(rune('0'+at))+" joins ") {
						t.Errorf("high bits %#x of tuple %d: %v", high, at, err)
					}
				}
				devicetest.Close(t, wide)
			}
		}
	})
}
