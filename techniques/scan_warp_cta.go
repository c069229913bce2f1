//go:build cuda

package techniques

func scanWarpCta() Technique {
	return Technique{
		Name:      "scan-warp-cta",
		Doc:       "long rows gathered by the block, middling ones by warps, the rest by scan",
		Source:    "DepGraph 7",
		Structure: "CSR",
		modules:   []string{"scan_warp_cta"},
		make:      newGathering("scan_warp_cta"),
	}
}
