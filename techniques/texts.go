package techniques

import "graph500/engine"

// Text describes a technique for users.
type Text struct {
	Kernel    engine.Kernel
	Name      string // value of -strategy
	Doc       string // description of one line
	Source    string // publication that describes it
	Structure string // graph format that it needs: CSR, CSC or COO
	UsesDelta bool   // it has a parameter delta, the width of a bucket of distances
}

// Texts lists the techniques of both kernels from the simplest, in the order in which the
// literature develops them. It is part of every build, so that a program without the GPU
// engine can still list them. A new technique needs its two files and an entry here.
func Texts() []Text {
	return []Text{
		{
			Kernel:    engine.BFS,
			Name:      "push",
			Doc:       "vertex-centric top-down: one thread per vertex; vertices of the last level mark their neighbours, without atomics",
			Source:    "PMPP 15.3",
			Structure: "CSR",
		},
		{
			Kernel:    engine.BFS,
			Name:      "pull",
			Doc:       "vertex-centric bottom-up: one thread per vertex; unvisited vertices search for a neighbour of the last level and stop at the first",
			Source:    "PMPP 15.3",
			Structure: "CSC",
		},
		{
			Kernel:    engine.BFS,
			Name:      "edge",
			Doc:       "edge-centric: one thread per edge, each level reads all edges; twice the memory for edges",
			Source:    "PMPP 15.4",
			Structure: "COO",
		},
		{
			Kernel:    engine.BFS,
			Name:      "spmv",
			Doc:       "linear algebra: a masked sparse matrix-vector product and an assignment per level, one warp per row",
			Source:    "PMPP 15.4, GraphBLAS",
			Structure: "CSR",
		},
		{
			Kernel:    engine.BFS,
			Name:      "bitmap-frontier",
			Doc:       "top-down, one thread per vertex, with the frontier as a boolean array",
			Source:    "notes on PMPP 15",
			Structure: "CSR",
		},
		{
			Kernel:    engine.BFS,
			Name:      "frontier",
			Doc:       "top-down from a queue: one thread per vertex, claims by compare-and-swap, one counter",
			Source:    "PMPP 15.5",
			Structure: "CSR",
		},
		{
			Kernel:    engine.BFS,
			Name:      "privatized",
			Doc:       "frontier with a queue in shared memory for each block, copied to the global queue with one reservation",
			Source:    "PMPP 15.6",
			Structure: "CSR",
		},
		{
			Kernel:    engine.BFS,
			Name:      "single-block",
			Doc:       "frontier, but one block processes small levels without the host",
			Source:    "PMPP 15.7",
			Structure: "CSR",
		},
		{
			Kernel:    engine.BFS,
			Name:      "degree-buckets",
			Doc:       "three queues by degree: a thread expands a vertex of the first, a warp of the second, a block of the third",
			Source:    "PMPP 15.7",
			Structure: "CSR",
		},
		{
			Kernel:    engine.BFS,
			Name:      "gather-serial",
			Doc:       "top-down from a queue, each thread gathers the neighbours of its vertex; bitmask, queue positions by prefix sum",
			Source:    "DepGraph 7.1",
			Structure: "CSR",
		},
		{
			Kernel:    engine.BFS,
			Name:      "gather-warp",
			Doc:       "as gather-serial, but the lanes of a warp compete for the warp, and all process the row of the winner",
			Source:    "DepGraph 7.1",
			Structure: "CSR",
		},
		{
			Kernel:    engine.BFS,
			Name:      "gather-scan",
			Doc:       "as gather-serial, but a prefix sum concatenates the rows of a block, and each thread processes one neighbour",
			Source:    "DepGraph 7.1",
			Structure: "CSR",
		},
		{
			Kernel:    engine.BFS,
			Name:      "gather-cta",
			Doc:       "as gather-warp, but with the block (CTA) instead of the warp",
			Source:    "DepGraph 7.1",
			Structure: "CSR",
		},
		{
			Kernel:    engine.BFS,
			Name:      "scan-warp-cta",
			Doc:       "the block gathers long rows, warps gather medium rows, and a scan the rest",
			Source:    "DepGraph 7",
			Structure: "CSR",
		},
		{
			Kernel:    engine.BFS,
			Name:      "direction-half",
			Doc:       "pushes from a queue, but pulls if the queue holds at least half of the vertices",
			Source:    "DepGraph 5.3",
			Structure: "CSR, CSC",
		},
		{
			Kernel:    engine.BFS,
			Name:      "direction",
			Doc:       "pushes or pulls, by comparing the arcs of the frontier with the unexplored arcs",
			Source:    "DepGraph 5, Beamer et al. 2012",
			Structure: "CSR, CSC",
		},
		{
			Kernel:    engine.SSSP,
			Name:      "bellman-ford",
			Doc:       "rounds over a queue of the vertices with a smaller distance, all arcs of each; equal shares of arcs for all warps",
			Source:    "Bellman 1958, Harish and Narayanan 2007",
			Structure: "CSR",
		},
		{
			Kernel:    engine.SSSP,
			Name:      "near-far",
			Doc:       "bellman-ford on the vertices below a splitting distance, which rises by delta when none is left; the others wait in a pile",
			Source:    "Davidson et al. 2014",
			Structure: "CSR",
			UsesDelta: true,
		},
		{
			Kernel:    engine.SSSP,
			Name:      "delta-stepping",
			Doc:       "buckets of width delta one after the other: rounds over the arcs below delta within the bucket, then the others once",
			Source:    "Meyer and Sanders 2003",
			Structure: "CSR",
			UsesDelta: true,
		},
	}
}
