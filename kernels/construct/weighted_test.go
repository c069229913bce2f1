//go:build cuda

package construct

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	"graph500/kronecker"
)

// weightedRows is a weighted graph in host memory.
type weightedRows struct {
	info   engine.Graph
	index  []uint64
	rows   []WeightedRow
	labels []engine.Local
	arcs   []Arc
	heads  []Head
	headed [][2]engine.Local
	thirds []Third
	order  []engine.Local
}

// constructWeighted builds the weighted graph of the tuples and reads it back. It closes
// neither.
func constructWeighted(t *testing.T, d *device.Device, vertices uint64, tuples *generate.Tuples, groups int) *weightedRows {
	t.Helper()
	g, err := Weighted(t.Context(), d, vertices, tuples, groups)
	if err != nil {
		t.Fatal(err)
	}
	w := readWeighted(t, g, vertices)
	devicetest.Close(t, g)
	return w
}

// readWeighted copies a graph of that many vertices to the host.
func readWeighted(t *testing.T, g *WeightedGraph, vertices uint64) *weightedRows {
	t.Helper()
	w := &weightedRows{
		g.Info, make([]uint64, g.Index.Len()), make([]WeightedRow, g.Rows.Len()), make([]engine.Local, g.Labels.Len()),
		make([]Arc, g.Arcs.Len()), make([]Head, g.Heads.Len()), make([][2]engine.Local, g.HeadLabels.Len()),
		make([]Third, g.Thirds.Len()), make([]engine.Local, g.Order.Len()),
	}
	if err := errors.Join(g.Index.Read(0, w.index), g.Rows.Read(0, w.rows), g.Labels.Read(0, w.labels), g.Arcs.Read(0, w.arcs),
		g.Heads.Read(0, w.heads), g.HeadLabels.Read(0, w.headed), g.Thirds.Read(0, w.thirds), g.Order.Read(0, w.order)); err != nil {
		t.Fatal(err)
	}
	asked := make([]engine.Vertex, vertices)
	for v := range asked {
		asked[v] = engine.Vertex(v)
	}
	has, err := g.Has(asked)
	if err != nil {
		t.Fatal(err)
	}
	for v, yes := range has {
		if yes != (w.index[v/32]>>(v%32)&1 != 0) {
			t.Fatalf("Has of vertex %d is %v", v, yes)
		}
	}
	return w
}

// check compares all parts of the graph with the tuples.
func (w *weightedRows) check(t *testing.T, vertices uint64, tuples engine.Tuples) {
	t.Helper()
	want := make([][]Arc, vertices)
	info := engine.Graph{Vertices: int64(vertices), Tuples: int64(len(tuples.Edges)), Regenerated: w.info.Regenerated}
	for i, e := range tuples.Edges {
		if e.U == e.V {
			info.SelfLoops++
			continue
		}
		want[e.U] = append(want[e.U], Arc{e.V, tuples.Weights[i]})
		want[e.V] = append(want[e.V], Arc{e.U, tuples.Weights[i]})
	}
	start := uint64(0)
	for v, row := range want {
		if present := w.index[v/32]>>(v%32)&1 != 0; present != (len(row) > 0) {
			t.Fatalf("vertex %d of degree %d: its bit of the index is %v", v, len(row), present)
		}
		if len(row) == 0 {
			continue
		}
		got := slices.Clone(w.arcs[start : start+uint64(len(row))])
		number := w.thirds[info.Connected].Row
		r := w.rows[number]
		if r.Start.Offset() != start || int(r.Degree) != len(row) || int64(r.Place) != info.Connected {
			t.Fatalf("vertex %d has row %+v, want %d arcs from %d on", v, r, len(row), start)
		}
		if !slices.IsSortedFunc(got, func(a, b Arc) int { return cmp.Compare(a.Weight, b.Weight) }) {
			t.Fatalf("the row of vertex %d is not in the order of the weights: %v", v, got)
		}
		if int(w.labels[number]) != v || int(w.order[info.Connected]) != v {
			t.Fatalf("vertex %d: its row has the label %d, its place %d", v, w.labels[number], w.order[info.Connected])
		}
		w.checkHead(t, int(info.Connected), r, got)
		for i := range got {
			got[i].To = w.labels[got[i].To]
		}
		compare := func(a, b Arc) int { return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.To, b.To)) }
		got = slices.SortedFunc(slices.Values(got), compare)
		if slices.SortFunc(row, compare); !slices.Equal(got, row) {
			t.Fatalf("vertex %d has row %v, want %v", v, got, row)
		}
		info.Connected++
		info.Arcs += int64(len(row))
		info.MaxDegree = max(info.MaxDegree, int64(len(row)))
		start += uint64(len(row))
	}
	for i := 1; i < len(w.rows); i++ {
		last, next := rankOf(i-1, len(w.rows)), rankOf(i, len(w.rows))
		if w.rows[next].Degree > w.rows[last].Degree {
			t.Fatalf("row %d is %+v, but row %d is %+v", next, w.rows[next], last, w.rows[last])
		}
	}
	if w.info != info {
		t.Fatalf("facts %+v, want %+v", w.info, info)
	}
}

