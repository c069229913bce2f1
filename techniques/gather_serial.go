//go:build cuda

package techniques

func gatherSerial() Technique {
	return Technique{
		Name:      "gather-serial",
		Doc:       "top-down from a queue, each thread gathers the neighbours of its vertex; bitmask, places by prefix sum",
		Source:    "DepGraph 7.1",
		Structure: "CSR",
		modules:   []string{"gather_serial"},
		make:      newGathering("gather_serial"),
	}
}
