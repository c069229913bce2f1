package commandline

import "graph500/engine"

// Values of -weights. ignoredWeights and drawnWeights make the same weights; the
// first one says that those of the file are none.
const (
	AutoWeights    = "auto"
	FileWeights    = "file"
	UnitWeights    = "unit"
	DrawnWeights   = "drawn"
	ignoredWeights = "ignore"
)

func weightsNames() []string {
	return []string{AutoWeights, FileWeights, UnitWeights, DrawnWeights, ignoredWeights}
}

// Weighted reports whether the run needs weights.
func (o *Options) Weighted() bool { return o.HasKernel(engine.SSSP) }

// ReadsWeights reports whether the run takes the weights of the file with its graph.
func (o *Options) ReadsWeights() bool {
	return o.Weighted() && (o.Weights == AutoWeights || o.Weights == FileWeights)
}
