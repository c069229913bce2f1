package commandline

import "graph500/engine"

// Values of -weights. ignoredWeights and drawnWeights make the same weights; the
// first one says that those of the file are none.
const (
	AutoWeights    = "auto"
	FileWeights    = "file"
	IntegerWeights = "integer"
	UnitWeights    = "unit"
	DrawnWeights   = "drawn"
	ignoredWeights = "ignore"
)

func weightsNames() []string {
	return []string{AutoWeights, FileWeights, IntegerWeights, UnitWeights, DrawnWeights, ignoredWeights}
}

// Weighted reports whether the run needs weights.
func (o *Options) Weighted() bool { return o.HasKernel(engine.SSSP) }

// ReadsWeights reports whether the run takes the weights of the file with its graph.
func (o *Options) ReadsWeights() bool {
	return o.Weighted() && (o.Weights == AutoWeights || o.Weights == FileWeights || o.Integers())
}

// Integers reports whether the weights of the file are whole numbers that the run takes exactly.
func (o *Options) Integers() bool { return o.Weights == IntegerWeights }

// checkIntegers returns an error if the run cannot have weights that are whole numbers, and makes the
// CPU engine that of the run if they are.
func (o *Options) checkIntegers() error {
	if !o.Integers() {
		return nil
	}
	refused := func(why string) error { return Usagef("flag -weights=%s: %s", IntegerWeights, why) }
	switch name := o.StrategyOf(engine.SSSP); {
	case o.Graph == "":
		return refused("it is for files of -graph; the weights of edge files are from 0 to 1")
	case o.Engine == "gpu" || o.RequiresGPU:
		return refused("it is for the CPU engine only")
	case name != DefaultStrategy:
		return refused("strategy " + name + " takes weights in float32 only; the default one takes whole numbers")
	case o.WriteEdges != "":
		return refused("edge files hold weights from 0 to 1; the command edges converts graphs")
	}
	o.Engine = "cpu"
	return nil
}
