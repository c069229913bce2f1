package run

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
	tuples   engine.Tuples
	rows     [][]engine.Label
	lengths  [][]float32 // weights of the arcs in rows, if a job needs them

	threads     int           // of Info, if not 0
	regenerates bool          // of the graph that Construct returns
	capacity    int           // of Capacity, if not 0
	room        int           // if not 0, kept searches after which Capacity is their number
	device      time.Duration // of every search by the device's clock
	counts      *engine.Counts

	plan        []engine.Allocation
	prepared    []engine.Plan
	takes       map[string]time.Duration               // time of a call, by name
	fails       map[string]error                       // error of a call, by name
	onSearch    func(call int)                         // before search number call; the warm-up is 0
	bend        func(call int, parents []engine.Label) // after it
	bendSSSP    func(call int, results engine.Results) // the same, of SSSP
	searchCalls int
}

// fakeSearcher is a searcher of a fakeEngine. The calls of a searcher of SSSP are
// recorded with the prefix "sssp ".
type fakeSearcher struct {
	*fakeEngine
	kernel  engine.Kernel
	root    engine.Vertex
	results engine.Results
	profile engine.Profile
	kept    []fakeSearch
}

type fakeSearch struct {
	root engine.Vertex
	engine.Results
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

func (f *fakeEngine) DevicePeak() uint64 { return 0 }
func (f *fakeEngine) Close() error       { return f.enter(context.Background(), "close") }

func (f *fakeEngine) Plan(job engine.Job) engine.Plan {
	if f.plan != nil {
		return engine.Plan{Job: job, Memory: f.plan}
	}
	memory := []engine.Allocation{{Name: "tuples", Bytes: 8 * job.Tuples}, {Name: "parents", Bytes: 4 * job.Vertices, Phase: engine.Searching}}
	if job.Weighted() {
		memory = append(memory, engine.Allocation{Name: "weights", Bytes: 4 * job.Tuples})
	}
	return engine.Plan{Job: job, Memory: memory}
}

func (f *fakeEngine) Prepare(ctx context.Context, plans []engine.Plan, progress func(done, total int64)) error {
	f.prepared = plans
	return f.fails["prepare"]
}

func (f *fakeEngine) weighted() bool {
	return slices.ContainsFunc(f.prepared, func(p engine.Plan) bool { return p.Weighted() })
}

func (f *fakeEngine) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	f.vertices, f.tuples.Edges = spec.Vertices(), make([]engine.Edge, spec.Tuples())
	if f.weighted() {
		f.tuples.Weights = make([]float32, spec.Tuples())
	}
	kronecker.New(spec).Tuples(f.tuples, 0)
	progress(int64(spec.Tuples()), int64(spec.Tuples()))
	return f.enter(ctx, "generate")
}

func (f *fakeEngine) Load(_ context.Context, vertices uint64, tuples engine.Tuples) error {
	if f.weighted() && len(tuples.Weights) != len(tuples.Edges) {
		return fmt.Errorf("%d weights for %d tuples", len(tuples.Weights), len(tuples.Edges))
	}
	f.vertices, f.tuples = vertices, tuples
	return f.enter(context.Background(), "load")
}

func (f *fakeEngine) Tuples(ctx context.Context, yield func(engine.Tuples) error) error {
	if err := f.enter(ctx, "tuples"); err != nil {
		return err
	}
	return yield(f.tuples)
}

func (f *fakeEngine) AllTuples(ctx context.Context, yield func(engine.Tuples) error) error {
	return f.Tuples(ctx, yield)
}

