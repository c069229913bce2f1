// Package bfs is the default breadth-first search on a GPU. It packs the rows of
// kernel 1 into the arrays that a search reads (pack.cu). A search is one persistent
// kernel, direction-optimizing, steered on the device (search.cu). The package does
// not know the engine above it: no flags, no clock of the benchmark. Without the
// build tag cuda it is empty.
package bfs
