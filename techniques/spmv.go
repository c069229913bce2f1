//go:build cuda

package techniques

import (
	"context"
	"errors"

	"graph500/engine"
	"graph500/kernels"
)

func spmv() Technique {
	return Technique{
		Name:      "spmv",
		Doc:       "linear algebra: a boolean sparse matrix-vector product with a mask and an assignment for each level, one warp a row",
		Source:    "PMPP 15.4, GraphBLAS",
		Structure: "CSR",
		Memory: func(vertices, rows, _ uint64) []engine.Allocation {
			return []engine.Allocation{searching("vectors", 4*(vertices+rows))}
		},
		New: newSpMV,
	}
}

// spmvSearch is the state of a search by matrix-vector products.
type spmvSearch struct {
	steered
	graph   *kernels.Graph
	parents *kernels.Array[engine.Local]

	start, multiply, assign *kernels.Kernel

	x       *kernels.Array[engine.Local] // N entries, by label: the frontier
	y       *kernels.Array[engine.Local] // by row: parents of the next one
	entries *counters[uint32]            // of y
}

func newSpMV(_ context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (Search, error) {
	s := &spmvSearch{graph: g, parents: parents}
	return made(s, s.allocate(d, counted))
}

func (s *spmvSearch) allocate(d *kernels.Device, counted bool) (err error) {
	if err = s.open(d, "spmv", counted); err != nil {
		return err
	}
	if s.start, err = s.module.Kernel("spmv_start"); err != nil {
		return err
	}
	if s.multiply, err = s.module.Kernel("spmv_multiply"); err != nil {
		return err
	}
	if s.assign, err = s.module.Kernel("spmv_assign"); err != nil {
		return err
	}
	if s.x, err = kernels.Alloc[engine.Local](d, "vector of the frontier", s.parents.Len()); err != nil {
		return err
	}
	if s.y, err = kernels.Alloc[engine.Local](d, "product", s.graph.Rows.Len()); err != nil {
		return err
	}
	s.entries, err = newCounters[uint32](d)
	return err
}

// Search fills the parents of every vertex reachable from root.
func (s *spmvSearch) Search(ctx context.Context, root engine.Local) error {
	start := func() error {
		s.entries.rewind()
		if err := s.x.Fill(0xFF); err != nil {
			return err
		}
		return s.launchBlocks(s.start, 1, 1, s.parents.Address(), s.x.Address(), uint64(root))
	}
	frontier := uint32(1)
	return s.search(ctx, start, func() (more bool, err error) {
		found, err := s.expand()
		if err != nil {
			return false, err
		}
		s.note(engine.Level{Direction: engine.BottomUp, Frontier: int64(frontier), Found: int64(found)})
		frontier = found
		return found > 0, nil
	})
}

// expand does a level and returns how many vertices it found.
func (s *spmvSearch) expand() (found uint32, err error) {
	g, rows := s.graph, uint64(s.graph.Rows.Len())
	if err := s.launch(s.multiply, 32*rows, g.Rows.Address(), rows, g.Neighbors.Address(), s.parents.Address(), s.x.Address(), s.y.Address()); err != nil {
		return 0, err
	}
	entries, err := s.entries.take()
	if err != nil {
		return 0, err
	}
	if err := s.launch(s.assign, rows, g.Rows.Address(), rows, s.parents.Address(), s.x.Address(), s.y.Address(), entries); err != nil {
		return 0, err
	}
	return s.entries.read()
}

// Close frees what the search took.
func (s *spmvSearch) Close() error {
	return errors.Join(s.x.Free(), s.y.Free(), s.entries.free(), s.steered.Close())
}
