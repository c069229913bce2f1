//go:build cuda

package techniques

func gatherWarp() Technique {
	return Technique{
		Text:    gatherWarpText,
		modules: []string{"gather_warp"},
		make:    newGathering("gather_warp"),
	}
}
