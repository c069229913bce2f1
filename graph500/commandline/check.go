package commandline

import (
	"math"
	"slices"
	"strings"

	"graph500/engine"
	"graph500/partition"
	"graph500/report"
)

// conflicts lists pairs of flags that exclude each other, with the reason.
func conflicts() []struct{ one, other, why string } {
	return []struct{ one, other, why string }{
		{"graph", "scale", "the file determines the size of the graph"},
		{"graph", "edgefactor", "the file determines the size of the graph"},
		{"graph", "read-edges", "a run has one graph"},
		{"root", "roots", "one gives the vertices, the other their number"},
		{"root", "roots-from", "one gives the vertices, the other says how to sample them"},
		{"check-parents", "check-engine", "nothing is searched"},
		{"check-parents", "roots", "nothing is searched"},
		{"check-parents", "skip-validation", "it only validates"},
		{"check-parents", "write-parents", "nothing is searched"},
		{"check-parents", "out", "nothing is searched"},
		{"check-parents", "format", "nothing is searched"},
		{"check-parents", "energy", "nothing is searched"},
		{"check-parents", "repeat-for", "nothing is searched"},
		{"check-parents", "search-timeout", "nothing is searched"},
	}
}

// CheckFlags returns an error if the flags are invalid by themselves.
func (o *Options) CheckFlags(p *Parser) error {
	given := p.Given
	o.DeviceGiven, o.DeltaGiven, o.ThreadsGiven = given("device"), given("delta"), given("threads")
	o.RequiresGPU = o.DeviceGiven || given("gpus")
	o.Scale = o.Scales[0]
	for _, check := range []func() error{
		o.checkRoots,
		func() error { return o.checkNames(given) },
		func() error { return checkConflicts(given) },
		func() error { return o.checkGraph(given) },
		o.checkIntegers,
		func() error { return o.checkSweep(p) },
		func() error { return o.checkCores(given) },
		o.checkPartition, o.checkCheckParents, o.checkGPUs, o.checkResidency, o.checkStrategies,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkRoots returns an error if the graph cannot have a vertex of -root.
func (o *Options) checkRoots() error {
	last := int64(math.MaxUint32 - 1)
	if o.Graph == "" {
		last = 1<<o.Scale - 1
	}
	for _, root := range o.Root {
		if root < 0 || root > last {
			return Usagef("flag -root: the graph has no vertex %d, they are 0..%d", root, last)
		}
	}
	return nil
}

// checkNames returns an error if the name of a file is given, but empty.
func (o *Options) checkNames(given func(string) bool) error {
	for _, file := range []struct{ flag, name string }{
		{"graph", o.Graph}, {"read-edges", o.ReadEdges}, {"check-parents", o.CheckParents}, {"check-distances", o.CheckDistances},
		{"write-edges", o.WriteEdges}, {"write-parents", o.WriteParents}, {"out", o.Out},
	} {
		if file.name == "" && given(file.flag) {
			return Usagef("flag -%s: the name is empty", file.flag)
		}
	}
	return nil
}

// checkConflicts returns an error if two flags exclude each other.
func checkConflicts(given func(string) bool) error {
	for _, c := range conflicts() {
		if given(c.one) && given(c.other) {
			return Usagef("flags -%s and -%s contradict each other: %s", c.one, c.other, c.why)
		}
	}
	return nil
}

// checkGraph returns an error if a flag needs a graph from a file, but there is none.
func (o *Options) checkGraph(given func(string) bool) error {
	switch {
	case given("roots-from") && o.Graph == "":
		return Usagef("flag -roots-from: it is for the components of -graph")
	case o.Renumber && o.Graph == "":
		return Usagef("flag -renumber: it is for the vertices of -graph")
	case given("weights") && (o.Graph == "" && o.ReadEdges == "" || !o.Weighted()):
		return Usagef("flag -weights: it is for sssp on a graph of -graph or -read-edges")
	}
	return nil
}

// checkCores returns an error if the engine is that of cores, and a flag is about GPUs.
func (o *Options) checkCores(given func(string) bool) error {
	for _, flag := range []string{"device", "gpus", "check-engine", "gpu-memory", "residency", "exchange"} {
		if o.Engine == "cpu" && given(flag) {
			return Usagef("flags -%s and -engine=cpu contradict each other: it is about a GPU", flag)
		}
	}
	return nil
}

// rangesPartition is the value of -partition for ranges of vertices.
const rangesPartition = "ranges"

// PolicyName returns the name of the policy of -partition, empty for ranges of vertices.
func (o *Options) PolicyName() string {
	p, _ := partition.Find(o.Partition)
	if p.Owner.Name == "" {
		return ""
	}
	return p.Name()
}

// checkPartition returns an error if the searches cannot have the policy of -partition, and
// makes the CPU engine that of the run if they have one.
func (o *Options) checkPartition() error {
	if o.Partition == rangesPartition {
		return nil
	}
	if _, ok := partition.Find(o.Partition); !ok {
		return NoSuchValue("partition", o.Partition, append([]string{rangesPartition}, partition.Names()...))
	}
	if o.Engine == "gpu" || o.RequiresGPU {
		return Usagef("flag -partition=%s: it is for the CPU engine only", o.Partition)
	}
	o.Engine = "cpu"
	return nil
}

// residencyNames lists the values of -residency.
func residencyNames() (names []string) {
	for _, r := range engine.Residencies() {
		names = append(names, string(r))
	}
	return names
}

// AutoExchange is the value of -exchange that leaves the choice to the program.
const AutoExchange = "auto"

// exchangeNames lists the values of -exchange.
func exchangeNames() []string {
	return []string{AutoExchange, string(engine.PeerExchange), string(engine.NCCLExchange), string(engine.HostExchange)}
}

// checkResidency returns an error if the residency cannot be that of the run.
func (o *Options) checkResidency() error {
	if r := engine.Residency(o.Residency); r == engine.AutoResidency || r == engine.Resident {
		return nil
	}
	if o.Weighted() && o.Residency != string(engine.Prefix) {
		return Usagef("flag -residency=%s: it is for bfs only", o.Residency)
	}
	for _, k := range o.Kernels() {
		if name := o.StrategyOf(k); name != DefaultStrategy {
			return Usagef("flag -residency=%s: strategy %s needs all neighbours in the memory of the GPU", o.Residency, name)
		}
	}
	if o.GPUs != 1 {
		return o.checkResidencyOfSeveral()
	}
	return nil
}

// checkResidencyOfSeveral returns an error if several GPUs cannot have the residency.
func (o *Options) checkResidencyOfSeveral() error {
	switch r := engine.Residency(o.Residency); {
	case r == engine.AutoResidency || r == engine.Resident:
		return nil
	case r != engine.Prefix:
		return Usagef("flag -residency=%s: it is for one GPU only", r)
	case o.Exchange != AutoExchange && o.Exchange != string(engine.PeerExchange):
		return Usagef("flags -residency=%s and -exchange=%s contradict each other: the GPUs must access each other's memory", r, o.Exchange)
	}
	return nil
}

// Wide reports whether the run has labels of 48 bits.
func (o *Options) Wide() bool { return o.LabelBits == engine.WideBits }

// checkGPUs returns an error if one GPU only can do what the flags ask for.
func (o *Options) checkGPUs() error {
	if o.GPUs == 1 {
		return nil
	}
	for _, k := range o.Kernels() {
		if name := o.StrategyOf(k); name != DefaultStrategy {
			return Usagef("flag -gpus: strategy %s runs on one GPU only", name)
		}
	}
	return nil
}

// checkCheckParents returns an error if -check-parents and -check-distances do not name
// the results of one search.
func (o *Options) checkCheckParents() error {
	switch {
	case o.CheckParents == "" && o.CheckDistances == "":
		return nil
	case o.CheckParents == "":
		return Usagef("flag -check-distances: name the parents too, with -check-parents")
	case len(o.Root) != 1:
		return Usagef("flag -check-parents: give the root of the tree with exactly one -root")
	case o.Kernel == bothKernels:
		return Usagef("flag -check-parents: a parents file belongs to one kernel, give -kernel=bfs or -kernel=sssp")
	case o.CheckDistances != "" && !o.HasKernel(engine.SSSP):
		return Usagef("flag -check-distances: only -kernel=sssp has distances")
	case o.CheckDistances == "" && o.HasKernel(engine.SSSP) && !strings.HasSuffix(o.CheckParents, ".i64"):
		return Usagef("flag -check-parents: %s does not end in .i64, name the file of the distances with -check-distances", o.CheckParents)
	}
	return nil
}

// checkStrategies returns an error if no engine has the strategies of -strategy.
func (o *Options) checkStrategies() error {
	if o.ListsStrategies() {
		return nil
	}
	for _, value := range o.Strategy {
		kernel, _, ok := strings.Cut(value, ":")
		switch names := kernelNames(); {
		case !ok:
		case !slices.Contains(names, kernel) || kernel == bothKernels:
			return Usagef("flag -strategy: %q does not begin with a kernel, such as sssp:", value)
		case !o.HasKernel(engine.Kernel(kernel)):
			return Usagef("flag -strategy: %s is for the kernel %s, and this run has -kernel=%s", value, kernel, o.Kernel)
		}
	}
	for _, k := range o.Kernels() {
		if err := o.Catalogue.Check("auto", k, o.StrategyOf(k)); err != nil {
			return Usagef("flag -strategy: %s", err)
		}
	}
	return nil
}

// ListsStrategies reports whether the run only lists the strategies.
func (o *Options) ListsStrategies() bool { return slices.Contains(o.Strategy, "help") }

// Values of -roots-from.
const (
	rootsFromAll     = "all"
	RootsFromLargest = "largest"
)

// engineNames lists the values of -engine.
func engineNames() []string { return []string{"auto", "cpu", "gpu"} }

// formatNames lists the values of -format.
func formatNames() []string {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, f.Name)
	}
	return names
}
