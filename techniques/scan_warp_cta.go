//go:build cuda

package techniques

func scanWarpCta() Technique {
	return Technique{
		Text:      scanWarpCtaText,
		modules:   []string{"scan_warp_cta"},
		newSearch: newGathering("scan_warp_cta"),
	}
}
