//go:build cuda

package gpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kronecker"
)

// testPeers is an engine on several GPUs with a Searcher for its graph.
type testPeers struct {
	*Peers
	searcher engine.Searcher
	wide     bool // labels of 48 bits
}

// startPeers returns an engine on count GPUs with a memory limit in bytes, without
// driverBytes, and a number of tuples per regenerated part. With fewer GPUs it skips the
// test.
func startPeers(t *testing.T, count int, limit, part uint64) *testPeers {
	t.Helper()
	if there, err := Count(); err != nil || there < count {
		t.Skipf("%d GPUs, the test needs %d (%v)", there, count, err)
	}
	if limit > 0 {
		limit += driverBytes
	}
	e, err := NewPeers(t.Context(), cluster.Alone(), ordinals(count), limit, engine.Resident)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range e.members {
		m.planner.part = part
	}
	test := &testPeers{Peers: e}
	t.Cleanup(func() {
		var err error
		if test.searcher != nil {
			err = test.searcher.Close()
		}
		if err := errors.Join(err, e.Close()); err != nil {
			t.Error(err)
		}
	})
	return test
}

// ordinals returns the first count ordinals.
func ordinals(count int) (list []int) {
	for i := range count {
		list = append(list, i)
	}
	return list
}

// eachCount runs a test for 2 and 3 GPUs.
func eachCount(t *testing.T, test func(t *testing.T, count int)) {
	for _, count := range []int{2, 3} {
		t.Run(fmt.Sprintf("%d GPUs", count), func(t *testing.T) { test(t, count) })
	}
}

// prepare is Prepare for one job of that number of searches.
func (e *testPeers) prepare(t *testing.T, vertices, tuples uint64, loaded bool, searches int) error {
	return e.Prepare(t.Context(), []engine.Job{{Vertices: vertices, Tuples: tuples, Loaded: loaded, Wide: e.wide, Strategies: []engine.Strategy{named("default")}, Searches: searches}})
}

// construct builds the graph and the Searcher.
func (e *testPeers) construct(t *testing.T) engine.Graph {
	t.Helper()
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if e.searcher, err = e.NewSearcher(t.Context(), named("default")); err != nil {
		t.Fatal(err)
	}
	return info
}

// generate prepares the engine, and generates and constructs the official graph.
func (e *testPeers) generate(t *testing.T, spec kronecker.Spec, searches int) engine.Graph {
	t.Helper()
	if err := e.prepare(t, spec.Vertices(), spec.Tuples(), false, searches); err != nil {
		t.Fatal(err)
	}
	made := int64(0)
	if err := e.Generate(t.Context(), spec, func(done, total int64) {
		if done <= made || total != int64(spec.Tuples()) {
			t.Errorf("%d of %d made, after %d", done, total, made)
		}
		made = done
	}); err != nil || made != int64(spec.Tuples()) {
		t.Fatalf("%d made, %v", made, err)
	}
	return e.construct(t)
}

// roots returns count official keys of the graph.
func (e *testPeers) roots(t *testing.T, spec kronecker.Spec, count int, info engine.Graph) (roots []engine.Local) {
	t.Helper()
	keys, err := kronecker.Sample(t.Context(), spec, count, info.Connected, e.Usable)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		roots = append(roots, engine.Local(key))
	}
	return roots
}

// checkAgainst compares the engine with one of the whole graph: the tuples, usable
// vertices, and searches from the roots.
func (e *testPeers) checkAgainst(t *testing.T, c engine.Searcher, vertices int, tuples []engine.Edge, roots []engine.Local) {
	t.Helper()
	var got []engine.Edge
	if err := e.AllTuples(t.Context(), func(piece engine.Tuples) error {
		got = append(got, piece.Edges...)
		return nil
	}); err != nil || !slices.Equal(got, tuples) {
		t.Fatalf("other tuples, %v", err)
	}
	asked, want := make([]engine.Vertex, vertices), make([]bool, vertices)
	for v := range asked {
		asked[v] = engine.Vertex(vertices - 1 - v)
	}
	for _, edge := range tuples {
		if edge.U != edge.V {
			want[vertices-1-int(edge.U)], want[vertices-1-int(edge.V)] = true, true
		}
	}
	if usable, err := e.Usable(t.Context(), asked); err != nil || !slices.Equal(usable, want) {
		t.Errorf("other usable vertices, %v", err)
	}
	for _, root := range roots {
		e.compare(t, c, root)
	}
}

