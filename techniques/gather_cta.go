//go:build cuda

package techniques

func gatherCta() Technique {
	return Technique{
		Name:      "gather-cta",
		Doc:       "as gather-warp, but with the block in the place of the warp",
		Source:    "DepGraph 7.1",
		Structure: "CSR",
		modules:   []string{"gather_cta"},
		make:      newGathering("gather_cta"),
	}
}
