//go:build cuda

package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kronecker"
	"graph500/parallel"
)

// preparePaths prepares all ranks for a job of shortest paths, and of BFS if both.
func (r *testRanks) preparePaths(t *testing.T, vertices, tuples uint64, loaded, both bool, searches int) {
	t.Helper()
	strategies := []engine.Strategy{shortestPaths()}
	if both {
		strategies = append(strategies, named("default"))
	}
	r.do(t, func(rank int) error {
		return r.engines[rank].Prepare(t.Context(), []engine.Job{{Vertices: vertices, Tuples: tuples, Loaded: loaded, Strategies: strategies, Searches: searches}})
	})
}

// constructPaths compares the tuples of the engines, constructs the graph and creates the
// searchers of shortest paths.
func (r *testRanks) constructPaths(t *testing.T, want engine.Graph, tuples engine.Tuples) {
	t.Helper()
	r.do(t, func(rank int) error {
		e := r.engines[rank]
		var own, all engine.Tuples
		add := func(to *engine.Tuples) func(engine.Tuples) error {
			return func(piece engine.Tuples) error {
				to.Edges, to.Weights = append(to.Edges, piece.Edges...), append(to.Weights, piece.Weights...)
				return nil
			}
		}
		if err := errors.Join(e.Tuples(t.Context(), add(&own)), e.AllTuples(t.Context(), add(&all))); err != nil {
			return err
		}
		lo, hi := parallel.Split(len(tuples.Edges), len(r.engines), rank)
		if !slices.Equal(all.Edges, tuples.Edges) || !sameBits(all.Weights, tuples.Weights) ||
			!slices.Equal(own.Edges, tuples.Edges[lo:hi]) || !sameBits(own.Weights, tuples.Weights[lo:hi]) {
			return fmt.Errorf("rank %d: other tuples", rank)
		}
		if err := e.peers().team.Wait(); err != nil {
			return err
		}
		info, err := e.Construct(t.Context())
		if err == nil && info != want {
			err = fmt.Errorf("rank %d: %+v, want %+v", rank, info, want)
		}
		if err == nil {
			r.searchers[rank], err = e.NewSearcher(t.Context(), shortestPaths())
		}
		return err
	})
}

// comparePaths searches from the roots in batches, and compares on all ranks the bits of all
// distances and the facts of the trees with those of the CPU.
func (r *testRanks) comparePaths(t *testing.T, c engine.Searcher, roots []engine.Local) {
	t.Helper()
	distances := make([][]float32, len(roots))
	for i, root := range roots {
		distances[i] = distancesOnCPU(t, c, root)
	}
	trees, results := make([][]engine.Tree, len(r.searchers)), make([]engine.Results, len(roots)) // those of rank 0
	r.do(t, func(rank int) error {
		s := r.searchers[rank]
		for first := 0; first < len(roots); first += s.Capacity() {
			batch := roots[first:min(len(roots), first+s.Capacity())]
			for _, root := range batch {
				if err := errors.Join(s.Clear(), s.Search(t.Context(), engine.Vertex(root)), s.Keep()); err != nil {
					return err
				}
				if p, err := s.Profile(); err != nil || p.LevelCount == 0 || p.Examined == 0 {
					return fmt.Errorf("profile %+v, %w", p, err)
				}
			}
			checked, err := s.Check(t.Context())
			if err != nil {
				return err
			}
			counted, err := s.CountEdges(t.Context())
			if err != nil || len(checked) != len(batch) || len(counted) != len(batch) {
				return fmt.Errorf("%d trees, %d counted of %d, %w", len(checked), len(counted), len(batch), err)
			}
			for i, root := range batch {
				all, err := s.AllResults(t.Context(), i)
				if err != nil {
					return err
				}
				if !sameBits(all.Distances, distances[first+i]) || counted[i].Edges != checked[i].Edges {
					return fmt.Errorf("rank %d, root %d: other distances, or %d edges counted and %d checked", rank, root, counted[i].Edges, checked[i].Edges)
				}
				if rank == 0 {
					results[first+i] = cloned(all)
				}
				own, err := s.Results(t.Context(), i)
				if err != nil || !sameBits(own.Distances, distances[first+i][own.First:][:len(own.Distances)]) {
					return fmt.Errorf("rank %d, root %d: other results from vertex %d on, %w", rank, root, own.First, err)
				}
			}
			trees[rank] = append(trees[rank], checked...)
			s.Drop()
		}
		return nil
	})
	for i, root := range roots {
		want, err := judged(t, c, root, results[i])
		if err != nil {
			t.Fatal(err)
		}
		for rank := range trees {
			if trees[rank][i] != want[0] {
				t.Fatalf("rank %d, root %d: %+v, want %+v", rank, root, trees[rank][i], want[0])
			}
		}
	}
}

