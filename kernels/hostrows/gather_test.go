//go:build cuda

package hostrows

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/parallel"
)

// listOf lists the rows of the degrees in a bitmap, whose neighbours are in their order.
func listOf(degrees []uint32, listed func(row int) bool) (list []Place, sectors uint32) {
	var offset uint32
	for row, degree := range degrees {
		n := (degree + 7) / 8
		if degree > 0 && listed(row) {
			list = append(list, Place{offset, sectors})
			offset += n
		}
		sectors += n
	}
	return append(list, Place{offset, engine.None}), sectors
}

// checkGather gathers a list in parts of size sectors and checks what is sent.
func checkGather(t *testing.T, g *gatherer, list []Place, tails []engine.Label, size uint64) {
	t.Helper()
	got := make([]engine.Label, 8*list[len(list)-1].Offset)
	parts := 0
	g.send = func(p gathered) error {
		parts++
		at := p.lo
		for c := range p.copied {
			from, first := g.slots[p.slot].buffer, c.first-p.lo
			if c.direct {
				from, first = tails, c.source
			}
			if c.first != at || c.count == 0 {
				t.Errorf("a copy of %d sectors from %d follows %d", c.count, c.first, at)
			}
			copy(got[8*at:8*(at+c.count)], from[8*first:])
			at += c.count
		}
		if at != p.hi {
			t.Errorf("the part %d to %d ends at %d", p.lo, p.hi, at)
		}
		for i := range g.slots[p.slot].buffer {
			g.slots[p.slot].buffer[i] = engine.None
		}
		return nil
	}
	if err := g.run(t.Context(), list, tails); err != nil {
		t.Fatal(err)
	}
	if want := (uint64(len(got))/8 + size - 1) / size; uint64(parts) != want {
		t.Errorf("%d parts, want %d", parts, want)
	}
	for i, row := range list[:len(list)-1] {
		n := 8 * (list[i+1].Offset - row.Offset)
		if !slices.Equal(got[8*row.Offset:][:n], tails[8*row.Sector:][:n]) {
			t.Fatalf("row %d, of %d sectors from sector %d on, is not what was gathered", i, n/8, row.Sector)
		}
	}
}

// gathererOf returns a gatherer with that many workers and its own buffers.
func gathererOf(t testing.TB, workers int, size uint64) *gatherer {
	team := parallel.NewTeam(workers)
	t.Cleanup(team.Close)
	buffers := make([][]engine.Label, gatherSlots)
	for i := range buffers {
		buffers[i] = make([]engine.Label, 8*size)
	}
	g := newGatherer(team, size, buffers)
	g.await = func(int) error { return nil }
	return g
}

// numbered returns tails of sectors that all differ.
func numbered(sectors uint32) []engine.Label {
	tails := make([]engine.Label, 8*sectors)
	for i := range tails {
		tails[i] = engine.Label(i)
	}
	return tails
}

// Rows are gathered whole, whatever their length and number, by one worker and by several.
func TestGather(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	for _, longest := range []int{1, 40, 3000, 50_000} {
		degrees := make([]uint32, 1+100_000/longest)
		for i := range degrees {
			degrees[i] = uint32(r.IntN(longest + 1))
		}
		degrees[0] = uint32(longest)
		for _, share := range []float64{0.1, 0.9, 1} {
			list, sectors := listOf(degrees, func(row int) bool { return row == 0 || r.Float64() < share })
			tails := numbered(sectors)
			for _, size := range []uint64{4, 100, 5000, MostGathered / 8} {
				if uint64(sectors)/size > 1<<12 {
					continue
				}
				for _, workers := range []int{1, 3} {
					g := gathererOf(t, workers, size)
					g.few = uint64(workers-1) * fewSectors / 2
					checkGather(t, g, list, tails, size)
					checkGather(t, g, list, tails, size) // once more
				}
			}
		}
	}
}

