//go:build cuda

package validate

import (
	"errors"
	"math/bits"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

// columns has the results of a batch of searches of SSSP side by side (distances.cu):
// width entries for each vertex, of which the searches use the first. With a width of one
// the tables are the arrays that the search wrote.
type columns struct {
	kernels *kernels
	width   int // 1, 2, 4 or 8

	parents   device.Array[engine.Label]
	distances device.Array[float32]
	joined    device.Array[uint8] // marks of the vertices that a tuple joins to their parents
	alone     Results             // buffer for the results of one search
}

// arrays declares the memory for that many searches.
func (t *columns) arrays(vertices uint64, searches int) []device.Declared {
	t.width = 1 << bits.Len(uint(searches-1))
	entries := vertices * uint64(t.width)
	arrays := []device.Declared{device.Of(&t.joined, "marks of validation", (entries+3)/4*4)} // whole words, for joinTables
	if t.width > 1 {
		arrays = append(arrays,
			device.Of(&t.parents, "parents kept for validation", entries),
			device.Of(&t.distances, "distances kept for validation", entries),
			device.Of(&t.alone.Parents, "parents of one search kept", vertices),
			device.Of(&t.alone.Distances, "distances of one search kept", vertices))
	}
	return arrays
}

// use sets the kernels and the arrays that the searches write.
func (t *columns) use(kernels *kernels, live Results) error {
	t.kernels = kernels
	if t.width == 1 {
		t.parents, t.distances = live.Parents, live.Distances
		return nil
	}
	// The pass over the tuples loads the columns without a search, too, and does not use them.
	return errors.Join(t.parents.Fill(0), t.distances.Fill(0))
}

// vertices returns the number of vertices.
func (t *columns) vertices() int { return t.parents.Len() / t.width }

// place copies results to column i. It queues the work in the stream.
func (t *columns) place(i int, from Results) error {
	n, width, column := uint64(t.vertices()), uint64(t.width), uint64(i)
	return errors.Join(
		t.kernels.place.launch(from.Parents.Address(), n, width, column, t.parents.Address()),
		t.kernels.place.launch(from.Distances.Address(), n, width, column, t.distances.Address()))
}

// take copies column i to the buffer of one search, of a width of more than one. It
// queues the work in the stream.
func (t *columns) take(i int) (Results, error) {
	n, width, column := uint64(t.vertices()), uint64(t.width), uint64(i)
	return t.alone, errors.Join(
		t.kernels.take.launch(t.parents.Address(), n, width, column, t.alone.Parents.Address()),
		t.kernels.take.launch(t.distances.Address(), n, width, column, t.alone.Distances.Address()))
}

// relax processes a part of the tuples for the first count searches, whose facts begin
// at that address.
func (t *columns) relax(count int, part generate.Part, facts uint64) error {
	return t.kernels.relax[bits.Len(uint(t.width))-1].launch(
		part.Address(), part.Weights.Address(), uint64(part.Count), part.First, uint64(t.vertices()),
		t.parents.Address(), t.distances.Address(), t.joined.Address(), uint64(count), facts)
}

// of returns the results of search i at a vertex.
func (t *columns) of(i int, vertex engine.Label) (parent engine.Label, distance float32, err error) {
	at := int(vertex)*t.width + i
	var parents [1]engine.Label
	var distances [1]float32
	err = errors.Join(t.parents.Read(at, parents[:]), t.distances.Read(at, distances[:]))
	return parents[0], distances[0], err
}
