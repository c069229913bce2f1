//go:build cuda

package gpu

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/conformance"
	"graph500/cpu"
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kronecker"
	"graph500/validate"
)

// onCPU returns the CPU's searcher of a graph.
func onCPU(t *testing.T, g conformance.Graph, k engine.Kernel) engine.Searcher {
	t.Helper()
	e, of := cpu.New(cluster.Alone(), 0), engine.Strategy{Kernel: k, Name: defaultStrategy}
	job := one.job(g, 1, of)
	if err := errors.Join(e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}, nil), conformance.Provide(t.Context(), e, g, job, 1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Construct(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := e.NewSearcher(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(s.Close(), e.Close()) })
	return s
}

// set keeps a search with those results.
func set(s engine.Searcher, root engine.Label, to engine.Results) error {
	return s.Set(engine.Vertex(root), func(r engine.Results) error {
		copy(r.Parents, to.Parents)
		copy(r.Distances, to.Distances)
		return nil
	})
}

// changedResults are results of a search after a change of that name.
type changedResults struct {
	name string
	engine.Results
}

// wrongResults returns changed results of a search, and the results, "unchanged". In each of some
// ranges of the vertices one is wrong.
func wrongResults(right engine.Results, root engine.Label, ranges int) (wrong []changedResults) {
	change := func(name string, how func(r engine.Results)) {
		r := cloned(right)
		how(r)
		wrong = append(wrong, changedResults{name, r})
	}
	change("unchanged", func(engine.Results) {})
	change("root without parent", func(r engine.Results) { r.Parents[root] = engine.None })
	for k := range ranges {
		from := k * len(right.Parents) / ranges
		at := from + slices.IndexFunc(right.Parents[from:], func(p engine.Label) bool { return p != engine.None && p != root })
		change(fmt.Sprintf("vertex %d is its parent", at), func(r engine.Results) { r.Parents[at] = engine.Label(at) })
		change(fmt.Sprintf("vertex %d has another parent", at), func(r engine.Results) { r.Parents[at] = engine.Label(at) ^ 1 })
		change(fmt.Sprintf("vertex %d has no such parent", at), func(r engine.Results) { r.Parents[at] = engine.Label(len(r.Parents)) + 5 })
		if right.Distances == nil {
			change(fmt.Sprintf("vertex %d is missing", at), func(r engine.Results) { r.Parents[at] = engine.None })
			continue
		}
		change(fmt.Sprintf("vertex %d is missing", at), func(r engine.Results) { r.Parents[at], r.Distances[at] = engine.None, engine.Unreached })
		change(fmt.Sprintf("vertex %d is farther", at), func(r engine.Results) { r.Distances[at] *= 2 })
		change(fmt.Sprintf("vertex %d is nearer", at), func(r engine.Results) { r.Distances[at] /= 2 })
	}
	return wrong
}

// Changed results are refused on all ranks with the error that the CPU gives, at each position of a batch,
// after which there is another wrong one. They stay in the batch.
func TestWrongResultsAreRefused(t *testing.T) {
	for number, a := range append([]arrangement{one}, arrangements()...) {
		if testing.Short() && number%25 != 0 {
			continue
		}
		t.Run(a.String(), func(t *testing.T) {
			const part, batch = 1003, 3
			g := a.official()
			job := a.job(g, batch, bothKernels()...)
			o := Options{part: part}
			o.MaxBytes = withLayout(part, construct.MostGroups, batch)(startTeam(t, a, o).engines[0].planner, job)
			r := startTeam(t, a, o)
			r.build(t, g, job)
			for n, k := range engine.Kernels() {
				root, c := g.Roots[0], onCPU(t, g, k)
				if err := searched(t.Context(), c, root); err != nil {
					t.Fatal(err)
				}
				kept, err := c.Results(t.Context(), 0)
				if err != nil {
					t.Fatal(err)
				}
				right := cloned(kept)
				for i, wrong := range wrongResults(right, root, a.ranks*a.each) {
					c.Drop()
					if err := set(c, root, wrong.Results); err != nil {
						t.Fatal(err)
					}
					_, want := c.Check(t.Context())
					if (want == nil) != (wrong.name == "unchanged") {
						t.Fatalf("%s: the CPU gives %v", wrong.name, want)
					}
					r.do(t, func(rank int) error {
						return refuses(t, r.searchers[rank][n], root, right, wrong.Results, i%batch, want)
					})
				}
			}
		})
	}
}

