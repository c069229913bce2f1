//go:build cuda

package construct

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	"graph500/kronecker"
)

// checkRange compares all parts of a range with the rows of all vertices, in the order of the
// weights and then of the neighbours. It returns the numbers of rows and arcs.
func checkRange(t *testing.T, g *WeightedRange, want [][]Arc) (rows, arcs int64) {
	t.Helper()
	index, starts, heads, all := devicetest.Host(t, g.Index), devicetest.Host(t, g.Starts), devicetest.Host(t, g.Heads), devicetest.Host(t, g.Arcs)
	compare := func(a, b Arc) int { return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.To, b.To)) }
	for v := g.Labels.First; v < g.Labels.End; v++ {
		row := want[v]
		has, err := g.Has([]engine.Vertex{engine.Vertex(v)})
		if word := index[(v-g.Labels.First)/32]; err != nil || has[0] != (len(row) > 0) || has[0] != (word>>(v%32)&1 > 0) {
			t.Fatalf("vertex %d of degree %d: %v, word %x, %v", v, len(row), has, word, err)
		}
		if len(row) == 0 {
			continue
		}
		if starts[rows] != uint64(arcs) || starts[rows+1] != uint64(arcs)+uint64(len(row)) {
			t.Fatalf("vertex %d: its arcs are %d to %d, not %d from %d on", v, starts[rows], starts[rows+1], len(row), arcs)
		}
		got := slices.Clone(all[arcs:][:len(row)])
		head := Head{got[0], Arc{got[0].To, float32(math.Inf(1))}}
		if len(row) > 1 {
			head.Second = got[1]
		}
		if heads[rows] != head {
			t.Fatalf("vertex %d has the head %v, want %v", v, heads[rows], head)
		}
		if !slices.IsSortedFunc(got, func(a, b Arc) int { return cmp.Compare(a.Weight, b.Weight) }) {
			t.Fatalf("the row of vertex %d is not in the order of the weights: %v", v, got)
		}
		slices.SortFunc(got, compare)
		if slices.SortFunc(row, compare); !slices.Equal(got, row) {
			t.Fatalf("vertex %d has row %v, want %v", v, got, row)
		}
		rows, arcs = rows+1, arcs+int64(len(row))
	}
	if int64(len(heads)) != rows || int64(len(all)) != arcs || starts[rows] != uint64(arcs) {
		t.Fatalf("%d rows and %d arcs to %d, want %d and %d", len(heads), len(all), starts[rows], rows, arcs)
	}
	return rows, arcs
}

// checkWeightedRanges compares all parts of a graph with the tuples, and closes it.
func checkWeightedRanges(t *testing.T, vertices uint64, tuples engine.Tuples, graphs []*WeightedRange) {
	t.Helper()
	want := make([][]Arc, vertices)
	info := engine.Graph{Vertices: int64(vertices), Tuples: int64(len(tuples.Edges)), Regenerated: graphs[0].Info.Regenerated}
	for i, e := range tuples.Edges {
		if e.U == e.V {
			info.SelfLoops++
			continue
		}
		want[e.U] = append(want[e.U], Arc{e.V, tuples.Weights[i]})
		want[e.V] = append(want[e.V], Arc{e.U, tuples.Weights[i]})
	}
	for _, row := range want {
		info.MaxDegree = max(info.MaxDegree, int64(len(row)))
	}
	for k, g := range graphs {
		if g.Labels != Ranges(vertices, len(graphs))[k] || g.MeanWeight != graphs[0].MeanWeight {
			t.Fatalf("graph %d has the labels %v and the mean weight %v", k, g.Labels, g.MeanWeight)
		}
		rows, arcs := checkRange(t, g, want)
		info.Connected, info.Arcs = info.Connected+rows, info.Arcs+arcs
	}
	for k, g := range graphs {
		if g.Info != info {
			t.Errorf("facts of graph %d: %+v, want %+v", k, g.Info, info)
		}
	}
	closeBackward(t, graphs)
}

// Devices that cannot access each other's memory build the same graph, each from all tuples,
// loaded or generated again in each pass.
func TestWeightedDistributed(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(12, 3))
	check := func(vertices uint64, tuples engine.Tuples, views []*generate.Tuples, groups int) {
		t.Helper()
		devicetest.Dirty(t, d, 64*int(vertices)+1<<20)
		graphs, err := WeightedDistributed(t.Context(), device.NewTeamApart(t.Context(), cluster.Alone(), slices.Repeat([]*device.Device{d}, len(views))), vertices, views, groups)
		if err != nil {
			t.Fatal(err)
		}
		checkWeightedRanges(t, vertices, tuples, graphs)
	}
	for range devicetest.Sized(20, 5) {
		vertices := 1 + r.IntN(6000)
		tuples := engine.Tuples{Edges: devicetest.RandomTuples(r, vertices)}
		for range tuples.Edges {
			tuples.Weights = append(tuples.Weights, []float32{r.Float32(), 0, 0.5, 1e20}[r.IntN(4)])
		}
		view := generatetest.Load(t, d, generate.Config{}, tuples)
		check(uint64(vertices), tuples, slices.Repeat([]*generate.Tuples{view}, 1+r.IntN(4)), 1+r.IntN(9))
		devicetest.Close(t, view)
	}
	spec := devicetest.Official(11)
	tuples := engine.Tuples{Edges: devicetest.OfficialTuples(11), Weights: make([]float32, spec.Tuples())}
	kronecker.New(spec).Weights(tuples.Weights, 0)
	share := generatetest.Generate(t, d, spec, generate.Config{Count: spec.Tuples() / 2, Capacity: 5003, Weighted: true, Regenerated: true})
	view, err := share.All()
	if err != nil {
		t.Fatal(err)
	}
	check(spec.Vertices(), tuples, []*generate.Tuples{view, view}, 3)
	devicetest.Close(t, share)
}

// Each device checks all tuples, so that all find the same error.
func TestWeightedDistributedErrors(t *testing.T) {
	d := devicetest.Open(t)
	team := device.NewTeamApart(t.Context(), cluster.Alone(), []*device.Device{d, d})
	edges := slices.Repeat([]engine.Edge{{U: 1, V: 2}}, 9)
	view := generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: edges, Weights: []float32{1, 1, 1, 1, 1, 1, 1, -3, 1}})
	plain := generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: edges})
	free := d.Free()
	for _, c := range []struct {
		vertices uint64
		view     *generate.Tuples
		want     string
	}{{3, view, "tuple 7 has weight -3"}, {2, plain, "no weights"}} {
		if _, err := WeightedDistributed(t.Context(), team, c.vertices, []*generate.Tuples{c.view, c.view}, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if d.Free() != free {
		t.Errorf("%d bytes are free after %d", d.Free(), free)
	}
	devicetest.Close(t, view, plain)
}
