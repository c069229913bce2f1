// Package bfs is the default breadth-first search on a GPU: what it streams, made
// from the rows of kernel 1 (pack.cu), and one persistent kernel a search,
// direction-optimizing, steered on the device (search.cu). It must not know the
// engine above it: no flags, no clock of the benchmark. Without the build tag cuda
// it is empty.
package bfs