// Pieces of a long row, or of rows side by side, are copied from where they are.
func TestLongRuns(t *testing.T) {
	const long = longRun
	for _, c := range []struct {
		name    string
		degrees []uint32
		without uint32 // rows of that degree are not listed
		runs    uint64 // sectors of the long runs
	}{
		{"long rows", []uint32{100, 8*long - 1, 8*long - 8, 16 * long, 9}, 8*long - 8, 13 + long + 2*long + 2},
		{"short rows", slices.Concat(slices.Repeat([]uint32{9}, 10), []uint32{8}, slices.Repeat([]uint32{13}, long)), 8, 2 * long},
		{"short runs", slices.Repeat([]uint32{8*long - 8, 1}, 4), 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, sectors := listOf(c.degrees, func(row int) bool { return c.degrees[row] != c.without })
			g := gathererOf(t, 2, MostGathered/8)
			checkGather(t, g, list, numbered(sectors), MostGathered/8)
			var direct uint64
			for _, piece := range g.slots[0].direct {
				direct += piece.count
			}
			if direct+4*gatherPiece < c.runs || direct > c.runs {
				t.Errorf("%d sectors are not gathered, of %d in long runs", direct, c.runs)
			}
		})
	}
}

// A gatherer ends with the first error, wherever it comes from, and can be used again.
func TestGatherEnds(t *testing.T) {
	list, sectors := listOf(slices.Repeat([]uint32{100}, 1000), func(int) bool { return true })
	tails := numbered(sectors)
	broken := errors.New("broken")
	for _, workers := range []int{1, 3} {
		g := gathererOf(t, workers, 100)
		g.few = 0
		g.send = func(p gathered) error {
			if p.lo >= 500 {
				return broken
			}
			return nil
		}
		if err := g.run(t.Context(), list, tails); !errors.Is(err, broken) {
			t.Errorf("%d workers: %v", workers, err)
		}
		var awaited atomic.Int32
		g.await = func(int) error {
			if awaited.Add(1) > 6 {
				return broken
			}
			return nil
		}
		g.send = func(gathered) error { return nil }
		if err := g.run(t.Context(), list, tails); !errors.Is(err, broken) {
			t.Errorf("%d workers, waiting: %v", workers, err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		g.await = func(slot int) error {
			if slot == 3 {
				cancel(errStopped)
			}
			return nil
		}
		if err := g.run(ctx, list, tails); !errors.Is(err, errStopped) {
			t.Errorf("%d workers, stopped: %v", workers, err)
		}
		g.await = func(int) error { return nil }
		checkGather(t, g, list, tails, 100)
	}
}

// BenchmarkGather gathers lists of an official graph: the two frontiers with most neighbours,
// of few long rows and of many short ones, and the first sectors of the rows that are not
// visited before the second.
func BenchmarkGather(b *testing.B) {
	const scale = 21
	degrees, depth := searched(scale)
	long, sectors := listOf(degrees, func(row int) bool { return depth[row] == 2 })
	short, _ := listOf(degrees, func(row int) bool { return depth[row] == 3 })
	heads, _ := listOf(degrees, func(row int) bool { return depth[row] < 0 || depth[row] > 2 })
	for i := range heads {
		heads[i].Offset = uint32(i)
	}
	tails := numbered(sectors)
	for _, c := range []struct {
		name string
		list []Place
	}{{"long", long}, {"short", short}, {"heads", heads}} {
		g := gathererOf(b, 0, MostGathered/8)
		g.send = func(gathered) error { return nil }
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(32 * int64(c.list[len(c.list)-1].Offset))
			for b.Loop() {
				if err := g.run(b.Context(), c.list, tails); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(c.list)-1), "rows")
		})
	}
}

// searched returns the degrees and depths of the vertices of an official graph. The root has
// few neighbours.
func searched(scale int) (degrees []uint32, depth []int32) {
	tuples := devicetest.OfficialTuples(scale)
	degrees, depth = make([]uint32, 1<<scale), slices.Repeat([]int32{-1}, 1<<scale)
	for _, e := range tuples {
		degrees[e.U]++
		degrees[e.V]++
	}
	depth[slices.IndexFunc(degrees, func(n uint32) bool { return 16 <= n && n < 32 })] = 0
	for level, found := int32(0), true; found; level++ {
		found = false
		for _, e := range tuples {
			for _, a := range [2][2]engine.Label{{e.U, e.V}, {e.V, e.U}} {
				if depth[a[0]] == level && depth[a[1]] < 0 {
					depth[a[1]] = level + 1
					found = true
				}
			}
		}
	}
	return degrees, depth
}
