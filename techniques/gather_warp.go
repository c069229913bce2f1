//go:build cuda

package techniques

func gatherWarp() Technique {
	return Technique{
		Text:      gatherWarpText,
		modules:   []string{"gather_warp"},
		newSearch: newGathering("gather_warp"),
	}
}
