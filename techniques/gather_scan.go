//go:build cuda

package techniques

func gatherScan() Technique {
	return Technique{
		Text:      gatherScanText,
		modules:   []string{"gather_scan"},
		newSearch: newGathering("gather_scan"),
	}
}
