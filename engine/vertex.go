package engine

// Vertex is a vertex of the input graph by its original number, 0..N-1. Files,
// search keys, roots, messages and reports speak of these.
type Vertex uint64

// Local is the number of a vertex in the arrays of one engine: of the tuples
// and neighbour lists that it holds, the index of a result and the result
// itself. An engine that holds the whole graph numbers its vertices as the
// input does, so a Local is a Vertex that fits. How many of the bits an engine
// can use, Info.LabelBits says.
type Local = uint32

// LocalBits is the width of Local.
const LocalBits = 32

// None is the parent of a vertex that was not reached. It is no vertex.
const None Local = 1<<LocalBits - 1

// MaxScale is the largest scale whose 2^scale vertices leave None free.
const MaxScale = 31

// Edge is one input tuple: an undirected edge between U and V.
type Edge struct {
	U, V Local
}
