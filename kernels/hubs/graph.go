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
	Leaves     uint64 // of rows without hubs
	Firsts     uint64 // first neighbours of leaves and of rows with at most one hub, with unused entries
	ListSizes
	OnHost ListSizes // pieces of each kind that are in host memory
}

// ListSizes are the numbers of pieces of lists, by kind.
type ListSizes struct{ Further, RowLists, HubLists, HubRowList uint64 }

// Sum returns the number of all pieces.
func (z ListSizes) Sum() uint64 { return z.Further + z.RowLists + z.HubLists + z.HubRowList }

// WholeRows is the prefix of rows that are not split: all lists are whole on the device.
const WholeRows = 1<<32 - 1

// PieceBytes is the size of a piece of a list.
const PieceBytes = 16

// Lists are all lists of one kind, in pieces of 16 bytes. They are whole on the device, or the last
// pieces are in host memory: of RowLists, those of each row from Graph.RowPrefix on.
type Lists[T any] struct {
	OnDevice device.Array[T]
	OnHost   device.Array[T] // page-locked host memory
}

// Len returns the number of pieces.
func (l Lists[T]) Len() int { return l.OnDevice.Len() + l.OnHost.Len() }

// Rows returns the number of rows of the device, with unused ones.
func (z Sizes) Rows() uint64 { return z.HubRows + z.SingleRows + z.OtherRows }

// Ranges returns the ranges of the rows with hubs.
func (z Sizes) Ranges() reference.Ranges { return reference.RangesOf(z.HubRows, z.SingleRows) }

// pieces returns the number of pieces of all lists, with those of the heads of rows.
func (z Sizes) pieces() uint64 {
	return z.Sum() + z.HubRows + z.SingleRows
}

// Wrap is the row of the device from which the numbers of an array by row are at least 2^32; NoWrap: they never are. The
// array has their low 32 bits (kernels/wraps.cuh).
type Wrap uint32

const NoWrap Wrap = 1<<32 - 1

// Whole returns the number of a row, of which the array has the low bits.
func (w Wrap) Whole(low uint32, row int) uint64 {
	if row >= int(w) {
		return 1<<32 | uint64(low)
	}
	return uint64(low)
}

// after returns the wrap with rows counted from another one, which is that many rows before.
func (w Wrap) after(rows uint64) uint32 {
	if w == NoWrap {
		return uint32(w)
	}
	return uint32(uint64(w) + rows)
}

// Graph is an undirected graph in the form of the search, or the part of one device: the
// labels of a range, in chunks. reference.Part has the meaning of the arrays, and in Go the
// same contents, but for the order of the rows of a hub within a range, which is any.
type Graph struct {
	ChunkLabels uint64
	FirstLabel  uint64 // of the device
	FirstRow    uint64 // number of the device's first row
	RowPrefix   uint32 // most pieces of the list of a row that are on the device, or WholeRows
	PrefixWrap  Wrap   // of RowPrefixAt
	TailWrap    Wrap   // of RowListAt less RowPrefixAt: pieces before that are in host memory
	Sizes       Sizes

	ChunkRows   device.Array[uint32]
	FirstAt     device.Array[uint32]
	FirstPlaces device.Array[uint16]
	Firsts      device.Array[engine.Label]
	Heads       device.Array[reference.Head]
	Seconds     device.Array[[4]uint16]
	FurtherAt   device.Array[uint32]
	Further     Lists[[8]uint16]
	SingleHub   device.Array[uint16]
	RowListAt   device.Array[uint32]
	RowPrefixAt device.Array[uint32] // by row, and the end: pieces of rows before that are on the device; only of split rows
	RowLists    Lists[[4]uint32]
	FirstRows   device.Array[uint32]
	HubListAt   device.Array[uint32]
	HubLists    Lists[[8]uint16]
	HubRowAt    device.Array[uint32]
	HubRowList  Lists[[4]uint32]
	HubRangeAt  device.Array[uint32] // by hub and range, and the end: rows of the list before
	HubLabels   device.Array[engine.Label]
	RowLabels   device.Array[engine.Label]
	LeavesAt    device.Array[uint32]
	Leaves      device.Array[engine.Label]
	Vertices    device.Array[reference.Vertex]
}

// hasManyPieces reports whether the lists of split rows have 2^32 pieces or more on the device or in host memory.
func (g *Graph) hasManyPieces() bool { return g.PrefixWrap != NoWrap || g.TailWrap != NoWrap }

// Group declares all arrays of whole rows.
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
		device.Of(&g.HubRangeAt, "ranges of lists of rows of hubs", z.Hubs*(z.Ranges().Count+1)),
		device.Of(&g.FirstRows, "first rows of rows without hubs", z.OtherRows),
		device.Of(&g.LeavesAt, "starts of leaves", z.OtherRows+1),
		device.Of(&g.FirstPlaces, "labels in chunks of first neighbours", z.Firsts),
		device.Of(&g.Firsts, "first neighbours", z.Firsts),
	}}
}

// PrefixGroup declares what split rows need besides.
func (g *Graph) PrefixGroup(z Sizes) device.Group {
	return device.Group{Alive: engine.Construction | engine.Searching, Arrays: []device.Declared{device.Of(&g.RowPrefixAt, "starts of first pieces of rows", z.Rows()+1)}}
}

// LeafGroup declares the leaves.
func (g *Graph) LeafGroup(z Sizes) device.Group {
	return device.Group{Alive: engine.Construction | engine.Searching, Arrays: []device.Declared{device.Of(&g.Leaves, "leaves of rows without hubs", z.Leaves)}}
}

// ListGroup declares the other lists, as far as they are on the device.
func (g *Graph) ListGroup(z Sizes) device.Group {
	return device.Group{Alive: engine.Construction | engine.Searching, Arrays: []device.Declared{
		device.Of(&g.RowLists.OnDevice, "lists of rows by row", z.RowLists-z.OnHost.RowLists),
		device.Of(&g.HubRowList.OnDevice, "lists of rows by hub", z.HubRowList-z.OnHost.HubRowList),
		device.Of(&g.Further.OnDevice, "lists of further hubs by row", z.Further-z.OnHost.Further),
		device.Of(&g.HubLists.OnDevice, "lists of hubs by hub", z.HubLists-z.OnHost.HubLists),
	}}
}
