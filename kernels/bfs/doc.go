// Package bfs is breadth-first search on GPUs by one persistent kernel each. It packs the rows of
// kernel 1 into the arrays that a search reads (pack.cu). The search is direction-optimizing and
// steered on the device (search.cu). The package does not know the engine above it: no flags, no
// clock of the benchmark. Without the build tag cuda it is empty.
//
// Several GPUs (peers.cu) each have the rows of a range of labels and the bitmaps of all vertices;
// device.TeamKernel launches their kernels at the same time, and PeerBarrier is the barrier of all
// their blocks. Every level ends with the same bitmap on all of them: bottom-up, each GPU sends the
// slice of its range to the others; top-down, each lists the vertices that it found with their
// parents, and all read the lists. So a parent is written by the GPU that has the row of the
// vertex.
//
// split.cu and splitpeers.cu are the same searches for rows of which only the first neighbours are
// on the GPU and the others in host memory; neighbors.cuh is the only place that knows where a
// neighbour lies. Neighbours are in the order of their degree, so a bottom-up level seldom reads
// host memory. Several GPUs have prefixes of the same length, so that they decide each level alike,
// and only the GPU of a row reads its part in host memory. What goes over the bus is counted in the
// counted form only (tailreads.cuh).
package bfs
