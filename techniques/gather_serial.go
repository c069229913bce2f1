//go:build cuda

package techniques

func gatherSerial() Technique {
	return Technique{
		Text:    gatherSerialText,
		modules: []string{"gather_serial"},
		make:    newGathering("gather_serial"),
	}
}
