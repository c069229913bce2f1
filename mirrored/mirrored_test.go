package mirrored

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"graph500/cluster"
	"graph500/divide"
	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
	"graph500/parallel"
	"graph500/partition"
	"graph500/synthetic"
)

// input is a weighted graph to search.
type input struct {
	vertices uint64
	engine.Tuples
}

func of(g synthetic.Graph) input {
	in := input{g.Vertices(), engine.Tuples{Edges: make([]engine.Edge, g.Tuples()), Weights: make([]float32, g.Tuples())}}
	g.Fill(in.Tuples, 0)
	return in
}

func kroneckerGraph(scale int) input {
	spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	in := input{spec.Vertices(), engine.Tuples{Edges: make([]engine.Edge, spec.Tuples()), Weights: make([]float32, spec.Tuples())}}
	kronecker.New(spec).Tuples(in.Tuples, 0)
	return in
}

// weighted returns the rank's rows.
func (in input) weighted(ctx context.Context, w *cluster.World, team *parallel.Team) (partition.Ranges, *graph.WeightedCSR, error) {
	ranges := partition.NewRanges(in.vertices, w.Size())
	first, owned := ranges.Range(w.Rank())
	var arcs engine.Tuples
	for i, e := range in.Edges {
		for _, a := range []engine.Edge{e, {U: e.V, V: e.U}} {
			if e.U != e.V && ranges.Owner(a.U) == w.Rank() {
				arcs.Edges = append(arcs.Edges, engine.Edge{U: a.U - engine.Label(first), V: a.V})
				arcs.Weights = append(arcs.Weights, in.Weights[i])
			}
		}
	}
	share, tuples := graph.WholeGraph(in.vertices), in.Tuples
	if w.Size() > 1 {
		tuples = arcs
		share = graph.Share{
			Vertices: in.vertices, First: first, Owned: owned, Shares: w.Size(), Padded: uint64(64 * ranges.Words()),
			Gather: func(own, all []uint32) error { return cluster.Allgather(ctx, w, own, all) },
			Sum:    func(v []int64) error { return w.Sum(ctx, v) },
			Max:    func(v []int64) error { return w.Max(ctx, v) },
		}
	}
	g, err := graph.BuildWeighted(ctx, team, share, tuples)
	return ranges, g, err
}

