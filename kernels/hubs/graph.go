//go:build cuda

package hubs

import (
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/hubs/reference"
)

// Sizes determine the memory of a Graph: numbers of elements on one device.
type Sizes struct {
	Labels     uint64 // of the device's chunks
	Chunks     uint64 // of the device
	Hubs       uint64
	HubRows    uint64 // rows with two hubs or more, with unused ones
	SingleRows uint64 // rows with one hub, with unused ones
	OtherRows  uint64 // rows without hubs, with unused ones
	Further    uint64 // pieces of 16 bytes, as the following three
	RowLists   uint64
	HubLists   uint64
	HubRowList uint64
	Leaves     uint64 // of rows without hubs
	Firsts     uint64 // first neighbours of leaves and of rows with at most one hub, with unused entries
}

// Rows returns the number of rows of the device, with unused ones.
func (z Sizes) Rows() uint64 { return z.HubRows + z.SingleRows + z.OtherRows }

// pieces returns the number of pieces of all lists, with those of the heads of rows.
func (z Sizes) pieces() uint64 {
	return z.Further + z.RowLists + z.HubLists + z.HubRowList + z.HubRows + z.SingleRows
}

// Graph is an undirected graph in the form of the search, or the part of one device: the
// labels of a range, in chunks. reference.Part has the meaning of the arrays, and in Go the
// same contents.
type Graph struct {
	ChunkLabels uint64
	FirstLabel  uint64 // of the device
	FirstRow    uint64 // number of the device's first row
	Sizes       Sizes

	ChunkRows   device.Array[uint32]
	FirstAt     device.Array[uint32]
	FirstPlaces device.Array[uint16]
	Firsts      device.Array[engine.Label]
	Heads       device.Array[reference.Head]
	Seconds     device.Array[[4]uint16]
	FurtherAt   device.Array[uint32]
	Further     device.Array[[8]uint16]
	SingleHub   device.Array[uint16]
	RowListAt   device.Array[uint32]
	RowLists    device.Array[[4]uint32]
	FirstRows   device.Array[uint32]
	HubListAt   device.Array[uint32]
	HubLists    device.Array[[8]uint16]
	HubRowAt    device.Array[uint32]
	HubRowList  device.Array[[4]uint32]
	HubLabels   device.Array[engine.Label]
	RowLabels   device.Array[engine.Label]
	LeavesAt    device.Array[uint32]
	Leaves      device.Array[engine.Label]
	Vertices    device.Array[reference.Vertex]
}

// Group declares all arrays.
func (g *Graph) Group(z Sizes) device.Group {
	labels := g.LabelGroup(z)
	labels.Arrays = slices.Concat(labels.Arrays, g.RowGroup(z).Arrays, g.LeafGroup(z).Arrays, g.ListGroup(z).Arrays)
	return labels
}

// LabelGroup declares the arrays by label, chunk and hub.
func (g *Graph) LabelGroup(z Sizes) device.Group {
	return device.Group{Alive: engine.Construction | engine.Searching, Arrays: []device.Declared{
		device.Of(&g.Vertices, "rows and hubs by label", z.Labels),
		device.Of(&g.ChunkRows, "first rows of chunks", z.Chunks+1),
		device.Of(&g.FirstAt, "starts of first neighbours", z.Chunks+1),
		device.Of(&g.HubLabels, "labels of hubs", z.Hubs),
		device.Of(&g.HubListAt, "starts of lists of hubs", z.Hubs+1),
		device.Of(&g.HubRowAt, "starts of lists of rows of hubs", z.Hubs+1),
	}}
}

// RowGroup declares the arrays by row, and the first neighbours.
func (g *Graph) RowGroup(z Sizes) device.Group {
	return device.Group{Alive: engine.Construction | engine.Searching, Arrays: []device.Declared{
		device.Of(&g.RowLabels, "labels of rows", z.Rows()),
		device.Of(&g.RowListAt, "starts of lists of rows", z.Rows()+1),
		device.Of(&g.Heads, "first hubs", z.HubRows),
		device.Of(&g.Seconds, "second to fifth hubs", z.HubRows),
		device.Of(&g.FurtherAt, "starts of further hubs", z.HubRows+1),
		device.Of(&g.SingleHub, "only hubs", z.SingleRows),
		device.Of(&g.FirstRows, "first rows of rows without hubs", z.OtherRows),
		device.Of(&g.LeavesAt, "starts of leaves", z.OtherRows+1),
		device.Of(&g.FirstPlaces, "labels in chunks of first neighbours", z.Firsts),
		device.Of(&g.Firsts, "first neighbours", z.Firsts),
	}}
}

// LeafGroup declares the leaves.
func (g *Graph) LeafGroup(z Sizes) device.Group {
	return device.Group{Alive: engine.Construction | engine.Searching, Arrays: []device.Declared{device.Of(&g.Leaves, "leaves of rows without hubs", z.Leaves)}}
}

// ListGroup declares the other lists.
func (g *Graph) ListGroup(z Sizes) device.Group {
	return device.Group{Alive: engine.Construction | engine.Searching, Arrays: []device.Declared{
		device.Of(&g.RowLists, "lists of rows by row", z.RowLists),
		device.Of(&g.HubRowList, "lists of rows by hub", z.HubRowList),
		device.Of(&g.Further, "lists of further hubs by row", z.Further),
		device.Of(&g.HubLists, "lists of hubs by hub", z.HubLists),
	}}
}
