// Package kronecker is the official Graph500 v3 generator: edges, weights and
// search keys, bit-identical with the reference. It knows nothing of graphs,
// searches or files.
package kronecker

// Spec names one generated graph.
type Spec struct {
	Scale      int    // log2 of the number of vertices, 1..32
	EdgeFactor int    // tuples for each vertex
	Seed1      uint64 // the reference uses 2
	Seed2      uint64 // the reference uses 3
}

// Vertices returns N = 2^scale.
func (s Spec) Vertices() uint64 { return 1 << s.Scale }

// Tuples returns M = edgefactor * 2^scale.
func (s Spec) Tuples() uint64 { return uint64(s.EdgeFactor) << s.Scale }
