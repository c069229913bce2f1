//go:build cuda

package gpu

import (
	"context"
	"errors"
	"slices"

	"graph500/engine"
	"graph500/kernels"
	"graph500/techniques"
)

// strategy is one way to search, selectable by name.
type strategy struct {
	engine.Strategy

	// make may take room bytes beyond plan, and as many as spare at most.
	make func(ctx context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], room uint64) (method, error)

	// count is make for a search that counts, and is slow.
	count func(ctx context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], room uint64) (counter, error)

	// plan returns what a search takes for N vertices, n rows and the arcs, each
	// edge in both directions.
	plan func(vertices, rows, arcs uint64) []engine.Allocation

	// spare returns what it takes besides, if there is room; nil: nothing.
	spare func(vertices, rows, arcs uint64) uint64
}

// withMemory fills in Strategy.Memory. As many rows and arcs as there can be are
// assumed.
func (s strategy) withMemory() strategy {
	s.Strategy.Memory = func(vertices, tuples uint64) []engine.Allocation {
		plan := s.plan(vertices, min(vertices, 2*tuples), 2*tuples)
		for i := range plan {
			plan[i].Place = engine.DeviceMemory
		}
		return plan
	}
	return s
}

// mostSpare returns what a search takes besides, if there is room.
func (s strategy) mostSpare(vertices, tuples uint64) uint64 {
	if s.spare == nil {
		return 0
	}
	return s.spare(vertices, min(vertices, 2*tuples), 2*tuples)
}

// A method holds the state of one strategy. Search writes the parent of every
// vertex reachable from root, which has a row, before it returns; all parents
// are engine.None before. Profile tells of the last search and is valid until the
// next.
type method interface {
	Search(ctx context.Context, root engine.Local) error
	Profile() (engine.Profile, error)
	Close() error
}

// A counter is a method that counted what the last search did.
type counter interface {
	method
	Counts() (engine.Counts, error)
}

// Strategies lists all strategies, from the plainest to the fastest. To add
// one, add a technique to package techniques.
func Strategies() (list []engine.Strategy) {
	for _, s := range table() {
		list = append(list, s.Strategy)
	}
	return list
}

func table() (list []strategy) {
	for _, t := range techniques.All() {
		list = append(list, textbook(t).withMemory())
	}
	return append(list, strategy{
		Strategy: engine.Strategy{
			Kernel:    engine.BFS,
			Name:      "default",
			Doc:       "direction-optimizing, in one kernel steered on the GPU: queues of arcs dealt out evenly, dense passes over first neighbours",
			Source:    "Beamer et al. 2012, Merrill et al. 2012",
			Structure: "CSR, CSC",
		},
		make:  newSearcher,
		count: newCountingSearcher,
		plan:  searcherMemory,
		spare: kernels.SpareMemory,
	}.withMemory())
}

// textbook makes a strategy of a technique.
func textbook(t techniques.Technique) strategy {
	return strategy{
		Strategy: engine.Strategy{Kernel: engine.BFS, Name: t.Name, Doc: t.Doc, Source: t.Source, Structure: t.Structure},
		make: func(ctx context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], _ uint64) (method, error) {
			return t.New(ctx, d, g, parents, false)
		},
		count: func(ctx context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], _ uint64) (counter, error) {
			return t.New(ctx, d, g, parents, true)
		},
		plan: t.Memory,
	}
}

// lookUp returns the strategy of the given name.
func lookUp(name string) (strategy, bool) {
	all := table()
	i := slices.IndexFunc(all, func(s strategy) bool { return s.Name == name })
	if i < 0 {
		return strategy{}, false
	}
	return all[i], true
}

// packedSearcher owns what its search streams.
type packedSearcher struct {
	*kernels.Searcher
	packed *kernels.Packed
}

func newSearcher(ctx context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], room uint64) (method, error) {
	packed, err := kernels.Pack(ctx, d, g, room)
	if err != nil {
		return nil, err
	}
	s, err := kernels.NewSearcher(d, g, packed, parents)
	if err != nil {
		return nil, errors.Join(err, packed.Close())
	}
	return packedSearcher{s, packed}, nil
}

func (s packedSearcher) Close() error {
	return errors.Join(s.Searcher.Close(), s.packed.Close())
}

func searcherMemory(vertices, rows, _ uint64) []engine.Allocation {
	return append(kernels.PackMemory(vertices, rows), kernels.SearchMemory(vertices, rows)...)
}

// countingSearcher is a packedSearcher of a module that counts.
type countingSearcher struct {
	packedSearcher
	module *kernels.Module
}

func newCountingSearcher(ctx context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], room uint64) (counter, error) {
	counting, module, err := d.Counting("search")
	if err != nil {
		return nil, err
	}
	s, err := newSearcher(ctx, counting, g, parents, room)
	if err != nil {
		return nil, errors.Join(err, module.Close())
	}
	return &countingSearcher{s.(packedSearcher), module}, nil
}

func (s *countingSearcher) Search(ctx context.Context, root engine.Local) error {
	if err := s.module.ResetCounts(); err != nil {
		return err
	}
	return s.packedSearcher.Search(ctx, root)
}

// Counts returns what the module counted; of the neighbours that it looked at
// the search keeps a record anyway.
func (s *countingSearcher) Counts() (engine.Counts, error) {
	c, err := s.module.Counts()
	if err != nil {
		return c, err
	}
	profile, err := s.Profile()
	c.Examined += profile.Examined
	c.Launches = 1
	return c, err
}

func (s *countingSearcher) Close() error {
	return errors.Join(s.packedSearcher.Close(), s.module.Close())
}
