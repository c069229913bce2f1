// Package hostrows has searches of graphs whose neighbours are all in host memory, level by
// level, for comparison with the default search. They differ in how neighbours get to the GPU:
// it reads them itself (zero_copy.go), the host gathers those of the listed rows (subgraph.go),
// or partitions are copied as a whole (partition.go). The first two search top-down or
// bottom-up, the others top-down. The kernels are the same (expand.cu). Without the build tag
// cuda it is empty.
package hostrows
