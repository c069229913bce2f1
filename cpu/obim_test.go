package cpu

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/graph"
	"graph500/vector"
)

// obimOf returns the strategy.
func obimOf(t *testing.T) engine.Strategy {
	t.Helper()
	s, ok := lookUp(engine.Strategy{Kernel: engine.SSSP, Name: "obim"})
	if !ok {
		t.Fatal("no strategy obim")
	}
	return s.Strategy
}

// TestOBIMWork checks that buckets save work, with one worker, whose order is always
// the same, and that several workers share the work.
func TestOBIMWork(t *testing.T) {
	var steals int64
	scales := []int{8, 12, 14}
	if testing.Short() {
		scales = []int{12}
	}
	for _, scale := range scales {
		for _, threads := range []int{1, 2, 7} {
			t.Run(fmt.Sprint(scale, " ", threads), func(t *testing.T) {
				all := officialWeighted(t, scale, obimOf(t))
				defer all.Close()
				s := loadWeighted(t, threads, obimOf(t), all.vertices, all.tuples)
				defer s.Close()
				s.method.(*obim).delta = 0.01
				connected := s.engine.weightedGraph.Info.Connected
				for i, e := range s.tuples.Edges[:200] {
					if i >= 3 && (threads == 1 || steals > 0) { // on busy processors few searches steal
						break
					}
					s.check(t, e.U)
					for _, n := range s.method.(*obim).bags.Counts().Steals {
						steals += n
					}
					p, err := s.Profile()
					if err != nil {
						t.Fatal(err)
					}
					l := p.Levels[0]
					if p.LevelCount != 1 || l.Found < l.Frontier-1 || l.Examined < l.Frontier || l.Examined != p.Examined {
						t.Errorf("%+v", p)
					}
					if threads == 1 && 5*l.Frontier > 6*connected {
						t.Errorf("%d vertices expanded, the graph has %d", l.Frontier, connected)
					}
				}
			})
		}
	}
	if t.Logf("%d steals", steals); steals == 0 {
		t.Error("no chunk was stolen: the test shows little of several workers")
	}
}

// TestImproving compares the vector forms with the plain one, for rows of all lengths.
func TestImproving(t *testing.T) {
	forms := vector.Forms()[1:]
	if len(forms) == 0 {
		t.Skip("this processor lacks AVX2")
	}
	r := rand.New(rand.NewPCG(1, 2))
	paths := make(tentative, 1000)
	for v := range paths {
		length := math.Float32bits(r.Float32())
		if r.IntN(4) == 0 {
			length = farthest
		}
		paths[v] = uint64(length)<<lengthShift | uint64(r.IntN(2))*listed | uint64(r.Uint32())
	}
	for n := 1; n <= improvingMost; n++ {
		row := make([]graph.Arc, n)
		for i := range row {
			row[i] = graph.Arc{To: engine.Label(r.IntN(len(paths))), Weight: r.Float32() * float32(r.IntN(2))}
		}
		length := math.Float32bits(r.Float32() * float32(r.IntN(2)))
		var got, want improvingList
		m := improvingGo(row, 0, paths, length, &want, 0)
		for _, form := range forms {
			s := obim{paths: paths, form: form, lanes: newLaneTables()}
			if k := s.improving(row, length, &got); !slices.Equal(got[:k], want[:m]) {
				t.Fatalf("%v, %d arcs: %v, want %v", form, n, got[:k], want[:m])
			}
		}
	}
}

func TestRankRows(t *testing.T) {
	s := officialWeighted(t, 8, obimOf(t))
	defer s.Close()
	g, r := s.engine.weightedGraph, &s.method.(*obim).rows
	for i, v := range r.labels {
		row := g.ArcsOf(v)
		if r.numbers[v] != engine.Label(i) || i > 0 && len(row) > len(g.ArcsOf(r.labels[i-1])) {
			t.Fatalf("vertex %d of degree %d has the number %d, in place %d", v, len(row), r.numbers[v], i)
		}
		if isLeaf := engine.Label(i) >= r.leaves(); isLeaf != (len(row) == 1) {
			t.Fatalf("number %d of %d arcs: leaf %v", i, len(row), isLeaf)
		}
		want := make([]graph.Arc, len(row))
		for k, arc := range row {
			want[k] = graph.Arc{To: r.numbers[arc.To], Weight: arc.Weight}
		}
		byNumber := func(a, b graph.Arc) int { return cmp.Compare(b.To, a.To) }
		byAll := func(a, b graph.Arc) int { return cmp.Or(byNumber(a, b), cmp.Compare(a.Weight, b.Weight)) }
		got := slices.Clone(r.row(engine.Label(i)))
		if !slices.IsSortedFunc(got, byNumber) {
			t.Fatalf("row of vertex %d: %v", v, got)
		}
		slices.SortFunc(got, byAll)
		slices.SortFunc(want, byAll)
		if !slices.Equal(got, want) {
			t.Fatalf("row of vertex %d: %v, want %v", v, got, want)
		}
	}
	if len(r.labels) != int(g.Info.Connected) || len(r.arcs) != len(g.Arcs) {
		t.Errorf("%d rows with %d arcs", len(r.labels), len(r.arcs))
	}
}
