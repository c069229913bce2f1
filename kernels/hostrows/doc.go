// Package hostrows has searches of graphs whose neighbours are all in host memory, level by level,
// for comparison with the default search. They differ in how neighbours get to the GPU: it reads
// them itself (zero_copy.go), the host gathers those of the listed rows (subgraph.go), or
// partitions are copied as a whole (partition.go); each is a feeder. The package must not know the
// engine. Without the build tag cuda it is empty.
//
// A row has one word on the device. The kernels (expand.cu) make a list of rows, with the sectors
// of 8 neighbours before each, and examine the neighbours, wherever these are. Top-down the list
// has the rows of the frontier. Bottom-up, a level has two lists: the first sectors of the rows of
// all unvisited vertices, then the rest of those rows for which these were not enough; partition.go
// and managed.go search top-down only. The kernel that makes the list chooses the direction by its
// sums. A warp finds its equal share of the sectors by a search in the list, so that a long row
// takes many warps. The search ends when no vertex with a row is unvisited.
//
// Threads of the host that gather take pieces of the list in ascending order and never wait for
// each other at the end of a part; that which completes a part sends it, in a stream of its own
// while kernels run (device.Uploads).
package hostrows
