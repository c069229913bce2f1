package graph

import (
	"errors"

	"graph500/engine"
	"graph500/memory"
)

// CSR is an undirected graph in compressed sparse row format. Only vertices with
// an edge to another vertex have a row. Rows are in the order of the vertex
// labels and hold vertex labels of the input, so that a search needs no
// translation and the parents of consecutive rows are consecutive in memory.
//
// In the following, n is the number of rows and N the number of vertices.
type CSR struct {
	Info engine.Graph
	Index

	// Neighbors holds the rows. The labels in a row ascend without repetition.
	Neighbors []engine.Label

	share Share         // that it is
	arena []uint32      // holds Neighbors
	held  memory.Groups // the other arrays
}

// index declares the arrays by vertex.
func (g *CSR) index(vertices uint64) memory.Group {
	return memory.Group{Arrays: g.Index.arrays("row index", vertices)}
}

// rows declares the array by row.
func (g *CSR) rows(n uint64) memory.Group {
	return memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{memory.Of(&g.Offsets, "row offsets", n+1)}}
}

// NeighborsOf returns the row of v, nil if it has none.
func (g *CSR) NeighborsOf(v engine.Label) []engine.Label {
	if !g.Has(v) {
		return nil
	}
	r := g.Row(v)
	return g.Neighbors[g.Offsets[r]:g.Offsets[r+1]]
}

// Close frees the memory of the graph.
func (g *CSR) Close() error {
	err := errors.Join(memory.Free(g.arena), g.held.Free())
	*g = CSR{}
	return err
}
