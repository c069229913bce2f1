package main

import "graph500/engine"

// Values of -weights. ignoredWeights and drawnWeights make the same weights; the
// first one says that those of the file are none.
const (
	autoWeights    = "auto"
	fileWeights    = "file"
	unitWeights    = "unit"
	drawnWeights   = "drawn"
	ignoredWeights = "ignore"
)

func weightsNames() []string {
	return []string{autoWeights, fileWeights, unitWeights, drawnWeights, ignoredWeights}
}

// weighted reports whether the run needs weights.
func (o *options) weighted() bool { return o.hasKernel(engine.SSSP) }

// readsWeights reports whether the run takes the weights of the file with its graph.
func (o *options) readsWeights() bool {
	return o.weighted() && (o.Weights == autoWeights || o.Weights == fileWeights)
}