// refuses requires the error for wrong results at a position of a batch.
func refuses(t *testing.T, s *Searcher, root engine.Label, right, wrong engine.Results, position int, want error) error {
	defer s.Drop()
	for i := range s.Capacity() {
		results := right
		if i == position || i == position+2 {
			results = wrong
		}
		if err := set(s, root, results); err != nil {
			return err
		}
	}
	if err := set(s, root, right); err == nil {
		return errors.New("more searches in the batch than its capacity")
	}
	trees, err := s.Check(t.Context())
	if !reflect.DeepEqual(err, want) || want != nil && len(trees) != position || want == nil && len(trees) != s.Capacity() {
		return fmt.Errorf("position %d of %d: %d trees and %w, want %w", position, s.Capacity(), len(trees), err, want)
	}
	if got, err := s.AllResults(t.Context(), position); err != nil || !slices.Equal(got.Parents, wrong.Parents) || !slices.Equal(got.Distances, wrong.Distances) {
		return fmt.Errorf("position %d: other results than those set, %w", position, err)
	}
	s.Drop()
	refusal := errors.New("refusal")
	if err := s.Set(0, func(engine.Results) error { return refusal }); err != refusal {
		return err
	}
	if trees, err := s.Check(t.Context()); err != nil || len(trees) > 0 {
		return fmt.Errorf("%d trees of an empty batch, %w", len(trees), err)
	}
	return nil
}

// No wrong entry of the results of 64 bits of any GPU of any rank is valid because of its low
// 32 bits.
func TestWrongWideParentsAreRefused(t *testing.T) {
	const beyond = "vertex %d has a parent of more than 32 bits"
	changes := []struct {
		change func(int64) int64
		want   string
	}{
		{func(p int64) int64 { return p | 1<<32 }, beyond}, {func(p int64) int64 { return p | 1<<47 }, beyond},
		{func(p int64) int64 { return p | -1<<32 }, beyond}, {func(int64) int64 { return -2 }, beyond},
		{func(int64) int64 { return 1<<32 - 1 }, beyond}, {func(int64) int64 { return 1 << 20 }, "vertex %d has parent 1048576, the graph has"},
	}
	wide := one
	wide.wide = true
	for number, a := range append([]arrangement{wide}, arrangements()...) {
		if !a.wide || testing.Short() && number%10 != 0 {
			continue
		}
		t.Run(a.String(), func(t *testing.T) {
			g := a.official()
			root := engine.Vertex(g.Roots[0])
			r := startTeam(t, a, Options{part: 5003})
			r.build(t, g, a.job(g, 1, bothKernels()...))
			for n := range engine.Kernels() {
				for k := range a.ranks * a.each {
					for i, c := range changes {
						if testing.Short() && i != 1+(n+k)%2 { // the most or the least of the wrong bits
							continue
						}
						texts, vertex := make([]string, a.ranks), -1
						r.do(t, func(rank int) error {
							s := r.searchers[rank][n]
							defer s.Drop()
							if err := errors.Join(s.Clear(), s.Search(t.Context(), root)); err != nil {
								return err
							}
							if k/a.each == rank { // its GPU has the wrong entry
								parents := s.members[k%a.each].wide.parents
								host := make([]int64, parents.Len())
								if err := parents.Read(0, host); err != nil {
									return err
								}
								at := slices.IndexFunc(host, func(p int64) bool { return p >= 0 && p != int64(root) })
								vertex = int(s.engine.ranges[k].First) + at
								if err := parents.Write(at, []int64{c.change(host[at])}); err != nil {
									return err
								}
							}
							if err := s.Keep(); err != nil {
								return err
							}
							_, err := s.Check(t.Context())
							if broken := (*validate.Error)(nil); errors.As(err, &broken) {
								texts[rank] = err.Error()
							}
							return nil
						})
						wanted := fmt.Sprintf(c.want, vertex)
						if slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(text, wanted) }) {
							t.Errorf("GPU %d, %s: %q", k, wanted, texts)
						}
					}
				}
			}
		})
	}
}