// generatedPaths builds an official graph on all ranks, and returns the searcher of the CPU, the
// tuples and some keys.
func (r *testRanks) generatedPaths(t *testing.T, spec kronecker.Spec, searches int) (c engine.Searcher, tuples engine.Tuples, keys []engine.Local) {
	t.Helper()
	tuples = officialWeighted(spec)
	c, want := pathsOnCPU(t, spec.Vertices(), tuples)
	want.Regenerated = true
	r.preparePaths(t, spec.Vertices(), spec.Tuples(), false, false, searches)
	r.do(t, func(rank int) error { return r.engines[rank].Generate(t.Context(), spec, nil) })
	r.constructPaths(t, want, tuples)
	for root := spec.Vertices() / 9; len(keys) < 3; root += 17 {
		if devicetest.HasEdge(tuples.Edges, engine.Local(root)) {
			keys = append(keys, engine.Local(root))
		}
	}
	return c, tuples, keys
}

// GPUs that do not access each other's memory find the distances of the CPU engine, on all ranks
// the same.
func TestDistributedPaths(t *testing.T) {
	for name, start := range map[string]starter{"host": startHost, "nccl": startNCCL} {
		t.Run(name, func(t *testing.T) {
			if name == "nccl" {
				needNCCL(t)
			}
			eachDivision(t, func(t *testing.T, ranks, each int) {
				r := startRanks(t, start, ranks, each, 0, 5003)
				c, _, keys := r.generatedPaths(t, devicetest.Official(12), 2)
				r.comparePaths(t, c, keys)
			})
		})
	}
}

// Each rank loads its own part of the tuples, with weights.
func TestDistributedPathsOnLoadedGraphs(t *testing.T) {
	needNCCL(t)
	random := rand.New(rand.NewPCG(3, 9))
	const ranks, each, vertices = 2, 2, 1024*2*2 + 77
	var cycle, star []engine.Edge
	for v := range engine.Local(201) {
		cycle = append(cycle, engine.Edge{U: 17 * v % vertices, V: 17 * ((v + 1) % 190) % vertices})
	}
	for v := range engine.Local(900) {
		star = append(star, engine.Edge{U: 2050, V: 3 * v}, engine.Edge{U: 3 * v, V: 3 * v})
	}
	for i, edges := range [][]engine.Edge{cycle, star, {{U: 0, V: 1500}}} {
		tuples := weighted(random, edges, i)
		r := startRanks(t, startNCCL, ranks, each, 0, regeneratedPart)
		r.preparePaths(t, vertices, uint64(len(edges)), true, false, 2)
		r.do(t, func(rank int) error {
			lo, hi := parallel.Split(len(edges), ranks, rank)
			return r.engines[rank].Load(t.Context(), vertices, owned(t, engine.Tuples{Edges: edges[lo:hi], Weights: tuples.Weights[lo:hi]}))
		})
		c, want := pathsOnCPU(t, vertices, tuples)
		r.constructPaths(t, want, tuples)
		r.comparePaths(t, c, []engine.Local{edges[0].V, edges[len(edges)/2].U, edges[0].U})
	}
}

