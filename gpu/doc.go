// Package gpu is the engine for a team of one or more NVIDIA GPUs, of one process or of ranks. It
// plans and reserves the memory of each, stores tuples, graph and results there, and combines the
// packages in kernels/ and techniques/. The number of GPUs, the width of labels, where neighbours
// are, and how GPUs get data of each other are values, of which strategy.go chooses the search and
// plan.go the memory. The package is independent of flags, clocks, reports and the order of the
// benchmark's phases.
//
// Without the build tag cuda it contains only Available, which returns an error, and the names of
// the strategies.
//
// # Plan
//
// planner plans one GPU of the team: that with the largest share of the tuples and the longest
// range of labels. It adds up all groups of arrays before the run and chooses a layout that fits
// the free memory or the limit: tuples that do not fit are generated again, part by part, loaded
// ones are copied from the host's memory in each pass; of rows that do not fit, the first
// neighbours are on the GPU (residency.go). With both kernels, arcs of SSSP have as many places as
// rows and lists of BFS have words. Ranges of a loaded graph have about equally many arcs, if
// that fits: the plan then assumes that one GPU has nearly all labels. Else, with split rows and in
// generated graphs, they have equally many labels. The plan of such rows takes the number of vertices with
// edges from the file, from a bound for generated graphs, and else assumes that all have some.
//
// # Which search
//
// The default BFS is that of kernels/hubs for graphs from a size on (leastByHubs: from scale 22 on an H100 or H200, from 24
// on several), or if rows are split. Otherwise it is that of kernels/bfs: besides
// other strategies, for more than 2^29 rows a GPU or 2^30 in all, for GPUs with too little shared
// memory, and for split rows whose lists take more memory of GPU or host than there is
// (planner.canBeByHubs, splitLayout). Ranks of one host share the host memory of split rows
// (device.Share), which devices of others read. Rows are also split where only so the search is
// that of kernels/hubs, for kernel 1 has room for its lists if the neighbours are in host memory.
// GPUs that access each other's memory search with the same kernels, one persistent kernel each;
// others with kernels/distributed, and an exchange after each step. New finds out which. Choose
// gives each rank GPUs that no other rank of its host has, by their bus ids.
//
// # Kernels of a run
//
// Kernel 1 builds a graph for each kernel: that of BFS, then that of SSSP. The searchers of both
// exist at the same time, with results, validation and search memory of their own. Long-lived
// arrays are a stack, so searchers are closed in the reverse order of their creation. One pass over
// the tuples validates up to eight searches of SSSP. BFS needs a pass per search, and validates
// several in one only if tuples must be generated again, or copied, for each pass.
package gpu

import "graph500/device/driver"

// Available returns nil if this machine has a GPU and a driver that run the
// program's kernels, else an error of one line that names the missing requirement.
func Available() error { return driver.Load() }
