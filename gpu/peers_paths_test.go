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
)

// preparePaths is Prepare for a job of shortest paths, and of BFS if both, and that number of
// searches.
func (e *testPeers) preparePaths(t *testing.T, vertices, tuples uint64, loaded, both bool, searches int) {
	t.Helper()
	strategies := []engine.Strategy{shortestPaths()}
	if both {
		strategies = append(strategies, named("default"))
	}
	if err := e.Prepare(t.Context(), []engine.Job{{Vertices: vertices, Tuples: tuples, Loaded: loaded, Wide: e.wide, Strategies: strategies, Searches: searches}}); err != nil {
		t.Fatal(err)
	}
}

// constructPaths builds the graphs and the Searcher of shortest paths.
func (e *testPeers) constructPaths(t *testing.T) engine.Graph {
	t.Helper()
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if e.searcher, err = e.NewSearcher(t.Context(), shortestPaths()); err != nil {
		t.Fatal(err)
	}
	return info
}

// generatePaths prepares the engine, and generates and constructs the official graph.
func (e *testPeers) generatePaths(t *testing.T, spec kronecker.Spec, both bool, searches int) engine.Graph {
	t.Helper()
	e.preparePaths(t, spec.Vertices(), spec.Tuples(), false, both, searches)
	if err := e.Generate(t.Context(), spec, nil); err != nil {
		t.Fatal(err)
	}
	return e.constructPaths(t)
}

