package graph

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/parallel"
)

// someWeights returns random weights with many equal ones, zeros and large ones.
func someWeights(n int) []float32 {
	r := rand.New(rand.NewPCG(5, uint64(n)))
	weights := make([]float32, n)
	for i := range weights {
		switch r.IntN(4) {
		case 0:
			weights[i] = float32(r.IntN(3)) / 2
		case 1:
			weights[i] = math.MaxFloat32 * r.Float32()
		default:
			weights[i] = r.Float32()
		}
	}
	return weights
}

// buildWeighted builds the tuples with some weights and checks the result.
func buildWeighted(t *testing.T, team *parallel.Team, vertices int, edges []engine.Edge) {
	t.Helper()
	tuples := engine.Tuples{Edges: edges, Weights: someWeights(len(edges))}
	for name, arena := range map[string]func(uint64) uint64{
		"one pass":       weightedArenaWords,
		"several passes": func(arcs uint64) uint64 { return 2*arcs + arcs/4 },
		"least arena":    func(arcs uint64) uint64 { return arcs },
	} {
		b := newWeightedBuilder(context.Background(), team, WholeGraph(uint64(vertices)), tuples)
		b.form.arena = arena
		g, err := b.build()
		if err != nil {
			t.Fatal(name, err)
		}
		checkWeighted(t, g, vertices, tuples)
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// compareArcs orders arcs by weight and neighbour.
func compareArcs(a, b Arc) int {
	return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.To, b.To))
}

// checkWeighted compares all parts of g with the tuples.
func checkWeighted(t *testing.T, g *WeightedCSR, vertices int, tuples engine.Tuples) {
	t.Helper()
	rows := make([][]Arc, vertices)
	info := engine.Graph{Vertices: int64(vertices), Tuples: int64(len(tuples.Edges))}
	for i, e := range tuples.Edges {
		if e.U == e.V {
			info.SelfLoops++
			continue
		}
		rows[e.U] = append(rows[e.U], Arc{e.V, tuples.Weights[i]})
		rows[e.V] = append(rows[e.V], Arc{e.U, tuples.Weights[i]})
	}
	for v, want := range rows {
		got := g.ArcsOf(engine.Label(v))
		if !slices.IsSortedFunc(got, func(a, b Arc) int { return cmp.Compare(a.Weight, b.Weight) }) {
			t.Fatalf("row of vertex %d is not in the order of the weights: %v", v, got)
		}
		if len(want) > 0 {
			checkLightest(t, g, engine.Label(v))
			info.Connected++
		}
		got = slices.Clone(got)
		slices.SortFunc(got, compareArcs)
		slices.SortFunc(want, compareArcs)
		if !slices.Equal(got, want) {
			t.Fatalf("vertex %d has row %v, want %v", v, got, want)
		}
		info.Arcs += int64(len(want))
		info.MaxDegree = max(info.MaxDegree, int64(len(want)))
	}
	if g.Info != info {
		t.Fatalf("Info = %+v, want %+v", g.Info, info)
	}
}

// checkLightest compares the beginning of the row of v in Lightest with its arcs.
func checkLightest(t *testing.T, g *WeightedCSR, v engine.Label) {
	t.Helper()
	row := g.ArcsOf(v)
	infinite := float32(math.Inf(1))
	want := slices.Repeat([]Arc{{row[0].To, infinite}}, HeadArcs)
	copy(want, row)
	r, l := g.Row(v), g.Lightest
	got := []Arc{{l.FirstTo[r], l.FirstWeight[r]}, {l.SecondTo[r], l.SecondWeight[r]}, {row[0].To, l.ThirdWeight[r]}}
	head := g.Heads[r]
	if !slices.Equal(head.Arcs[:], want) || head.Begin != g.Offsets[r] || head.End != g.Offsets[r+1] {
		t.Fatalf("vertex %d has the head %+v, want %v", v, head, want)
	}
	want[2].To = row[0].To // Lightest holds only the weight of the third
	if !slices.Equal(got, want[:3]) {
		t.Fatalf("vertex %d begins with %v, want %v", v, got, want)
	}
}

func TestBuildWeightedStopsWithItsContext(t *testing.T) {
	team := parallel.NewTeam(2)
	defer team.Close()
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stop)
	edges := []engine.Edge{{U: 0, V: 1}}
	if _, err := BuildWeighted(ctx, team, WholeGraph(2), engine.Tuples{Edges: edges, Weights: []float32{1}}); !errors.Is(err, stop) {
		t.Fatalf("err = %v", err)
	}
}
