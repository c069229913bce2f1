//go:build cuda

package techniques

func gatherScan() Technique {
	return Technique{
		Name:      "gather-scan",
		Doc:       "as gather-serial, but a prefix sum lays the rows of a block end to end, and each thread takes one neighbour",
		Source:    "DepGraph 7.1",
		Structure: "CSR",
		modules:   []string{"gather_scan"},
		make:      newGathering("gather_scan"),
	}
}
