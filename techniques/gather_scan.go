//go:build cuda

package techniques

func gatherScan() Technique {
	return Technique{
		Text:    gatherScanText,
		modules: []string{"gather_scan"},
		make:    newGathering("gather_scan"),
	}
}
