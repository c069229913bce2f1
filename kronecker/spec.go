// Package kronecker is the official Graph500 v3 generator: edges, weights and
// search keys of the specification's sections "Generating the Edge List" and
// "Sampling 64 Search Keys", bit-identical with the reference code 3.0.1. It
// knows nothing of graphs, searches or files.
//
// Blocks of tuples are made in one of two forms of the same function: Go
// (fastGo) and, about nine times as quick, AVX-512 assembly, chosen when the
// program runs on amd64 unless it was built with the tag noasm.
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
