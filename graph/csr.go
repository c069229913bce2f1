package graph

import (
	"errors"
	"math/bits"

	"graph500/engine"
	"graph500/memory"
)

// CSR is an undirected graph in compressed sparse rows. Only vertices with an
// edge to another vertex have a row; rows stand in the order of the original
// labels and hold original labels, so that nothing is translated back after a
// search and neighbouring rows have neighbouring parents.
//
// n is the number of rows, N the number of vertices.
type CSR struct {
	Info engine.Graph

	// Present has a bit for each vertex that has a row: N bits, in words of
	// 64 labels.
	Present []uint64

	// Leaves has a bit for each vertex with a single neighbour: N bits.
	Leaves []uint64

	// Rank[w] is the number of rows before word w of Present.
	Rank []uint32

	// Offsets[r] is where row r begins in Neighbors: n+1 entries.
	Offsets []uint64

	// Neighbors holds the rows, each ascending and without repetition.
	Neighbors []engine.Local

	// Hubs are the vertices of highest degree, highest first. Equal degrees
	// stand in the order of their labels.
	Hubs []engine.Local

	// First[r] is the neighbour of highest degree of row r: its label, or N
	// plus its index in Hubs. The search of an unvisited vertex for a visited
	// neighbour ends here in most cases.
	First []uint32

	// Next[r] holds the neighbours of second to fifth highest degree, as
	// labels; a shorter row repeats its last one, so that the row goes on
	// only if the last two entries differ. It answers nearly all searches
	// that First leaves open, from one cache line.
	Next [][4]engine.Local

	arena []uint32 // holds Neighbors
}

// Row returns the row number of a vertex that has one.
func (g *CSR) Row(v engine.Local) uint32 {
	w := v >> 6
	return g.Rank[w] + uint32(bits.OnesCount64(g.Present[w]&(1<<(v&63)-1)))
}

// Has reports whether v has a row.
func (g *CSR) Has(v engine.Local) bool {
	return int64(v) < g.Info.Vertices && g.Present[v>>6]>>(v&63)&1 != 0
}

// NeighborsOf returns the row of v, empty for a vertex without one.
func (g *CSR) NeighborsOf(v engine.Local) []engine.Local {
	if !g.Has(v) {
		return nil
	}
	r := g.Row(v)
	return g.Neighbors[g.Offsets[r]:g.Offsets[r+1]]
}

// Close gives the graph's memory back.
func (g *CSR) Close() error {
	err := errors.Join(memory.Free(g.arena), memory.Free(g.Present), memory.Free(g.Leaves), memory.Free(g.Rank),
		memory.Free(g.Offsets), memory.Free(g.First), memory.Free(g.Next))
	*g = CSR{}
	return err
}
