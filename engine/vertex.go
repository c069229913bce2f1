package engine

import "math"

// Vertex is the number of a vertex in the input graph, 0..N-1. Files, search
// keys, roots, messages and reports use it.
type Vertex uint64

// Local is the number of a vertex in the arrays of one engine: in tuples and
// neighbour lists, as an index of results and as a parent. An engine that holds
// the whole graph uses the input numbers. Info.LabelBits is the number of bits
// that an engine can use.
type Local = uint32

// LocalBits is the width of Local.
const LocalBits = 32

// None is the parent of an unvisited vertex. It is not a vertex number.
const None Local = 1<<LocalBits - 1

// MaxScale is the largest scale whose vertex numbers do not include None.
const MaxScale = 31

// Edge is one input tuple: an undirected edge between U and V.
type Edge struct {
	U, V Local
}

// Tuples are input tuples with their weights.
type Tuples struct {
	Edges   []Edge
	Weights []float32 // one per tuple, from 0 to LargestWeight; nil for a graph without weights
}

// LargestWeight returns the largest weight with which no path of a graph with the given
// number of vertices has an infinite length. The sum of a length and a weight is rounded
// to the length or to at most twice the weight above it, so the length of a path of n arcs
// is at most 2n times the largest weight.
func LargestWeight(vertices uint64) float32 {
	if vertices < 2 {
		return math.MaxFloat32
	}
	exact := math.MaxFloat32 / (2 * float64(vertices-1))
	w := float32(exact)
	if float64(w) > exact {
		w = math.Nextafter32(w, 0)
	}
	return w
}
