// Package graph constructs a CSR graph from a list of tuples (kernel 1 of the
// Graph500 specification) and reads and writes files of tuples, weights, parents
// and distances.
package graph
