//go:build cuda

package techniques

func gatherWarp() Technique {
	return Technique{
		Name:      "gather-warp",
		Doc:       "as gather-serial, but the lanes of a warp compete for it, and all strip the row of the winner",
		Source:    "DepGraph 7.1",
		Structure: "CSR",
		modules:   []string{"gather_warp"},
		make:      newGathering("gather_warp"),
	}
}
