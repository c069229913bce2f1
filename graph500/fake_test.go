package main

import (
	"context"
	"slices"
	"time"

	"graph500/engine"
	"graph500/kronecker"
	"graph500/validate"
)

// fakeEngine is a plain serial engine whose failures and times a test chooses.
// It notes every call.
type fakeEngine struct {
	calls    []string
	vertices uint64
	tuples   []engine.Edge
	rows     [][]engine.Vertex
	parents  []engine.Vertex
	levels   []engine.Level // of the last search, overwritten by the next
	device   time.Duration  // of every search

	regenerates bool // what Construct says of the tuples

	together int // what Batch says
	kept     []fakeTree

	plan        []engine.Allocation
	takes       map[string]time.Duration // a call's own time, by name
	fails       map[string]error         // a call's error, by name
	onSearch    func(call int)           // before search number call, the warm-up is 0
	searchCalls int
}

// fakeTree is a search that was kept.
type fakeTree struct {
	root    engine.Vertex
	parents []engine.Vertex
}

func (f *fakeEngine) enter(ctx context.Context, call string) error {
	f.calls = append(f.calls, call)
	time.Sleep(f.takes[call])
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return f.fails[call]
}

func (f *fakeEngine) Name() string     { return "fake" }
func (f *fakeEngine) Hardware() string { return "none" }
func (f *fakeEngine) Threads() int     { return 1 }
func (f *fakeEngine) Close() error     { return f.enter(context.Background(), "close") }

func (f *fakeEngine) Plan(vertices, tuples uint64, _ bool) []engine.Allocation {
	if f.plan != nil {
		return f.plan
	}
	return []engine.Allocation{{Name: "tuples", Bytes: 8 * tuples}, {Name: "parents", Bytes: 4 * vertices, Phase: engine.Searching}}
}

func (f *fakeEngine) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	f.vertices, f.tuples = spec.Vertices(), make([]engine.Edge, spec.Tuples())
	kronecker.New(spec).Edges(f.tuples, 0)
	progress(int64(len(f.tuples)), int64(len(f.tuples)))
	return f.enter(ctx, "generate")
}

func (f *fakeEngine) UseStrategy(ctx context.Context, name string) error {
	return f.enter(ctx, "use "+name)
}

func (f *fakeEngine) Load(vertices uint64, tuples []engine.Edge) error {
	f.vertices, f.tuples = vertices, tuples
	return f.enter(context.Background(), "load")
}

func (f *fakeEngine) Tuples(ctx context.Context, yield func([]engine.Edge) error) error {
	if err := f.enter(ctx, "tuples"); err != nil {
		return err
	}
	return yield(f.tuples)
}

func (f *fakeEngine) Construct(ctx context.Context) (engine.Graph, error) {
	info := engine.Graph{Vertices: int64(f.vertices), Tuples: int64(len(f.tuples)), Regenerated: f.regenerates}
	f.rows, f.parents = make([][]engine.Vertex, f.vertices), make([]engine.Vertex, f.vertices)
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

func (f *fakeEngine) Usable(v engine.Vertex) bool { return len(f.rows[v]) > 0 }

func (f *fakeEngine) Clear() error {
	for v := range f.parents {
		f.parents[v] = engine.None
	}
	return f.enter(context.Background(), "clear")
}

func (f *fakeEngine) Search(ctx context.Context, root engine.Vertex) error {
	if f.onSearch != nil {
		f.onSearch(f.searchCalls)
	}
	f.searchCalls++
	f.levels = f.levels[:0]
	f.parents[root] = root
	for frontier := []engine.Vertex{root}; len(frontier) > 0; {
		var next []engine.Vertex
		for _, u := range frontier {
			for _, v := range f.rows[u] {
				if f.parents[v] == engine.None {
					f.parents[v] = u
					next = append(next, v)
				}
			}
		}
		f.levels = append(f.levels, engine.Level{Frontier: int64(len(frontier)), Found: int64(len(next))})
		frontier = next
	}
	return f.enter(ctx, "search")
}

func (f *fakeEngine) Profile() (engine.Profile, error) {
	return engine.Profile{Levels: f.levels, Device: f.device}, f.enter(context.Background(), "profile")
}

func (f *fakeEngine) Validate(ctx context.Context, root engine.Vertex) (engine.Tree, error) {
	tree := fakeTree{root, f.parents}
	if err := tree.fault(); err != nil {
		return engine.Tree{}, err
	}
	return f.count(tree), f.enter(ctx, "validate")
}

func (f *fakeEngine) CountEdges(ctx context.Context) (engine.Tree, error) {
	return f.count(fakeTree{parents: f.parents}), f.enter(ctx, "count")
}

func (f *fakeEngine) Batch() int { return f.together }

func (f *fakeEngine) Keep(root engine.Vertex) error {
	f.kept = append(f.kept, fakeTree{root, slices.Clone(f.parents)})
	return f.enter(context.Background(), "keep")
}

func (f *fakeEngine) ValidateKept(ctx context.Context) ([]engine.Tree, error) {
	return f.finish(ctx, "validate kept", fakeTree.fault)
}

func (f *fakeEngine) CountKept(ctx context.Context) ([]engine.Tree, error) {
	return f.finish(ctx, "count kept", func(fakeTree) error { return nil })
}

func (f *fakeEngine) finish(ctx context.Context, call string, fault func(fakeTree) error) (facts []engine.Tree, err error) {
	kept := f.kept
	f.kept = nil
	if err := f.enter(ctx, call); err != nil {
		return nil, err
	}
	for _, tree := range kept {
		if err := fault(tree); err != nil {
			return facts, err
		}
		facts = append(facts, f.count(tree))
	}
	return facts, nil
}

// fault looks at the root alone.
func (t fakeTree) fault() error {
	if t.parents[t.root] != t.root {
		return validate.RootError(t.root, t.parents[t.root], len(t.parents))
	}
	return nil
}

func (f *fakeEngine) count(t fakeTree) (tree engine.Tree) {
	for _, p := range t.parents {
		if p != engine.None {
			tree.Visited++
		}
	}
	for _, e := range f.tuples {
		if e.U != e.V && t.parents[e.U] != engine.None {
			tree.Edges++
		}
	}
	return tree
}

func (f *fakeEngine) Parents(context.Context) ([]engine.Vertex, error) { return f.parents, nil }

func (f *fakeEngine) SetParents(fill func([]engine.Vertex) error) error { return fill(f.parents) }