// Construction names the first wrong tuple, in whatever part it is.
func TestWrongTuplesAreRefused(t *testing.T) {
	g := conformance.Graph{Vertices: 3, Tuples: engine.Tuples{Edges: slices.Repeat([]engine.Edge{{U: 0, V: 1}}, 9), Weights: make([]float32, 9)}}
	g.Tuples.Edges[6].V, g.Tuples.Edges[8].U, g.Tuples.Weights[5] = 5, 7, -1
	for _, o := range []Options{{}, {MaxBytes: 1 << 25, part: 2, Residency: engine.Prefix}} { // on the device, and in host memory
		for k, want := range []string{"graph: tuple 6 (0, 5) names a vertex beyond the last one, 2", "graph: tuple 5 has weight -1, weights must be finite and 0 or more"} {
			r := startTeam(t, one, o)
			r.provide(t, g, one.job(g, 1, bothKernels()[k]))
			if _, err := r.engines[0].Construct(t.Context()); err == nil || err.Error() != want {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
	e := startTeam(t, one, Options{}).engines[0]
	if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(one.job(g, 1, shortestPaths()))}, nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Load(t.Context(), 3, engine.Tuples{Edges: g.Tuples.Edges}); err == nil {
		t.Error("tuples without weights were loaded for shortest paths")
	}
}

// What an engine cannot do is refused with a reason.
func TestRefusals(t *testing.T) {
	ctx, two := t.Context(), arrangement{ranks: 1, each: 2, exchange: engine.PeerExchange}
	edge := conformance.Graph{Vertices: 2, Tuples: engine.Tuples{Edges: []engine.Edge{{U: 0, V: 1}}, Weights: []float32{1}}}
	e, _ := start(t, one, edge, named(defaultStrategy))
	paths, _ := start(t, one, edge, shortestPaths())
	team := startTeam(t, two, Options{})
	tooFew := two.job(conformance.Graph{Vertices: 2047}, 1, named(defaultStrategy))
	g := conformance.Official(11)
	built := startTeam(t, two, Options{})
	built.build(t, g, two.job(g, 1, named(defaultStrategy)))
	there, err := Count()
	if err != nil {
		t.Fatal(err)
	}
	opened := func(ordinals []int, o Options) error {
		_, err := New(ctx, cluster.Alone(), ordinals, o)
		return err
	}
	searcher := func(e *Engine, k engine.Kernel, name string) error {
		_, err := e.NewSearcher(ctx, engine.Strategy{Kernel: k, Name: name})
		return err
	}
	empty := startTeam(t, one, Options{}).engines[0]
	for _, c := range []struct {
		want string
		err  error
	}{
		{"need labels of more than 30 bits", empty.Load(ctx, 1<<30+1, engine.Tuples{})},
		{"need labels of more than 30 bits", empty.Generate(ctx, kronecker.Spec{Scale: 31, EdgeFactor: 1, Seed1: 2, Seed2: 3}, nil)},
		{"", e.Load(ctx, 2, engine.Tuples{})}, // twice
		{`no strategy "sideways" for bfs`, searcher(e, engine.BFS, "sideways")},
		{"there is no graph for sssp", searcher(e, engine.SSSP, defaultStrategy)},
		{"there is no graph for bfs", searcher(paths, engine.BFS, defaultStrategy)},
		{`strategy "push" for bfs does not run on several GPUs`, searcher(built.engines[0], engine.BFS, "push")},
		{"GPU 1000: no such GPU", opened([]int{1000}, Options{})},
		{"no such GPU: ", opened(ordinals(there+1), Options{})},
		{"flag -gpus: 2 GPUs search graphs of at least 2048 vertices together, this one has 2047", team.engines[0].Prepare(ctx, []engine.Plan{team.engines[0].Plan(tooFew)}, nil)},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) || strings.Contains(c.err.Error(), "\n") {
			t.Errorf("%s: %v", c.want, c.err)
		}
	}
	for _, c := range []struct {
		count  int
		o      Options
		option string
	}{
		{device.MostTogether + 1, Options{Exchange: engine.PeerExchange}, ExchangeOption},
		{2, Options{Exchange: engine.HostExchange, Residency: engine.Prefix}, ResidencyOption},
	} {
		if refused := (*OptionError)(nil); !errors.As(opened(slices.Repeat([]int{0}, c.count), c.o), &refused) || refused.Option != c.option {
			t.Errorf("%d GPUs, %+v: %+v", c.count, c.o, refused)
		}
	}
}
