//go:build cuda

package techniques

func gatherSerial() Technique {
	return Technique{
		Text:      gatherSerialText,
		modules:   []string{"gather_serial"},
		newSearch: newGathering("gather_serial"),
	}
}