// searched returns the results of both kernels over ranks, and the examined arcs and bytes of BFS.
func searched(t *testing.T, in input, policy partition.Policy, ranks, threads int, roots []engine.Label) (bfs, sssp []engine.Results) {
	t.Helper()
	var mu sync.Mutex
	for range roots {
		for _, list := range []*[]engine.Results{&bfs, &sssp} {
			r := engine.Results{Parents: make([]engine.Label, in.vertices), Distances: make([]float32, in.vertices)}
			for v := range r.Parents {
				r.Parents[v], r.Distances[v] = engine.None, engine.Unreached
			}
			*list = append(*list, r)
		}
	}
	for _, err := range cluster.RunInProcess(t.Context(), ranks, func(ctx context.Context, w *cluster.World) error {
		team := parallel.NewTeam(threads)
		defer team.Close()
		ranges, g, err := in.weighted(ctx, w, team)
		if err != nil {
			return err
		}
		defer g.Close()
		share, err := divide.Lightest(ctx, team, ranges, g)
		if err != nil {
			return err
		}
		defer share.Free()
		p, err := Divide(ctx, w, team, share, policy, g.Info)
		if err != nil {
			return err
		}
		defer p.Close()
		b, err := NewBFS(p)
		if err != nil {
			return err
		}
		defer b.Close()
		s, err := NewSSSP(ctx, p)
		if err != nil {
			return err
		}
		defer s.Close()
		for i, root := range roots {
			for j := range b.parents {
				b.parents[j] = 12345 // must not matter
			}
			if err := b.Search(ctx, root); err != nil {
				return err
			}
			if err := s.Search(ctx, root); err != nil {
				return err
			}
			mu.Lock()
			b.Results(func(v, parent engine.Label, _ float32) { bfs[i].Parents[v] = parent })
			s.Results(func(v, parent engine.Label, distance float32) {
				sssp[i].Parents[v], sssp[i].Distances[v] = parent, distance
			})
			mu.Unlock()
		}
		return nil
	}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return bfs, sssp
}

// plain returns the depth of each vertex, -1 for none, and its distance, by relaxing all tuples
// until nothing changes.
func plain(in input, root engine.Label) (depths []int, distances []float32) {
	depths, distances = make([]int, in.vertices), make([]float32, in.vertices)
	for v := range depths {
		depths[v], distances[v] = math.MaxInt32, float32(math.Inf(1))
	}
	depths[root], distances[root] = 0, 0
	for changed := true; changed; {
		changed = false
		for i, e := range in.Edges {
			for _, a := range []engine.Edge{e, {U: e.V, V: e.U}} {
				if d := depths[a.U] + 1; d < depths[a.V] {
					depths[a.V], changed = d, true
				}
				if d := distances[a.U] + in.Weights[i]; d < distances[a.V] {
					distances[a.V], changed = d, true
				}
			}
		}
	}
	return depths, distances
}

// check compares the results of a search with the plain one: parents form a tree of the right
// depths or distances.
func check(t *testing.T, what string, in input, root engine.Label, bfs, sssp engine.Results) {
	t.Helper()
	depths, distances := plain(in, root)
	edges := map[engine.Edge]float32{} // lightest
	for i, e := range in.Edges {
		for _, a := range []engine.Edge{e, {U: e.V, V: e.U}} {
			if w, found := edges[a]; !found || in.Weights[i] < w {
				edges[a] = in.Weights[i]
			}
		}
	}
	for v := range engine.Label(in.vertices) {
		p := bfs.Parents[v]
		_, isEdge := edges[engine.Edge{U: p, V: v}]
		switch {
		case depths[v] == math.MaxInt32 && p == engine.None && sssp.Parents[v] == engine.None && sssp.Distances[v] == engine.Unreached:
			continue
		case v == root && p == root && sssp.Parents[v] == root && sssp.Distances[v] == 0:
			continue
		case depths[v] == math.MaxInt32 || v == root || p == engine.None || !isEdge || depths[p]+1 != depths[v]:
			t.Fatalf("%s, bfs from %d: parent %d of %d of depth %d", what, root, p, v, depths[v])
		}
		q := sssp.Parents[v]
		w, isEdge := edges[engine.Edge{U: q, V: v}]
		if sssp.Distances[v] != distances[v] || !isEdge || distances[q]+w != distances[v] {
			t.Fatalf("%s, sssp from %d: distance %v of %d instead of %v, parent %d", what, root, sssp.Distances[v], v, distances[v], q)
		}
		steps := 0
		for u := v; u != root; u = sssp.Parents[u] {
			if steps++; steps > int(in.vertices) {
				t.Fatalf("%s, sssp from %d: the parents of %d form a cycle", what, root, v)
			}
		}
	}
}

// Searches over ranks, on parts of each policy, find what a plain search finds.
func TestSearches(t *testing.T) {
	zero := kroneckerGraph(7)
	for i := range zero.Weights {
		zero.Weights[i] = float32(i%3) / 4
	}
	graphs := map[string]input{
		"kronecker": kroneckerGraph(10),
		"weights 0": zero,
		"grid":      of(synthetic.Grid{Scale: 9, Keep: 0.9, Seed: 1}),
		"crawl":     of(synthetic.Shuffled{Graph: synthetic.Crawl{Scale: 9, Seed: 1}}),
		"rmat":      of(synthetic.RMAT{Scale: 9, EdgeFactor: 8, Quadrants: [4]float64{0.45, 0.25, 0.15, 0.15}, Seed: 1}),
		"edge":      {70, engine.Tuples{Edges: []engine.Edge{{U: 69, V: 0}, {U: 3, V: 3}, {U: 0, V: 69}}, Weights: []float32{0.5, 0.25, 0.125}}},
		"apart":     {200, engine.Tuples{Edges: []engine.Edge{{U: 1, V: 0}, {U: 150, V: 199}}, Weights: []float32{0, 0.25}}},
	}
	n := 0
	for name, in := range graphs {
		for _, policy := range partition.Policies() {
			ranks, threads := 1+n%4, 1+n%2
			if n++; testing.Short() && n%5 != 0 {
				continue // all graphs, policies and numbers of ranks still come
			}
			var roots []engine.Label
			for _, e := range in.Edges {
				if e.U != e.V && !slices.Contains(roots, e.U) && len(roots) < 2 {
					roots = append(roots, e.U)
				}
			}
			bfs, sssp := searched(t, in, policy, ranks, threads, roots)
			for i, root := range roots {
				check(t, fmt.Sprintf("%s, %s, %d ranks, %d threads", name, policy.Name(), ranks, threads), in, root, bfs[i], sssp[i])
			}
		}
	}
}
