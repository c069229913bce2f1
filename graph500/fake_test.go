package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"graph500/engine"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/validate"
)

// fakeEngine is a simple serial engine. A test sets its errors and times. It records every
// call that can fail or take time, except Prepare and Usable.
type fakeEngine struct {
	calls    []string
	vertices uint64
	tuples   []engine.Edge
	rows     [][]engine.Local

	threads     int           // of Info, if not 0
	regenerates bool          // of the graph that Construct returns
	capacity    int           // of Capacity, if not 0
	device      time.Duration // of every search by the device's clock
	counts      *engine.Counts

	plan        []engine.Allocation
	prepared    []engine.Job
	takes       map[string]time.Duration               // time of a call, by name
	fails       map[string]error                       // error of a call, by name
	onSearch    func(call int)                         // before search number call; the warm-up is 0
	bend        func(call int, parents []engine.Local) // after it
	searchCalls int
}

// fakeSearcher is a searcher of a fakeEngine.
type fakeSearcher struct {
	*fakeEngine
	root    engine.Vertex
	parents []engine.Local
	profile engine.Profile
	kept    []validate.Search
}

func (f *fakeEngine) enter(ctx context.Context, call string) error {
	f.calls = append(f.calls, call)
	time.Sleep(f.takes[call])
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return f.fails[call]
}

func (f *fakeEngine) Info() engine.Info {
	return engine.Info{Name: "fake", Hardware: "none", Threads: max(1, f.threads), LabelBits: 48, MaxVertices: 1 << 40}
}

func (f *fakeEngine) Memory() memory.Limit            { return memory.Limit{} }
func (f *fakeEngine) CopyBandwidth() (float64, error) { return 0, nil }
func (f *fakeEngine) Close() error                    { return f.enter(context.Background(), "close") }

func (f *fakeEngine) Plan(job engine.Job) []engine.Allocation {
	if f.plan != nil {
		return f.plan
	}
	return []engine.Allocation{{Name: "tuples", Bytes: 8 * job.Tuples}, {Name: "parents", Bytes: 4 * job.Vertices, Phase: engine.Searching}}
}

func (f *fakeEngine) Prepare(ctx context.Context, jobs []engine.Job) error {
	f.prepared = jobs
	return f.fails["prepare"]
}

func (f *fakeEngine) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	f.vertices, f.tuples = spec.Vertices(), make([]engine.Edge, spec.Tuples())
	kronecker.New(spec).Edges(f.tuples, 0)
	progress(int64(len(f.tuples)), int64(len(f.tuples)))
	return f.enter(ctx, "generate")
}

func (f *fakeEngine) Load(vertices uint64, tuples engine.Tuples) error {
	f.vertices, f.tuples = vertices, tuples.Edges
	return f.enter(context.Background(), "load")
}

func (f *fakeEngine) Tuples(ctx context.Context, yield func(engine.Tuples) error) error {
	if err := f.enter(ctx, "tuples"); err != nil {
		return err
	}
	return yield(engine.Tuples{Edges: f.tuples})
}

func (f *fakeEngine) Construct(ctx context.Context) (engine.Graph, error) {
	info := engine.Graph{Vertices: int64(f.vertices), Tuples: int64(len(f.tuples)), Regenerated: f.regenerates}
	f.rows = make([][]engine.Local, f.vertices)
	for _, e := range f.tuples {
		if e.U == e.V {
			info.SelfLoops++
			continue
		}
		f.rows[e.U] = append(f.rows[e.U], e.V)
		f.rows[e.V] = append(f.rows[e.V], e.U)
	}
	for _, row := range f.rows {
		info.Arcs += int64(len(row))
		if len(row) > 0 {
			info.Connected++
		}
	}
	return info, f.enter(ctx, "construct")
}

func (f *fakeEngine) Usable(_ context.Context, vertices []engine.Vertex) ([]bool, error) {
	usable := make([]bool, len(vertices))
	for i, v := range vertices {
		usable[i] = len(f.rows[v]) > 0
	}
	return usable, f.fails["usable"]
}

