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

	// Leaves is a bitmap of the vertices with one neighbour: N bits.
	Leaves []uint64

	// Neighbors holds the rows. The labels in a row ascend without repetition.
	Neighbors []engine.Label

	// Of a share of a graph, Hubs are the vertices of highest degree, in descending order of the
	// degree. Vertices of equal degree are in ascending order of their labels.
	Hubs []engine.Label

	// Of a share of a graph, FirstNeighbor[r] is the neighbour of highest degree of row r: its label,
	// or N plus its index in Hubs. In most cases it is the first visited
	// neighbour that a bottom-up step finds.
	FirstNeighbor []uint32

	// Of a share of a graph, NextNeighbors[r] holds the labels of the neighbours of second to fifth
	// highest degree of row r. If there are fewer, the last one is repeated;
	// the row has more neighbours only if the last two entries differ. One
	// cache line decides nearly all searches that FirstNeighbor does not.
	NextNeighbors [][4]engine.Label

	arena []uint32      // holds Neighbors
	held  memory.Groups // the other arrays
}

// index declares the arrays by vertex.
func (g *CSR) index(vertices uint64) memory.Group {
	return memory.Group{Arrays: append(g.Index.arrays("row index", vertices), memory.Of(&g.Leaves, "row index", wordsOf(vertices)))}
}

// rows declares the arrays by row. Only a share of a graph has packed neighbours.
func (g *CSR) rows(n uint64, isShare bool) memory.Group {
	arrays := []memory.Declared{memory.Of(&g.Offsets, "row offsets", n+1)}
	if isShare {
		arrays = append(arrays, memory.Of(&g.FirstNeighbor, "first neighbours", n+16), // padding for vector loads
			memory.Of(&g.NextNeighbors, "first neighbours", n))
	}
	return memory.Group{Alive: engine.Searching, Arrays: arrays}
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
