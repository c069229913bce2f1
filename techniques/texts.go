package techniques

// Text is what people read of a technique.
type Text struct {
	Name      string // value of -strategy
	Doc       string // one line: what it does
	Source    string // where it is described
	Structure string // the form of the graph that it needs: CSR, CSC or COO
}

// Texts lists those of the techniques in the order of All, in every build: a
// program without the GPU engine knows what it lacks.
func Texts() []Text {
	return []Text{
		pushText,
		pullText,
		edgeText,
		spmvText,
		bitmapFrontierText,
		frontierText,
		privatizedText,
		singleBlockText,
		degreeBucketsText,
		gatherSerialText,
		gatherWarpText,
		gatherScanText,
		gatherCtaText,
		scanWarpCtaText,
		directionHalfText,
		directionText,
	}
}

var (
	pushText = Text{
		Name:      "push",
		Doc:       "vertex-centric top-down: one thread a vertex, those of the last level mark their neighbours, without atomics",
		Source:    "PMPP 15.3",
		Structure: "CSR",
	}
	pullText = Text{
		Name:      "pull",
		Doc:       "vertex-centric bottom-up: one thread a vertex, those not visited look for a neighbour of the last level and stop at the first",
		Source:    "PMPP 15.3",
		Structure: "CSC",
	}
	edgeText = Text{
		Name:      "edge",
		Doc:       "edge-centric: one thread an edge, each level asks all of them; twice the memory for edges",
		Source:    "PMPP 15.4",
		Structure: "COO",
	}
	spmvText = Text{
		Name:      "spmv",
		Doc:       "linear algebra: a boolean sparse matrix-vector product with a mask and an assignment for each level, one warp a row",
		Source:    "PMPP 15.4, GraphBLAS",
		Structure: "CSR",
	}
	bitmapFrontierText = Text{
		Name:      "bitmap-frontier",
		Doc:       "top-down, one thread a vertex, with the frontier as an array of booleans",
		Source:    "notes on PMPP 15",
		Structure: "CSR",
	}
	frontierText = Text{
		Name:      "frontier",
		Doc:       "top-down from a queue of the vertices found last: one thread each, claims by compare-and-swap, one counter",
		Source:    "PMPP 15.5",
		Structure: "CSR",
	}
	privatizedText = Text{
		Name:      "privatized",
		Doc:       "frontier with a queue in shared memory for each block, copied to the common one with one reservation",
		Source:    "PMPP 15.6",
		Structure: "CSR",
	}
	singleBlockText = Text{
		Name:      "single-block",
		Doc:       "frontier, but while it is small one block goes from level to level without the host",
		Source:    "PMPP 15.7",
		Structure: "CSR",
	}
	degreeBucketsText = Text{
		Name:      "degree-buckets",
		Doc:       "three queues by degree: a vertex of the first is expanded by a thread, of the second by a warp, of the third by a block",
		Source:    "PMPP 15.7",
		Structure: "CSR",
	}
	gatherSerialText = Text{
		Name:      "gather-serial",
		Doc:       "top-down from a queue, each thread gathers the neighbours of its vertex; bitmask, places by prefix sum",
		Source:    "DepGraph 7.1",
		Structure: "CSR",
	}
	gatherWarpText = Text{
		Name:      "gather-warp",
		Doc:       "as gather-serial, but the lanes of a warp compete for it, and all strip the row of the winner",
		Source:    "DepGraph 7.1",
		Structure: "CSR",
	}
	gatherScanText = Text{
		Name:      "gather-scan",
		Doc:       "as gather-serial, but a prefix sum lays the rows of a block end to end, and each thread takes one neighbour",
		Source:    "DepGraph 7.1",
		Structure: "CSR",
	}
	gatherCtaText = Text{
		Name:      "gather-cta",
		Doc:       "as gather-warp, but with the block in the place of the warp",
		Source:    "DepGraph 7.1",
		Structure: "CSR",
	}
	scanWarpCtaText = Text{
		Name:      "scan-warp-cta",
		Doc:       "long rows gathered by the block, middling ones by warps, the rest by scan",
		Source:    "DepGraph 7",
		Structure: "CSR",
	}
	directionHalfText = Text{
		Name:      "direction-half",
		Doc:       "pushes from a queue, and pulls where the queue holds half of the vertices or more",
		Source:    "DepGraph 5.3",
		Structure: "CSR, CSC",
	}
	directionText = Text{
		Name:      "direction",
		Doc:       "pushes or pulls, by the arcs of the frontier against those not explored yet",
		Source:    "DepGraph 5, Beamer et al. 2012",
		Structure: "CSR, CSC",
	}
)