func (f *fakeEngine) NewSearcher(ctx context.Context, strategy engine.Strategy) (engine.Searcher, error) {
	if err := f.enter(ctx, "use "+strategy.Name); err != nil {
		return nil, err
	}
	return &fakeSearcher{fakeEngine: f, parents: make([]engine.Local, f.vertices)}, nil
}

func (s *fakeSearcher) Close() error { return s.enter(context.Background(), "close search") }

func (s *fakeSearcher) Capacity() int { return max(1, s.capacity) }

func (s *fakeSearcher) Clear() error {
	for v := range s.parents {
		s.parents[v] = engine.None
	}
	return s.enter(context.Background(), "clear")
}

func (s *fakeSearcher) Search(ctx context.Context, root engine.Vertex) error {
	call := s.searchCalls
	s.searchCalls++
	if s.onSearch != nil {
		s.onSearch(call)
	}
	s.search(root)
	if s.bend != nil {
		s.bend(call, s.parents)
	}
	return s.enter(ctx, "search")
}

func (s *fakeSearcher) search(root engine.Vertex) {
	s.root = root
	s.profile.Reset()
	s.parents[root] = engine.Local(root)
	for frontier := []engine.Local{engine.Local(root)}; len(frontier) > 0; {
		var next []engine.Local
		for _, u := range frontier {
			for _, v := range s.rows[u] {
				if s.parents[v] == engine.None {
					s.parents[v] = u
					next = append(next, v)
				}
			}
		}
		s.profile.Add(engine.Level{Frontier: int64(len(frontier)), Found: int64(len(next))})
		frontier = next
	}
}

func (s *fakeSearcher) Profile() (engine.Profile, error) {
	s.profile.DeviceSeconds = s.device.Seconds()
	return s.profile, s.enter(context.Background(), "profile")
}

func (s *fakeSearcher) Keep() error {
	if len(s.kept) == s.Capacity() {
		return fmt.Errorf("%d searches are kept already", len(s.kept))
	}
	s.kept = append(s.kept, validate.Search{Root: s.root, Parents: slices.Clone(s.parents)})
	return s.enter(context.Background(), "keep")
}

func (s *fakeSearcher) Set(root engine.Vertex, fill func(engine.Results) error) error {
	if err := fill(engine.Results{Parents: s.parents}); err != nil {
		return err
	}
	s.root = root
	return s.Keep()
}

func (s *fakeSearcher) Drop() { s.kept = nil }

// Check checks the root only.
func (s *fakeSearcher) Check(ctx context.Context) ([]engine.Tree, error) {
	return s.facts(ctx, "check", func(kept validate.Search) error {
		if parent := kept.Parents[kept.Root]; engine.Vertex(parent) != kept.Root {
			return validate.RootError(kept.Root, parent, len(kept.Parents))
		}
		return nil
	})
}

func (s *fakeSearcher) CountEdges(ctx context.Context) ([]engine.Tree, error) {
	return s.facts(ctx, "count", func(validate.Search) error { return nil })
}

func (s *fakeSearcher) facts(ctx context.Context, call string, fault func(validate.Search) error) (facts []engine.Tree, err error) {
	if err := s.enter(ctx, call); err != nil {
		return nil, err
	}
	for _, kept := range s.kept {
		if err := fault(kept); err != nil {
			return facts, err
		}
		facts = append(facts, s.count(kept.Parents))
	}
	return facts, nil
}

func (s *fakeSearcher) count(parents []engine.Local) (tree engine.Tree) {
	for _, p := range parents {
		if p != engine.None {
			tree.Visited++
		}
	}
	for _, e := range s.tuples {
		if e.U != e.V && parents[e.U] != engine.None {
			tree.Edges++
		}
	}
	return tree
}

func (s *fakeSearcher) Results(_ context.Context, i int) (engine.Results, error) {
	return engine.Results{Parents: s.kept[i].Parents}, s.fails["results"]
}

// CountWork returns the error of fails even if the search is stopped.
func (s *fakeSearcher) CountWork(ctx context.Context, root engine.Vertex) (*engine.Counts, error) {
	if s.counts == nil {
		return nil, nil
	}
	s.calls = append(s.calls, "count work")
	err := errors.Join(s.Clear(), s.Search(ctx, root))
	if fault := s.fails["count work"]; fault != nil {
		err = fault
	}
	return s.counts, err
}