// comparePaths searches from the roots in batches, and compares the bits of all distances and
// the facts of the trees with those of the CPU.
func (e *testPeers) comparePaths(t *testing.T, c engine.Searcher, roots []engine.Local) {
	t.Helper()
	s := e.searcher
	for batch := range slices.Chunk(roots, s.Capacity()) {
		for _, root := range batch {
			if err := errors.Join(s.Clear(), spoilWide(s), s.Search(t.Context(), engine.Vertex(root)), compareWide(s), s.Keep()); err != nil {
				t.Fatal(err)
			}
		}
		trees, err := s.Check(t.Context())
		if err != nil || len(trees) != len(batch) {
			t.Fatalf("%d trees of %d, %v", len(trees), len(batch), err)
		}
		counted, err := s.CountEdges(t.Context())
		if err != nil || len(counted) != len(batch) {
			t.Fatalf("%d counted of %d, %v", len(counted), len(batch), err)
		}
		for i, root := range batch {
			r, err := s.AllResults(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			if !sameBits(r.Distances, distancesOnCPU(t, c, root)) {
				t.Fatalf("root %d, number %d of %d: other distances", root, i, len(batch))
			}
			want, err := judged(t, c, root, r)
			if err != nil || trees[i] != want[0] || counted[i].Edges != want[0].Edges {
				t.Fatalf("root %d: %+v, counted %+v, want %+v (%v)", root, trees[i], counted[i], want, err)
			}
		}
		s.Drop()
	}
}

// Tuples are kept, or regenerated in parts.
func TestPeersPathsOnOfficialGraphs(t *testing.T) { searchOfficialPaths(t, false) }

func searchOfficialPaths(t *testing.T, wide bool) {
	t.Helper()
	eachCount(t, func(t *testing.T, count int) {
		for _, limit := range []uint64{0, minimalMemory} {
			spec := devicetest.Official(devicetest.Sized(14, 12))
			tuples := officialWeighted(spec)
			e := startPeers(t, count, limit, 5003)
			e.wide = wide
			info := e.generatePaths(t, spec, false, 3)
			if whole := e.members[0].tuples.Whole(); whole != (limit == 0) {
				t.Errorf("limit %d: the share is whole: %v", limit, whole)
			}
			var got engine.Tuples
			if err := e.AllTuples(t.Context(), func(piece engine.Tuples) error {
				got.Edges, got.Weights = append(got.Edges, piece.Edges...), append(got.Weights, piece.Weights...)
				return nil
			}); err != nil || !slices.Equal(got.Edges, tuples.Edges) || !sameBits(got.Weights, tuples.Weights) {
				t.Fatalf("other tuples, %v", err)
			}
			c, want := pathsOnCPU(t, spec.Vertices(), tuples)
			want.Regenerated = limit > 0
			if info != want {
				t.Errorf("%+v, want %+v", info, want)
			}
			e.comparePaths(t, c, e.roots(t, spec, 4, info))
		}
	})
}

func TestPeersPathsOnLoadedGraphs(t *testing.T) { searchLoadedPaths(t, false) }

func searchLoadedPaths(t *testing.T, wide bool) {
	t.Helper()
	eachCount(t, func(t *testing.T, count int) {
		r := rand.New(rand.NewPCG(3, 9))
		vertices := 1024*count + 77
		var cycle, oneRange []engine.Edge
		for v := range engine.Local(60) {
			cycle = append(cycle, engine.Edge{U: 70 * v % engine.Local(vertices), V: 70 * ((v + 1) % 50) % engine.Local(vertices)})
		}
		for v := range engine.Local(500) {
			oneRange = append(oneRange, engine.Edge{U: v, V: v / 2}, engine.Edge{U: v / 2, V: v})
		}
		for i, edges := range [][]engine.Edge{cycle, oneRange, {{U: 0, V: 1500}}} {
			tuples := weighted(r, edges, i)
			e := startPeers(t, count, 0, regeneratedPart)
			e.wide = wide
			e.preparePaths(t, uint64(vertices), uint64(len(edges)), true, false, 2)
			if err := e.Load(t.Context(), uint64(vertices), owned(t, tuples)); err != nil {
				t.Fatal(err)
			}
			info := e.constructPaths(t)
			c, want := pathsOnCPU(t, uint64(vertices), tuples)
			if info != want {
				t.Errorf("%+v, want %+v", info, want)
			}
			e.comparePaths(t, c, []engine.Local{edges[0].V, edges[len(edges)/2].U})
		}
	})
}

// Both kernels search the same graph in turn, and their searchers are closed in reverse order.
func TestPeersBothKernels(t *testing.T) {
	spec := devicetest.Official(12)
	tuples := officialWeighted(spec)
	e := startPeers(t, 3, 0, regeneratedPart)
	info := e.generatePaths(t, spec, true, 2)
	paths := e.searcher
	tree, err := e.NewSearcher(t.Context(), named("default"))
	if err != nil {
		t.Fatal(err)
	}
	_, c, want := onCPU(t, int(spec.Vertices()), tuples.Edges)
	if info != want {
		t.Errorf("%+v, want %+v", info, want)
	}
	keys, err := kronecker.Sample(t.Context(), spec, 2, info.Connected, e.Usable)
	if err != nil {
		t.Fatal(err)
	}
	weightedCPU, _ := pathsOnCPU(t, spec.Vertices(), tuples)
	for _, key := range keys {
		e.searcher = tree
		e.compare(t, c, engine.Local(key))
		e.searcher = paths
		e.comparePaths(t, weightedCPU, []engine.Local{engine.Local(key)})
	}
	if err := tree.Close(); err != nil {
		t.Error(err)
	}
}

// Changed results are refused with the error that one device gives.
func TestPeersRefuseWrongPaths(t *testing.T) {
	const count = 3
	spec := devicetest.Official(12)
	tuples := officialWeighted(spec)
	e := startPeers(t, count, 0, regeneratedPart)
	info := e.generatePaths(t, spec, false, 2)
	c, _ := pathsOnCPU(t, spec.Vertices(), tuples)
	keys, err := kronecker.Sample(t.Context(), spec, 1, info.Connected, e.Usable)
	if err != nil {
		t.Fatal(err)
	}
	root := engine.Local(keys[0])
	if err := errors.Join(e.searcher.Clear(), e.searcher.Search(t.Context(), keys[0]), e.searcher.Keep()); err != nil {
		t.Fatal(err)
	}
	r, err := e.searcher.AllResults(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	right := cloned(r)
	e.searcher.Drop()
	changes := map[string]func(r engine.Results){
		"unchanged":            func(engine.Results) {},
		"root without parent":  func(r engine.Results) { r.Parents[root] = engine.None },
		"root with a distance": func(r engine.Results) { r.Distances[root] = 1 },
	}
	for k := range count {
		from := k * len(right.Parents) / count
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
		if err := e.searcher.Set(engine.Vertex(root), func(r engine.Results) error {
			copy(r.Parents, wrong.Parents)
			copy(r.Distances, wrong.Distances)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := e.searcher.Check(t.Context()); fmt.Sprint(err) != fmt.Sprint(want) || (err == nil) != (name == "unchanged") {
			t.Errorf("%s: %v, the CPU gives %v", name, err, want)
		}
		e.searcher.Drop()
	}
}

// Each GPU takes at most the planned memory, with one kernel and with both.
func TestPeersPathsPlanCoversWhatIsTaken(t *testing.T) { takePlannedPaths(t, false) }

func takePlannedPaths(t *testing.T, wide bool) {
	t.Helper()
	const count = 2
	spec := devicetest.Official(12)
	for _, both := range []bool{false, true} {
		job := engine.Job{Vertices: spec.Vertices(), Tuples: spec.Tuples(), Wide: wide, Strategies: []engine.Strategy{shortestPaths()}, Searches: maxBatch}
		if both {
			job.Strategies = append(job.Strategies, named("default"))
		}
		probe := startPeers(t, count, 0, 1<<12)
		share, _ := probe.largest(job)
		for _, l := range []layout{whole(share, 1, 1), whole(1<<12, 4, 1), whole(1<<12, 4, maxBatch)} {
			most := engine.Peak(probe.required(job, l), engine.DeviceMemory)
			e := startPeers(t, count, most, 1<<12)
			e.wide = wide
			info := e.generatePaths(t, spec, both, maxBatch)
			var tree engine.Searcher
			if both {
				var err error
				if tree, err = e.NewSearcher(t.Context(), named("default")); err != nil {
					t.Fatal(err)
				}
			}
			keys, err := kronecker.Sample(t.Context(), spec, 1, info.Connected, e.Usable)
			if err != nil {
				t.Fatal(err)
			}
			for range e.searcher.Capacity() {
				if err := errors.Join(e.searcher.Clear(), e.searcher.Search(t.Context(), keys[0]), e.searcher.Keep()); err != nil {
					t.Fatal(err)
				}
			}
			if trees, err := e.searcher.Check(t.Context()); err != nil || len(trees) != e.searcher.Capacity() {
				t.Fatalf("%d trees of %d, %v", len(trees), e.searcher.Capacity(), err)
			}
			for i, d := range e.team.Devices() {
				if d.Reserved() > most || d.Peak() > d.Reserved() {
					t.Errorf("%+v: GPU %d has %d bytes reserved of %d, and took %d", l, i, d.Reserved(), most, d.Peak())
				}
			}
			if tree != nil {
				if err := tree.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
