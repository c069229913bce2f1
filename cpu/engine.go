// Package cpu is the engine that runs the benchmark's kernels on the cores of
// one machine. It knows nothing of flags, clocks, reports or of how the
// benchmark orders its phases.
package cpu

import (
	"context"
	"errors"
	"fmt"

	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/parallel"
	"graph500/validate"
)

// Engine keeps one graph and searches it over a team of workers. Its methods
// are called one at a time, in the order that the benchmark gives.
type Engine struct {
	team     *parallel.Team
	strategy Strategy

	vertices uint64
	tuples   []engine.Edge
	graph    *graph.CSR
	parents  []engine.Vertex // N entries
	searcher searcher
	checker  *validate.Checker
	profile  engine.Profile // of the last search, the searcher's own
}

// New returns an engine with the given number of workers, one for each
// processor if it is 0, and the strategy of that name.
func New(threads int, strategy string) (*Engine, error) {
	s, ok := lookUp(strategy)
	if !ok {
		return nil, fmt.Errorf("cpu: no strategy %q", strategy)
	}
	return &Engine{team: parallel.NewTeam(threads), strategy: s}, nil
}

// Name returns "cpu".
func (e *Engine) Name() string { return "cpu" }

// Hardware names the vector unit in use.
func (e *Engine) Hardware() string {
	if unit := vectorUnit(); unit != "" {
		return "CPU with " + unit
	}
	return "CPU, plain Go"
}

// Threads returns the number of workers.
func (e *Engine) Threads() int { return e.team.Size() }

// Plan lists the memory for N = vertices and M = tuples. The number of rows is
// not known before construction; as many as there can be are assumed. Tuples
// that are loaded are taken over, so they need no more than generated ones.
func (e *Engine) Plan(vertices, tuples uint64, _ bool) []engine.Allocation {
	rows := min(vertices, 2*tuples)
	plan := []engine.Allocation{{Name: "tuples", Bytes: 8 * tuples}}
	plan = append(plan, graph.Plan(vertices, rows, tuples, e.team.Size())...)
	plan = append(plan,
		engine.Allocation{Name: "parents", Bytes: 4 * vertices, Phase: engine.Searching},
		engine.Allocation{Name: "validation", Bytes: validate.Bytes(vertices), Phase: engine.Searching})
	return append(plan, e.strategy.memory(vertices, rows)...)
}

// Generate makes the tuples of a Kronecker graph.
func (e *Engine) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	if spec.Scale > engine.MaxScale {
		return fmt.Errorf("cpu: scale %d needs labels of more than %d bits", spec.Scale, engine.LabelBits)
	}
	tuples, err := memory.Alloc[engine.Edge](int(spec.Tuples()))
	if err != nil {
		return err
	}
	if err := e.Load(spec.Vertices(), tuples); err != nil {
		return err
	}
	return kronecker.New(spec).Fill(ctx, e.team, tuples, progress)
}

// Load takes over tuples that were made by memory.Alloc.
func (e *Engine) Load(vertices uint64, tuples []engine.Edge) error {
	if vertices > validate.MaxVertices {
		return fmt.Errorf("cpu: %d vertices need labels of more than %d bits", vertices, engine.LabelBits)
	}
	if e.tuples != nil {
		return errors.New("cpu: tuples are loaded already")
	}
	e.vertices, e.tuples = vertices, tuples
	return nil
}

// Tuples hands out the tuples.
func (e *Engine) Tuples(ctx context.Context, yield func([]engine.Edge) error) error {
	const piece = 1 << 20
	for lo := 0; lo < len(e.tuples); lo += piece {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := yield(e.tuples[lo:min(lo+piece, len(e.tuples))]); err != nil {
			return err
		}
	}
	return nil
}

// Construct builds the rows and everything a search needs.
func (e *Engine) Construct(ctx context.Context) (engine.Graph, error) {
	g, err := graph.Build(ctx, e.team, e.vertices, e.tuples)
	if err != nil {
		return engine.Graph{}, err
	}
	e.graph = g
	if e.parents, err = memory.Alloc[engine.Vertex](int(e.vertices)); err != nil {
		return engine.Graph{}, err
	}
	return g.Info, e.makeSearcher()
}

func (e *Engine) makeSearcher() (err error) {
	e.searcher, err = e.strategy.make(&input{g: e.graph, tuples: e.tuples, team: e.team, parents: e.parents})
	return err
}

// UseStrategy makes the searches that follow work by the strategy of that name.
// It comes after Construct.
func (e *Engine) UseStrategy(_ context.Context, name string) error {
	s, ok := lookUp(name)
	if !ok {
		return fmt.Errorf("cpu: no strategy %q", name)
	}
	if e.searcher != nil {
		if err := e.searcher.close(); err != nil {
			return err
		}
	}
	e.strategy, e.searcher = s, nil
	return e.makeSearcher()
}

// Usable reports whether v has an edge other than a self loop.
func (e *Engine) Usable(v engine.Vertex) bool { return e.graph.Has(v) }

// Clear sets all parents to engine.None.
func (e *Engine) Clear() error {
	e.team.Run(func(worker int) {
		lo, hi := parallel.Split(len(e.parents), e.team.Size(), worker)
		part := e.parents[lo:hi]
		// Doubling copies, because the compiler does not vectorise a loop of stores.
		const seed = 1024
		for i := range part[:min(seed, len(part))] {
			part[i] = engine.None
		}
		for n := seed; n < len(part); n *= 2 {
			copy(part[n:], part[:n])
		}
	})
	return nil
}

// Search fills the parents of all vertices reachable from root.
func (e *Engine) Search(ctx context.Context, root engine.Vertex) (err error) {
	e.profile, err = e.searcher.search(ctx, root)
	return err
}

// Profile returns the levels of the last search, the first 2^16 at most, valid
// until the next.
func (e *Engine) Profile() (engine.Profile, error) { return e.profile, nil }

// Validate checks the parents by the Graph500 rules.
func (e *Engine) Validate(ctx context.Context, root engine.Vertex) (engine.Tree, error) {
	c, err := e.validator()
	if err != nil {
		return engine.Tree{}, err
	}
	return c.Tree(ctx, e.tuples, e.parents, root)
}

// CountEdges returns the facts of the parents without checking them.
func (e *Engine) CountEdges(ctx context.Context) (engine.Tree, error) {
	c, err := e.validator()
	if err != nil {
		return engine.Tree{}, err
	}
	return c.Count(ctx, e.tuples, e.parents)
}

func (e *Engine) validator() (*validate.Checker, error) {
	var err error
	if e.checker == nil {
		e.checker, err = validate.New(e.team, e.vertices)
	}
	return e.checker, err
}

// Parents returns the parent array, N entries in original labels.
func (e *Engine) Parents(context.Context) ([]engine.Vertex, error) { return e.parents, nil }

// SetParents has the parent array filled.
func (e *Engine) SetParents(fill func(parents []engine.Vertex) error) error { return fill(e.parents) }

// Close gives all memory back and ends the workers.
func (e *Engine) Close() error {
	var errs []error
	if e.searcher != nil {
		errs = append(errs, e.searcher.close())
	}
	if e.checker != nil {
		errs = append(errs, e.checker.Close())
	}
	if e.graph != nil {
		errs = append(errs, e.graph.Close())
	}
	errs = append(errs, memory.Free(e.parents), memory.Free(e.tuples))
	e.team.Close()
	*e = Engine{}
	return errors.Join(errs...)
}