func (f *fakeEngine) Construct(ctx context.Context) (engine.Graph, error) {
	info := engine.Graph{Vertices: int64(f.vertices), Tuples: int64(len(f.tuples.Edges)), Regenerated: f.regenerates}
	f.rows, f.lengths = make([][]engine.Label, f.vertices), make([][]float32, f.vertices)
	for i, e := range f.tuples.Edges {
		if e.U == e.V {
			info.SelfLoops++
			continue
		}
		f.rows[e.U] = append(f.rows[e.U], e.V)
		f.rows[e.V] = append(f.rows[e.V], e.U)
		if f.tuples.Weights != nil {
			f.lengths[e.U] = append(f.lengths[e.U], f.tuples.Weights[i])
			f.lengths[e.V] = append(f.lengths[e.V], f.tuples.Weights[i])
		}
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
	s := &fakeSearcher{fakeEngine: f, kernel: strategy.Kernel}
	s.results.Parents = make([]engine.Label, f.vertices)
	if s.kernel == engine.SSSP {
		s.results.Distances = make([]float32, f.vertices)
	}
	return s, s.enter(ctx, "use "+strategy.Name)
}

// enter is that of the engine, with the kernel before the name of the call.
func (s *fakeSearcher) enter(ctx context.Context, call string) error {
	if s.kernel == engine.SSSP {
		call = "sssp " + call
	}
	return s.fakeEngine.enter(ctx, call)
}

func (s *fakeSearcher) Close() error { return s.enter(context.Background(), "close search") }

func (s *fakeSearcher) Capacity() int {
	if s.room > 0 && len(s.kept) == s.room {
		return s.room
	}
	return max(1, s.capacity)
}

func (s *fakeSearcher) Clear() error {
	for v := range s.results.Parents {
		s.results.Parents[v] = engine.None
	}
	for v := range s.results.Distances {
		s.results.Distances[v] = engine.Unreached
	}
	return s.enter(context.Background(), "clear")
}

func (s *fakeSearcher) Search(ctx context.Context, root engine.Vertex) error {
	call := s.searchCalls
	s.searchCalls++
	if s.onSearch != nil {
		s.onSearch(call)
	}
	s.root = root
	s.profile.Reset()
	if s.kernel == engine.SSSP {
		s.shortestPaths()
		if s.bendSSSP != nil {
			s.bendSSSP(call, s.results)
		}
		return s.enter(ctx, "search")
	}
	s.search(root)
	if s.bend != nil {
		s.bend(call, s.results.Parents)
	}
	return s.enter(ctx, "search")
}

// shortestPaths is Dijkstra's algorithm, with a search through all vertices for the next.
func (s *fakeSearcher) shortestPaths() {
	parents, distances := s.results.Parents, s.results.Distances
	parents[s.root], distances[s.root] = engine.Label(s.root), 0
	settled := make([]bool, len(distances))
	level := engine.Level{Step: "settle"}
	for {
		u := -1
		for v, d := range distances {
			if !settled[v] && d != engine.Unreached && (u < 0 || d < distances[u]) {
				u = v
			}
		}
		if u < 0 {
			s.profile.Add(level)
			return
		}
		settled[u] = true
		level.Frontier++
		for i, v := range s.rows[u] {
			if d := distances[u] + s.lengths[u][i]; distances[v] == engine.Unreached || d < distances[v] {
				parents[v], distances[v] = engine.Label(u), d
				level.Found++
			}
		}
	}
}

func (s *fakeSearcher) search(root engine.Vertex) {
	parents := s.results.Parents
	parents[root] = engine.Label(root)
	for frontier := []engine.Label{engine.Label(root)}; len(frontier) > 0; {
		var next []engine.Label
		for _, u := range frontier {
			for _, v := range s.rows[u] {
				if parents[v] == engine.None {
					parents[v] = u
					next = append(next, v)
				}
			}
		}
		s.profile.Add(engine.Level{Direction: engine.TopDown, Frontier: int64(len(frontier)), Found: int64(len(next))})
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
	s.kept = append(s.kept, fakeSearch{s.root, engine.Results{Parents: slices.Clone(s.results.Parents), Distances: slices.Clone(s.results.Distances)}})
	return s.enter(context.Background(), "keep")
}

func (s *fakeSearcher) Set(root engine.Vertex, fill func(engine.Results) error) error {
	if err := fill(s.results); err != nil {
		return err
	}
	s.root = root
	return s.Keep()
}

func (s *fakeSearcher) Drop() { s.kept = nil }

// Check checks the root only.
func (s *fakeSearcher) Check(ctx context.Context) ([]engine.Tree, error) {
	return s.facts(ctx, "check", func(kept fakeSearch) error {
		if parent := kept.Parents[kept.root]; engine.Vertex(parent) != kept.root {
			return validate.RootError(kept.root, parent, len(kept.Parents))
		}
		return nil
	})
}

func (s *fakeSearcher) CountEdges(ctx context.Context) ([]engine.Tree, error) {
	return s.facts(ctx, "count", func(fakeSearch) error { return nil })
}

func (s *fakeSearcher) facts(ctx context.Context, call string, fault func(fakeSearch) error) (facts []engine.Tree, err error) {
	if err := s.enter(ctx, call); err != nil {
		return nil, err
	}
	for _, kept := range s.kept {
		if err := fault(kept); err != nil {
			return facts, err
		}
		facts = append(facts, s.count(kept.Results))
	}
	return facts, nil
}

func (s *fakeSearcher) count(r engine.Results) (tree engine.Tree) {
	for _, p := range r.Parents {
		if p != engine.None {
			tree.Visited++
		}
	}
	for _, e := range s.tuples.Edges {
		if e.U != e.V && r.Parents[e.U] != engine.None {
			tree.Edges++
		}
	}
	for _, d := range r.Distances {
		tree.MaxDistance = max(tree.MaxDistance, d)
	}
	return tree
}

func (s *fakeSearcher) Results(_ context.Context, i int) (engine.Results, error) {
	return s.kept[i].Results, s.fails["results"]
}

func (s *fakeSearcher) AllResults(ctx context.Context, i int) (engine.Results, error) {
	return s.Results(ctx, i)
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
