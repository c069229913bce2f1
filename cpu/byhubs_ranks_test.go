package cpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/cluster"
	"graph500/conformance"
	"graph500/engine"
	"graph500/graph"
	"graph500/vector"
)

// hubSearch is a graph that ranks search by depths of hubs.
type hubSearch struct {
	ranks, threads int
	vertices       int
	tuples         []engine.Edge
	form           graph.HubForm
	rule           hubRule
	vector         vector.Form
	wide           bool
}

// check searches from roots and checks parents and levels.
func (h hubSearch) check(t *testing.T, roots ...engine.Label) {
	t.Helper()
	parents := make([][]engine.Label, len(roots))
	for i := range parents {
		parents[i] = make([]engine.Label, h.vertices)
	}
	profiles := make([][]engine.Profile, h.ranks)
	if err := errors.Join(cluster.RunInProcess(t.Context(), h.ranks, func(ctx context.Context, w *cluster.World) (err error) {
		s, err := h.load(ctx, w)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close(), s.engine.Close()) }()
		for i, root := range roots {
			if err := errors.Join(s.Clear(), s.Search(ctx, engine.Vertex(root))); err != nil {
				return err
			}
			p, err := s.Profile()
			if err != nil {
				return err
			}
			p.Levels = slices.Clone(p.Levels)
			profiles[w.Rank()] = append(profiles[w.Rank()], p)
			if err := s.Keep(); err != nil {
				return err
			}
			first, owned := s.engine.owned()
			copy(parents[i][first:first+owned], s.results.Parents)
			s.Drop()
		}
		return nil
	})...); err != nil {
		t.Fatalf("%+v: %v", h, err)
	}
	for i, root := range roots {
		p, answer := profiles[0][i], conformance.AnswerOf(h.vertices, engine.Tuples{Edges: h.tuples}, root)
		if err := errors.Join(answer.Judge(engine.BFS, parents[i], nil), answer.JudgeLevels(p)); err != nil {
			t.Fatalf("%+v: %v", h, err)
		}
		for _, of := range profiles[1:] {
			for l := range of[i].Levels {
				of[i].Levels[l].Seconds = p.Levels[l].Seconds
			}
			if diff := cmp.Diff(p, of[i]); diff != "" {
				t.Fatalf("%+v: ranks have other levels: %s", h, diff)
			}
		}
	}
}

// load loads a rank's part of the tuples and makes its searcher.
func (h hubSearch) load(ctx context.Context, w *cluster.World) (*Searcher, error) {
	e := New(w, h.threads)
	// A job without a strategy keeps the rows.
	if err := provide(ctx, e, h.vertices, engine.Tuples{Edges: h.tuples}, engine.Job{Wide: h.wide}); err != nil {
		return nil, err
	}
	if _, err := e.Construct(ctx); err != nil {
		return nil, err
	}
	g, err := e.graph.ByHubs(ctx, e.team, h.form, true)
	if err = errors.Join(err, e.byHubs.Close()); err != nil {
		return nil, err
	}
	e.byHubs = g
	s, err := e.NewSearcher(ctx, engine.Strategy{Kernel: engine.BFS, Name: "default"})
	if err != nil {
		return nil, err
	}
	m := s.(*Searcher).method.(*byHubs)
	m.rule, m.form = h.rule, h.vector
	return s.(*Searcher), nil
}

// TestByHubsRanksEdgeCases searches graphs that are far from those of the benchmark over ranks, of
// which many own no vertex, with and without the dense pass.
func TestByHubsRanksEdgeCases(t *testing.T) {
	for name, tuples := range edgeCases() {
		vertices := extent(tuples)
		for _, ranks := range []int{2, 3, 20} {
			for i, hubs := range []int{0, 1, 40, graph.MostHubs} {
				if (i+ranks+len(tuples))%2 == 0 || ranks > 3 && i%3 == 0 || testing.Short() && ranks != 2 {
					continue
				}
				t.Run(fmt.Sprint(name, ranks, hubs), func(t *testing.T) {
					h := hubSearch{ranks: ranks, threads: threadsOf(ranks), vertices: vertices, tuples: tuples, vector: vector.Chosen(), wide: i == 2}
					h.form = graph.HubForm{ChunkBits: 6, Hubs: hubs}
					for _, h.rule = range []hubRule{alwaysDense, newByHubs().(*byHubs).rule} {
						h.check(t, 0, 1, 5, engine.Label(vertices-1))
					}
				})
			}
		}
	}
}

// TestByHubsRanksRandomGraphs draws graphs with hubs, leaves, pairs, chains and several components,
// numbers of ranks and threads, forms and rules, widths of labels and vector forms.
func TestByHubsRanksRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	graphs := 150
	if testing.Short() {
		graphs = 50
	}
	for i := range graphs {
		h := hubSearch{ranks: 2 + r.IntN(5), wide: r.IntN(4) == 0}
		h.threads = threadsOf(h.ranks)
		h.vertices, h.tuples = randomHubGraph(r)
		h.form = graph.HubForm{ChunkBits: uint(6 + r.IntN(6)), Hubs: r.IntN(1 << r.IntN(12))}
		h.rule = hubRule{alpha: 1 << r.IntN(12), arcs: uint64(r.IntN(1 << r.IntN(9)))}
		forms := vector.Forms()
		h.vector = forms[i%len(forms)]
		var roots []engine.Label
		for range 4 {
			roots = append(roots, engine.Label(r.IntN(h.vertices)))
		}
		h.check(t, roots...)
	}
}

// TestByHubsRanksLateLevels searches a long path over all ranks behind a dense core.
func TestByHubsRanksLateLevels(t *testing.T) {
	const core, length = 60, 2000
	vertices, tuples := corePath(core, length)
	h := hubSearch{ranks: 3, threads: 2, vertices: vertices, tuples: tuples, vector: vector.Chosen()}
	h.form, h.rule = graph.HubForm{ChunkBits: 6, Hubs: core / 2}, alwaysDense
	h.check(t, 0, engine.Label(vertices-1))
}