// compare searches from root on both engines, and compares the facts of the trees and the
// depth of every vertex.
func (e *testPeers) compare(t *testing.T, c engine.Searcher, root engine.Local) {
	t.Helper()
	var trees [2][]engine.Tree
	var of [2][]int
	for i, s := range []engine.Searcher{e.searcher, c} {
		s.Drop()
		if err := errors.Join(s.Clear(), spoilWide(s), s.Search(t.Context(), engine.Vertex(root)), compareWide(s), s.Keep()); err != nil {
			t.Fatal(err)
		}
		var err error
		if trees[i], err = s.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		counted, err := s.CountEdges(t.Context())
		if err != nil || len(counted) != 1 || counted[0].Edges != trees[i][0].Edges {
			t.Fatalf("root %d: counted %+v, checked %+v, %v", root, counted, trees[i], err)
		}
		r, err := s.AllResults(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		of[i] = depths(r.Parents, root)
		s.Drop()
	}
	if !slices.Equal(trees[0], trees[1]) || !slices.Equal(of[0], of[1]) {
		t.Fatalf("root %d: %+v, want %+v, or other depths", root, trees[0], trees[1])
	}
	if p, err := e.searcher.Profile(); err != nil || p.DeviceSeconds <= 0 || p.Examined <= 0 {
		t.Fatalf("root %d: %+v, %v", root, p, err)
	}
}

// Tuples are kept, or regenerated in parts.
func TestPeersOnOfficialGraphs(t *testing.T) { searchOfficial(t, false) }

func searchOfficial(t *testing.T, wide bool) {
	t.Helper()
	eachCount(t, func(t *testing.T, count int) {
		for _, limit := range []uint64{0, minimalMemory} {
			spec := devicetest.Official(devicetest.Sized(14, 12))
			tuples := devicetest.OfficialTuples(spec.Scale)
			e := startPeers(t, count, limit, 5003)
			e.wide = wide
			info := e.generate(t, spec, 3)
			if whole := e.members[0].tuples.Whole(); whole != (limit == 0) {
				t.Errorf("limit %d: the share is whole: %v", limit, whole)
			}
			_, c, want := onCPU(t, int(spec.Vertices()), tuples)
			want.Regenerated = limit > 0
			if info != want {
				t.Errorf("%+v, want %+v", info, want)
			}
			e.checkAgainst(t, c, int(spec.Vertices()), tuples, e.roots(t, spec, 4, info))
		}
	})
}

func TestPeersOnLoadedGraphs(t *testing.T) { searchLoadedByPeers(t, false) }

func searchLoadedByPeers(t *testing.T, wide bool) {
	t.Helper()
	eachCount(t, func(t *testing.T, count int) {
		vertices := 1024*count + 77
		var cycle, oneRange []engine.Edge
		for v := range engine.Local(500) {
			cycle = append(cycle, engine.Edge{U: 7 * v, V: 7 * ((v + 1) % 80)}) // beyond vertices: remainders
			oneRange = append(oneRange, engine.Edge{U: v, V: v / 2}, engine.Edge{U: v / 2, V: v})
		}
		for _, tuples := range [][]engine.Edge{cycle, oneRange} {
			for i := range tuples { // all within the graph
				tuples[i].U, tuples[i].V = tuples[i].U%engine.Local(vertices), tuples[i].V%engine.Local(vertices)
			}
			e := startPeers(t, count, 0, regeneratedPart)
			e.wide = wide
			if err := e.prepare(t, uint64(vertices), uint64(len(tuples)), true, 1); err != nil {
				t.Fatal(err)
			}
			if err := e.Load(t.Context(), uint64(vertices), inMemory(t, tuples)); err != nil {
				t.Fatal(err)
			}
			info := e.construct(t)
			_, c, want := onCPU(t, vertices, tuples)
			if info != want {
				t.Errorf("%+v, want %+v", info, want)
			}
			e.checkAgainst(t, c, vertices, tuples, []engine.Local{tuples[0].V, tuples[20].U})
		}
	})
}

// A changed tree is refused with the error that one device gives.
func TestPeersRefuseWrongTrees(t *testing.T) {
	eachCount(t, func(t *testing.T, count int) {
		spec := devicetest.Official(12)
		e, one := startPeers(t, count, 0, regeneratedPart), start(t, "default")
		info := e.generate(t, spec, 1)
		if err := one.Generate(t.Context(), spec, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := one.Construct(t.Context()); err != nil {
			t.Fatal(err)
		}
		root := one.keys(t, spec, 1, info)[0]
		if err := errors.Join(e.searcher.Clear(), e.searcher.Search(t.Context(), engine.Vertex(root)), e.searcher.Keep()); err != nil {
			t.Fatal(err)
		}
		r, err := e.searcher.AllResults(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		tree := slices.Clone(r.Parents)
		e.searcher.Drop()
		leaf := func(from int) int { // a vertex of the tree that is no parent
			return from + slices.IndexFunc(tree[from:], func(p engine.Local) bool { return p != engine.None && p != root })
		}
		changes := map[string]func(p []engine.Local){
			"unchanged":         func([]engine.Local) {},
			"root without tree": func(p []engine.Local) { p[root] = engine.None },
		}
		for k := range count {
			at := leaf(k * len(tree) / count)
			changes[fmt.Sprintf("a vertex is missing in range %d", k)] = func(p []engine.Local) { p[at] = engine.None }
			changes[fmt.Sprintf("own parent in range %d", k)] = func(p []engine.Local) { p[at] = engine.Local(at) }
			changes[fmt.Sprintf("no such parent in range %d", k)] = func(p []engine.Local) { p[at] = engine.Local(len(p)) + 5 }
			changes[fmt.Sprintf("wrong parent in range %d", k)] = func(p []engine.Local) { p[at] = tree[leaf(at+1)] ^ 1 }
			changes[fmt.Sprintf("unconnected vertex in range %d", k)] = func(p []engine.Local) {
				v := k*len(tree)/count + slices.Index(tree[k*len(tree)/count:], engine.None)
				p[v] = root
			}
		}
		for name, change := range changes {
			var texts [2]string
			for i, s := range []engine.Searcher{e.searcher, one.searcher} {
				if err := s.Set(engine.Vertex(root), func(r engine.Results) error {
					copy(r.Parents, tree)
					change(r.Parents)
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Check(t.Context()); err != nil {
					texts[i] = err.Error()
				}
				s.Drop()
			}
			if texts[0] != texts[1] || (texts[0] == "") != (name == "unchanged") {
				t.Errorf("%s: %q, one device gives %q", name, texts[0], texts[1])
			}
		}
	})
}

// Each GPU takes at most the planned memory.
func TestPeersPlanCoversWhatIsTaken(t *testing.T) { takePlanned(t, false) }

func takePlanned(t *testing.T, wide bool) {
	t.Helper()
	eachCount(t, func(t *testing.T, count int) {
		spec := devicetest.Official(12)
		job := engine.Job{Vertices: spec.Vertices(), Tuples: spec.Tuples(), Wide: wide, Strategies: []engine.Strategy{named("default")}, Searches: maxBatch}
		probe := startPeers(t, count, 0, 1<<12)
		share, _ := probe.largest(job)
		for _, l := range []layout{whole(share, 1, 1), whole(1<<12, 4, 1), whole(1<<12, 6, 3), whole(1<<12, 4, maxBatch)} {
			most := engine.Peak(probe.required(job, l), engine.DeviceMemory)
			e := startPeers(t, count, most, 1<<12)
			e.wide = wide
			info := e.generate(t, spec, maxBatch)
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
		}
	})
}

func TestPeersThatCannotBe(t *testing.T) {
	e := startPeers(t, 2, 0, regeneratedPart)
	if err := e.prepare(t, 2047, 100, true, 1); err == nil || err.Error() != "flag -gpus: 2 GPUs search graphs of at least 2048 vertices together, this one has 2047" {
		t.Error(err)
	}
	there, err := Count()
	if err != nil {
		t.Fatal(err)
	}
	if there < device.MostTogether {
		if _, err := NewPeers(t.Context(), cluster.Alone(), ordinals(there+1), 0, engine.Resident); err == nil || !strings.Contains(err.Error(), "no such GPU: ") || strings.Contains(err.Error(), "\n") {
			t.Error(err)
		}
	}
	if _, err := NewPeers(t.Context(), cluster.Alone(), ordinals(device.MostTogether+1), 0, engine.Resident); err == nil {
		t.Error("too many GPUs")
	}
	if _, err := e.NewSearcher(t.Context(), named("push")); err == nil {
		t.Error("a strategy of one GPU")
	}
}

// TestPeersLabels checks that several GPUs take labels of one bit more than one GPU does.
func TestPeersLabels(t *testing.T) {
	e := startPeers(t, 2, 0, regeneratedPart)
	if info := e.Info(); info.LabelBits != 31 || info.MaxVertices != 1<<31 {
		t.Errorf("at most %d vertices, labels of %d bits", info.MaxVertices, info.LabelBits)
	}
	for vertices, fits := range map[uint64]bool{1 << 31: true, 1<<31 + 1: false} {
		err := e.members[0].begin(vertices, togetherBits)
		if tooWide := err != nil && strings.Contains(err.Error(), "need labels of more than 31 bits"); tooWide == fits {
			t.Errorf("%d vertices: %v", vertices, err)
		}
	}
}