// The GPUs of one process search without ranks, deep trees and graphs without paths too.
func TestDistributedPathsInOneProcess(t *testing.T) {
	const vertices = 2*leastLabels + 5
	random := rand.New(rand.NewPCG(4, 9))
	var path []engine.Edge
	order := func(i int) engine.Local { return engine.Local(i * 1009 % vertices) }
	for i := range 140 {
		path = append(path, engine.Edge{U: order(i), V: order(i + 1)}, engine.Edge{U: order(i + 1), V: order(i)})
	}
	for name, edges := range map[string][]engine.Edge{
		"path of more levels than a byte has": path, "one edge": {{U: 3, V: vertices - 1}}, "no edge": {{U: 7, V: 7}}, "no tuple": {},
	} {
		t.Run(name, func(t *testing.T) {
			tuples := weighted(random, edges, 0)
			c, want := pathsOnCPU(t, vertices, tuples)
			r := startRanks(t, startHost, 1, 2, 0, regeneratedPart)
			r.preparePaths(t, vertices, uint64(len(edges)), true, false, 1)
			r.do(t, func(rank int) error { return r.engines[rank].Load(t.Context(), vertices, owned(t, tuples)) })
			r.constructPaths(t, want, tuples)
			if want.Connected > 0 {
				r.comparePaths(t, c, []engine.Local{edges[0].U, edges[0].V})
			}
		})
	}
}

// Both kernels search the same graph in turn.
func TestDistributedBothKernels(t *testing.T) {
	const ranks = 2
	spec := devicetest.Official(12)
	tuples := officialWeighted(spec)
	_, c, want := onCPU(t, int(spec.Vertices()), tuples.Edges)
	want.Regenerated = true
	paths, _ := pathsOnCPU(t, spec.Vertices(), tuples)
	r := startRanks(t, startHost, ranks, 1, 0, 5003)
	r.preparePaths(t, spec.Vertices(), spec.Tuples(), false, true, 2)
	r.do(t, func(rank int) error { return r.engines[rank].Generate(t.Context(), spec, nil) })
	r.constructPaths(t, want, tuples)
	ofPaths, ofTrees := r.searchers, make([]engine.Searcher, ranks)
	r.do(t, func(rank int) (err error) {
		ofTrees[rank], err = r.engines[rank].NewSearcher(t.Context(), named("default"))
		return err
	})
	for _, e := range tuples.Edges[:2] {
		r.searchers = ofTrees
		r.compare(t, c, engine.Vertex(e.U))
		r.searchers = ofPaths
		r.comparePaths(t, paths, []engine.Local{e.U})
	}
	r.do(t, func(rank int) error { return ofTrees[rank].Close() })
}

