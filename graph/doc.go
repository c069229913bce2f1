// Package graph constructs a CSR graph from a list of tuples (kernel 1 of the Graph500
// specification) on cores, and reads and writes files of tuples, weights, parents and distances. A
// Share is the part of one rank; a Part is what a rank holds of a file, so that any number of ranks
// writes the same file. The package must not know searches, engines or flags.
//
// The arcs are counted by windows of source labels, with all counters in the first-level cache,
// scattered for as many windows as the memory bound allows, and sorted window by window in the
// second-level cache; repetitions are dropped. CSR.ByHubs then orders the rows by their first
// hub, in the same memory; for a share, the neighbours of highest degree of every row are found.
// BuildWeighted makes rows in the order of the weights.
package graph
