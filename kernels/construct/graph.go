//go:build cuda

package construct

import (
	"errors"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/hubs"
)

// Graph is an undirected graph in CSR form in a device's memory, or the rows of a range of
// labels of a graph that several devices hold together. N is the number of vertices, n the
// number of vertices in the range with an edge to another vertex. Only these n vertices have
// rows. The arrays of an order are empty in graphs of another one.
type Graph struct {
	Info   engine.Graph // of the whole graph
	Labels Range        // 0..N-1 if one device has the whole graph
	Ranges []Range      // Labels of all devices

	// Index maps labels to rows. It has one word per 32 labels of the range, padded by
	// up to 32 words. The low half is a bitmap of the labels with a row, the high half the
	// number of rows before the word. Kernels, which use labels of the whole graph, get
	// IndexAddress.
	Index device.Array[uint64]

	// Prefix is the number of first entries of a row in the device's memory, wholeRows if all
	// are there. The others, the row's tail, are in the host's memory: all devices have the
	// same prefix, the longest that fits on each of them. A search, which ends at the first
	// visited neighbour, or at the first arc that is too heavy, seldom reads a tail.
	Prefix uint32

	ByDegree NeighborRows
	ByWeight ArcRows
	ByHubs   *hubs.Graph // nil in graphs of another order

	held []*device.Held
	vertexQueries
}

// NeighborRows is the rows of a graph of the order ByDegree.
type NeighborRows struct {
	// Rows has the n rows in the order of their labels.
	Rows device.Array[Row]

	// Neighbors holds the adjacency lists of the rows one after the other. A list has
	// distinct labels, sorted by falling number of tuples at the neighbour (duplicates
	// count, self loops do not), then by label. The array is longer than the lists by the
	// number of duplicate arcs. In split rows the word behind the prefix of a row that has
	// more neighbours is the number of the sector of Tails, 8 neighbours each, at which the
	// others begin.
	Neighbors device.Array[engine.Label]
	Tails     *device.HostArray[engine.Label]

	// Hubs has the vertices of the whole graph with the most tuples in the same order:
	// Form.Hubs, or all with a row on any device if there are fewer.
	Hubs device.Array[engine.Label]
}

// ArcRows is the rows of a graph of the order ByWeight. Repeated edges keep their own arcs.
//
// Rows are numbered by falling degree. In arcs these numbers stand for the vertices: most
// arcs lead to few vertices of high degree, so what a search stores by row number has its
// most used entries near each other, in the caches. But those of the largest degrees are
// largestApart numbers apart: all multiprocessors ask for them again and again, and a slice
// of the second-level cache answers one request after the other. Side by side, the entries
// of 16 rows are in one cache line, and SSSP is 5 to 9 % slower.
//
// Of several devices, each numbers its own rows so, and row 32 i + j of device k has the
// number 32 (i devices + k) + j: rows of similar degree have numbers near each other, and the
// entries of 32 rows of a device lie side by side. Rows and Labels then have all rows by
// number. Each device has as many numbers, a multiple of 32; those that are not used have
// rows without arcs and the label ~0. The start of a row has the number of its device above
// ownerShift.
//
// On distributed devices (Form.Distributed) arcs lead to labels, rows have no numbers, and there are
// only Arcs, Heads and Starts.
type ArcRows struct {
	// Arcs holds the arcs of the rows, in the order of the labels. The weights in a row
	// ascend. The order of arcs of equal weight is undefined. In split rows the entry behind
	// the prefix of a row that has more arcs is a number of 64 bits: the offset in Tails at
	// which the others begin, a multiple of 8.
	Arcs  device.Array[Arc]
	Tails *device.HostArray[Arc]

	// MeanWeight is that of samples of the arcs on all devices, 0 if there is no arc.
	MeanWeight float32

	// Rows has the rows by number, and Labels the labels of their vertices.
	Rows   device.Array[WeightedRow]
	Labels device.Array[engine.Label]

	// The place of a row is its number in the order of the labels, in which results are
	// written. Heads has the first two arcs of each row and HeadLabels the labels that they
	// lead to, Thirds the weights of the third arcs and the row numbers, and Order the labels,
	// all by place.
	Heads      device.Array[Head]
	HeadLabels device.Array[[2]engine.Label]
	Thirds     device.Array[Third]
	Order      device.Array[engine.Label]

	// Starts has the offsets of the rows in Arcs, by place, and the number of arcs.
	Starts device.Array[uint64]
}

// IndexAddress returns the address at which the word of label 0 of Index would be.
func (g *Graph) IndexAddress() uint64 { return g.Index.Address() - 8*(g.Labels.First/32) }

// Has returns for each vertex whether it has a row. A vertex outside Labels is an error.
func (g *Graph) Has(vertices []engine.Vertex) ([]bool, error) {
	return g.vertexQueries.has(g.Labels, g.IndexAddress(), vertices)
}

// IsSplit reports whether the rows are split.
func (g *Graph) IsSplit() bool { return g.Prefix != wholeRows }

// Close frees the graph's memory.
func (g *Graph) Close() error {
	var errs []error
	for _, held := range slices.Backward(g.held) {
		errs = append(errs, held.Free())
	}
	g.held = nil
	return errors.Join(errs...)
}

// take allocates arrays of the graph.
func (g *Graph) take(d *device.Device, group device.Group) error {
	held, err := d.Take(group)
	if err == nil {
		g.held = append(g.held, held)
	}
	return err
}

// group declares the memory of the graph, with the arrays of its order before the others.
func (g *Graph) group(ofOrder ...device.Declared) device.Group {
	return device.Group{Alive: engine.Construction | engine.Searching, Arrays: append(ofOrder, g.vertexQueries.arrays()...)}
}
