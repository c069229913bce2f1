package engine

import "math"

// Vertex is the number of a vertex in the input graph, 0..N-1. Files, search
// keys, roots, messages and reports use it.
type Vertex uint64

// Label is the number of a vertex in the arrays of an engine: in tuples and
// neighbour lists, as an index of results and as a parent. An engine that holds
// the whole graph uses the input numbers. Info.LabelBits is the number of bits
// that an engine can use. In an engine with labels of 48 bits (Job.Wide), tuples and results
// are wider, and a Label is what its searches use inside.
type Label = uint32

// LabelBits is the width of Label.
const LabelBits = 32

// None is the parent of an unvisited vertex. It is not a vertex number.
const None Label = 1<<LabelBits - 1

// Beyond stands for a parent in results of 64 bits that is neither a Label nor none. It is
// not a vertex number.
const Beyond Label = None - 1

// MaxScale is the largest scale whose vertex numbers do not include None.
const MaxScale = 31

// Edge is one input tuple: an undirected edge between U and V.
type Edge struct {
	U, V Label
}

// Edge48 is an input tuple with 48 bits for each vertex, in the layout of the packed edges of
// the Graph500 reference: the low 32 bits of U and of V, and in High the other 16 bits of U,
// then those of V.
type Edge48 struct {
	ULow, VLow, High uint32
}

// Widen sets the elements of to, which is as long as from, to those of from.
func Widen(to []Edge48, from []Edge) {
	to = to[:len(from)]
	for i, e := range from {
		to[i] = Edge48{ULow: e.U, VLow: e.V}
	}
}

// Narrow returns the tuple with 32 bits for each vertex, None for a vertex that needs more.
func (e Edge48) Narrow() Edge {
	n := Edge{U: e.ULow, V: e.VLow}
	if e.High&(1<<16-1) != 0 {
		n.U = None
	}
	if e.High>>16 != 0 {
		n.V = None
	}
	return n
}

// WideBits is the width of a vertex number in Edge48.
const WideBits = 48

// Tuples are input tuples with their weights. The edges are in Edges, or, in an engine with
// labels of 48 bits, in Wide.
type Tuples struct {
	Edges   []Edge
	Wide    []Edge48
	Weights []float32 // one per tuple, from 0 to LargestWeight, or IntegerWeight; nil for a graph without weights
}

// Len returns the number of tuples.
func (t Tuples) Len() int { return max(len(t.Edges), len(t.Wide)) }

// Slice returns the tuples lo..hi-1, in the same memory.
func (t Tuples) Slice(lo, hi int) (part Tuples) {
	if t.Edges != nil {
		part.Edges = t.Edges[lo:hi]
	}
	if t.Wide != nil {
		part.Wide = t.Wide[lo:hi]
	}
	if t.Weights != nil {
		part.Weights = t.Weights[lo:hi]
	}
	return part
}

// At returns the edge of tuple i.
func (t Tuples) At(i int) Edge {
	if t.Wide != nil {
		return t.Wide[i].Narrow()
	}
	return t.Edges[i]
}

// View returns edges among which those of tuples lo..hi-1 begin at index lo-first: all of
// Edges, or those of Wide in buffer, which grows if it is too short.
func (t Tuples) View(lo, hi int, buffer *[]Edge) (edges []Edge, first int) {
	if t.Wide == nil {
		return t.Edges, 0
	}
	if len(*buffer) < hi-lo {
		*buffer = make([]Edge, hi-lo)
	}
	edges = (*buffer)[:hi-lo]
	for i, e := range t.Wide[lo:hi] {
		edges[i] = e.Narrow()
	}
	return edges, lo
}

// With Job.Integers the weights of tuples are whole numbers up to LargestInteger: their elements of
// Tuples.Weights have the bits of the numbers. These are the bits of finite float32 numbers of 0 or
// more, in the same order, so that what moves, compares or sorts weights takes them as well. No path
// of 2^32 vertices is longer than 2^63.
const LargestInteger = InfiniteBits - 1

// IntegerWeight returns the element of Tuples.Weights for a whole number up to LargestInteger.
func IntegerWeight(n uint32) float32 { return math.Float32frombits(n) }

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
