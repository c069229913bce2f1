//go:build cuda

package gpu

import (
	"context"
	"errors"
	"slices"
	"time"

	"graph500/engine"
	"graph500/kernels"
)

// A Strategy is one way to search, selectable by name.
type Strategy struct {
	Name string
	Doc  string // one line: what it does and where it is described
	make func(ctx context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Vertex]) (searcher, error)

	// memory returns what a search takes for N vertices and n rows.
	memory func(vertices, rows uint64) []engine.Allocation
}

// A searcher holds the state of one strategy. Search writes the parent of every
// vertex reachable from root, which has a row, before it returns; all parents
// are engine.None before. Levels and DeviceTime are those of the last search,
// the levels valid until the next.
type searcher interface {
	Search(ctx context.Context, root engine.Vertex) error
	Levels() ([]engine.Level, error)
	DeviceTime() (time.Duration, error)
	Close() error
}

// A levelCounter is a searcher whose Levels may be only the first ones.
type levelCounter interface{ LevelCount() (int, error) }

// DefaultStrategy is the name of the fastest strategy.
const DefaultStrategy = "default"

// Strategies lists all strategies, from the plainest to the fastest. To add
// one, write its searcher in package kernels and name it here.
func Strategies() []Strategy {
	return []Strategy{
		{"frontier", "top-down from a queue of the vertices reached last, claimed by compare-and-swap, one launch a level (PMPP 15.5)", newFrontier, frontierMemory},
		{DefaultStrategy, "direction-optimizing, in one kernel steered on the GPU: queues of arcs dealt out evenly (Merrill et al. 2012), dense passes over first neighbours (Beamer et al. 2012)", newSearcher, searcherMemory},
	}
}

// lookUp returns the strategy of the given name.
func lookUp(name string) (Strategy, bool) {
	all := Strategies()
	i := slices.IndexFunc(all, func(s Strategy) bool { return s.Name == name })
	if i < 0 {
		return Strategy{}, false
	}
	return all[i], true
}

func newFrontier(_ context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Vertex]) (searcher, error) {
	// Not returned in one step: a nil pointer is not a nil searcher.
	s, err := kernels.NewFrontier(d, g, parents)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// packedSearcher owns what its search streams.
type packedSearcher struct {
	*kernels.Searcher
	packed *kernels.Packed
}

func newSearcher(ctx context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Vertex]) (searcher, error) {
	packed, err := kernels.Pack(ctx, d, g)
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

func searcherMemory(vertices, rows uint64) []engine.Allocation {
	return append(kernels.PackMemory(vertices, rows), kernels.SearchMemory(vertices, rows)...)
}

func frontierMemory(_, rows uint64) []engine.Allocation { return kernels.FrontierMemory(rows) }