// Changed results are refused on all ranks with the error that the CPU gives.
func TestDistributedRefuseWrongPaths(t *testing.T) {
	const ranks = 2
	r := startRanks(t, startHost, ranks, 1, 0, 5003)
	c, _, keys := r.generatedPaths(t, devicetest.Official(12), 2)
	root := keys[0]
	if err := errors.Join(c.Clear(), c.Search(t.Context(), engine.Vertex(root)), c.Keep()); err != nil {
		t.Fatal(err)
	}
	kept, err := c.AllResults(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	right := cloned(kept)
	changes := map[string]func(r engine.Results){
		"unchanged":            func(engine.Results) {},
		"root without parent":  func(r engine.Results) { r.Parents[root] = engine.None },
		"root with a distance": func(r engine.Results) { r.Distances[root] = 1 },
	}
	for k := range ranks {
		from := k * len(right.Parents) / ranks
		at := from + slices.IndexFunc(right.Parents[from:], func(p engine.Local) bool { return p != engine.None && p != root })
		changes[fmt.Sprintf("no distance in range %d", k)] = func(r engine.Results) { r.Distances[at] = engine.Unreached }
		changes[fmt.Sprintf("farther in range %d", k)] = func(r engine.Results) { r.Distances[at] *= 2 }
		changes[fmt.Sprintf("nearer in range %d", k)] = func(r engine.Results) { r.Distances[at] /= 2 }
		changes[fmt.Sprintf("wrong parent in range %d", k)] = func(r engine.Results) { r.Parents[at] ^= 1 }
		changes[fmt.Sprintf("missing in range %d", k)] = func(r engine.Results) {
			r.Parents[at], r.Distances[at] = engine.None, engine.Unreached
		}
	}
	for name, change := range changes {
		wrong := cloned(right)
		change(wrong)
		_, want := judged(t, c, root, wrong)
		r.do(t, func(rank int) error {
			s := r.searchers[rank]
			defer s.Drop()
			if err := s.Set(engine.Vertex(root), func(r engine.Results) error {
				copy(r.Parents, wrong.Parents)
				copy(r.Distances, wrong.Distances)
				return nil
			}); err != nil {
				return err
			}
			if _, err := s.Check(t.Context()); fmt.Sprint(err) != fmt.Sprint(want) || (err == nil) != (name == "unchanged") {
				return fmt.Errorf("%s: rank %d gives %w, the CPU %w", name, rank, err, want)
			}
			return nil
		})
	}
}

// Each GPU takes at most the planned memory, with one kernel and with both, and a run with only
// that memory ends.
func TestDistributedPathsPlan(t *testing.T) {
	spec := devicetest.Official(12)
	for _, both := range []bool{false, true} {
		job := engine.Job{Vertices: spec.Vertices(), Tuples: spec.Tuples(), Strategies: []engine.Strategy{shortestPaths()}, Searches: maxBatch}
		if both {
			job.Strategies = append(job.Strategies, named("default"))
		}
		probe := startRanks(t, startHost, 1, 2, 0, 5003).engines[0].(*Distributed)
		most := engine.Peak(probe.required(job, layout{capacity: 5003, groups: 3, batch: 2}), engine.DeviceMemory)
		r := startRanks(t, startHost, 1, 2, most, 5003)
		r.preparePaths(t, spec.Vertices(), spec.Tuples(), false, both, maxBatch)
		r.do(t, func(rank int) error {
			e := r.engines[rank]
			if err := e.Generate(t.Context(), spec, nil); err != nil {
				return err
			}
			_, err := e.Construct(t.Context())
			if err == nil {
				r.searchers[rank], err = e.NewSearcher(t.Context(), shortestPaths())
			}
			return err
		})
		e, s := r.engines[0].(*Distributed), r.searchers[0]
		var tree engine.Searcher
		if both {
			var err error
			if tree, err = e.NewSearcher(t.Context(), named("default")); err != nil {
				t.Fatal(err)
			}
		}
		keys, err := kronecker.Sample(t.Context(), spec, 1, e.graphInfo().Connected, e.Usable)
		if err != nil {
			t.Fatal(err)
		}
		for range s.Capacity() {
			if err := errors.Join(s.Clear(), s.Search(t.Context(), keys[0]), s.Keep()); err != nil {
				t.Fatal(err)
			}
		}
		if trees, err := s.Check(t.Context()); err != nil || len(trees) != s.Capacity() {
			t.Fatalf("%d trees of %d, %v", len(trees), s.Capacity(), err)
		}
		searching := engine.PeakIn(e.plan(e.job, e.layout), engine.DeviceMemory, engine.Searching)
		for i, m := range e.members {
			if used := m.device.Reserved() - m.device.Free(); used > searching || m.device.Reserved() > most || m.device.Peak() > m.device.Reserved() {
				t.Errorf("GPU %d: %d bytes used of %d planned for searches, peak %d of %d reserved, limit %d", i, used, searching, m.device.Peak(), m.device.Reserved(), most)
			}
		}
		if tree != nil {
			if err := tree.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