// rankOf returns the number of the row with the i-th largest degree of that many rows: the
// first rows, a quarter of all or 2^14, are dealt out in turn.
func rankOf(i, rows int) int {
	if columns := min(rows/64, 1024); i < 16*columns {
		return i%columns*16 + i/columns
	}
	return i
}

// checkHead compares entry number i of the heads, and the row r, with the arcs.
func (w *weightedRows) checkHead(t *testing.T, i int, r WeightedRow, arcs []Arc) {
	t.Helper()
	infinite := float32(math.Inf(1))
	want, third := Head{arcs[0], Arc{arcs[0].To, infinite}}, infinite
	if len(arcs) > 1 {
		want.Second = arcs[1]
	}
	if len(arcs) > 2 {
		third = arcs[2].Weight
	}
	if w.heads[i] != want || r.Head != want || w.thirds[i].Weight != third {
		t.Fatalf("entry %d has head %+v, row %+v and third weight %v, want %+v and %v", i, w.heads[i], r, w.thirds[i].Weight, want, third)
	}
	if labels := [2]engine.Local{w.labels[want.First.To], w.labels[want.Second.To]}; w.headed[i] != labels {
		t.Fatalf("entry %d leads to the labels %v, want %v", i, w.headed[i], labels)
	}
	if got := uint64(r.Start) >> 40; got != uint64(math.Float32bits(third)>>7) {
		t.Fatalf("row %+v has the upper bits %#x of the third weight, want those of %v", r, got, third)
	}
}

// loaded copies tuples to the device.
func loaded(t *testing.T, d *device.Device, tuples engine.Tuples) *generate.Tuples {
	t.Helper()
	return generatetest.Load(t, d, generate.Config{}, tuples)
}

// weightedCase is a small graph.
type weightedCase struct {
	vertices uint64
	edges    []engine.Edge
}

// smallWeighted returns small graphs by name.
func smallWeighted() map[string]weightedCase {
	star, path := make([]engine.Edge, 3000), make([]engine.Edge, 3000)
	for i := range star {
		star[i] = engine.Edge{U: 7, V: engine.Local(i)}
		path[i] = engine.Edge{U: engine.Local(i), V: engine.Local(i + 1)}
	}
	return map[string]weightedCase{
		"one vertex":     {1, []engine.Edge{{U: 0, V: 0}}},
		"loops only":     {5, []engine.Edge{{U: 1, V: 1}, {U: 4, V: 4}}},
		"one edge":       {2, []engine.Edge{{U: 1, V: 0}}},
		"one edge often": {70, []engine.Edge{{U: 69, V: 0}, {U: 0, V: 69}, {U: 69, V: 0}, {U: 69, V: 69}}},
		"two components": {5000, []engine.Edge{{U: 1, V: 2}, {U: 2, V: 3}, {U: 4998, V: 4999}}},
		"star":           {3001, star},
		"path":           {3001, path},
	}
}

// weigh returns tuples of the edges, whose weights are often equal.
func weigh(r *rand.Rand, edges []engine.Edge) engine.Tuples {
	tuples := engine.Tuples{Edges: edges, Weights: make([]float32, len(edges))}
	for i := range tuples.Weights {
		tuples.Weights[i] = []float32{0, 1, r.Float32(), r.Float32() * math.MaxFloat32}[r.IntN(4)]
	}
	return tuples
}

