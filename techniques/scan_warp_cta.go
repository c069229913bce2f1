//go:build cuda

package techniques

func init() {
	implementations["scan-warp-cta"] = implementation{
		modules:   []string{"scan_warp_cta"},
		newSearch: newGathering("scan_warp_cta"),
	}
}