func TestWeightedSmallGraphs(t *testing.T) {
	d := devicetest.Open(t)
	for name, c := range smallWeighted() {
		t.Run(name, func(t *testing.T) {
			tuples := weigh(rand.New(rand.NewPCG(1, 2)), c.edges)
			input := loaded(t, d, tuples)
			constructWeighted(t, d, c.vertices, input, LeastGroups).check(t, c.vertices, tuples)
			devicetest.Close(t, input)
		})
	}
}

func TestWeightedRandom(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range devicetest.Sized(60, 10) {
		vertices := 1 + r.Uint64N(1<<r.UintN(16))
		n := 1 + r.IntN(1<<r.UintN(17))
		tuples := engine.Tuples{Edges: make([]engine.Edge, n), Weights: make([]float32, n)}
		spread := 1 + r.Uint64N(vertices)
		for j := range n {
			tuples.Edges[j] = engine.Edge{U: engine.Local(r.Uint64N(spread)), V: engine.Local(r.Uint64N(vertices))}
			tuples.Weights[j] = float32(r.IntN(1<<r.IntN(20))) / 1024
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			input := loaded(t, d, tuples)
			constructWeighted(t, d, vertices, input, LeastGroups+r.IntN(10)).check(t, vertices, tuples)
			devicetest.Close(t, input)
		})
	}
}

// TestWeightedInItsPlan builds official graphs in an arena of the planned size, from
// tuples in memory and from regenerated ones.
func TestWeightedInItsPlan(t *testing.T) {
	for _, c := range []struct {
		scale  int
		room   uint64
		groups int
	}{{1, 1, LeastGroups}, {4, 1 << 20, LeastGroups}, {9, 1001, LeastGroups}, {13, 1 << 16, MostGroups}, {16, 1 << 20, LeastGroups}} {
		if testing.Short() && c.scale > 9 {
			continue
		}
		t.Run(fmt.Sprint(c.scale, c.room, c.groups), func(t *testing.T) {
			spec := devicetest.Official(c.scale)
			plan := append(generate.Config{Count: spec.Tuples(), Capacity: c.room, Weighted: true}.Plan(), WeightedPlan(spec.Vertices(), spec.Tuples(), c.groups)...)
			d := devicetest.OpenWith(t, device.Options{})
			if err := d.Reserve(engine.Peak(plan, engine.DeviceMemory)); err != nil {
				t.Fatal(err)
			}
			devicetest.Dirty(t, d, int(d.Free()))
			input := generatetest.Generate(t, d, spec, generate.Config{Capacity: c.room, Weighted: true})
			tuples := engine.Tuples{Edges: devicetest.OfficialTuples(c.scale), Weights: make([]float32, spec.Tuples())}
			kronecker.New(spec).Weights(tuples.Weights, 0)
			constructWeighted(t, d, spec.Vertices(), input, c.groups).check(t, spec.Vertices(), tuples)
			devicetest.Close(t, input)
		})
	}
}

func TestWeightedRefusesWeights(t *testing.T) {
	d := devicetest.Open(t)
	edges := slices.Repeat([]engine.Edge{{U: 1, V: 2}}, 5000)
	for _, bad := range []float32{-1, float32(math.NaN()), float32(math.Inf(1)), float32(math.Copysign(0, -1))} {
		weights := make([]float32, len(edges))
		weights[4321], weights[4322] = bad, bad
		input := loaded(t, d, engine.Tuples{Edges: edges, Weights: weights})
		if _, err := Weighted(t.Context(), d, 3, input, LeastGroups); err == nil || !strings.Contains(err.Error(), "tuple 4321 has weight "+fmt.Sprint(bad)) {
			t.Errorf("weight %v: err = %v", bad, err)
		}
		devicetest.Close(t, input)
	}
	input := loaded(t, d, engine.Tuples{Edges: edges})
	if _, err := Weighted(t.Context(), d, 3, input, LeastGroups); err == nil {
		t.Error("constructed without weights")
	}
	devicetest.Close(t, input)
}
