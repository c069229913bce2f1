package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"graph500/cluster"
	"graph500/energy"
	"graph500/engine"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/report"
)

// bench is one run of the program, from the checked flags to the complete record.
// It is the same for every engine.
type bench struct {
	*options
	world        *cluster.World
	engine       Engine
	reference    *reference                                          // of -check-engine, else nil
	extra        func(job engine.Job, ranks int) []engine.Allocation // memory of the work besides the engine's; may be nil
	sets         []strategySet
	jobs         []plannedJob // of the sets
	isComparison bool         // of strategies: searchers are created one after the other, outside construction
	console      *console
	meter        *energy.Meter  // of -energy; may be nil
	machine      fs.FS          // root file system of the machine, for monitor; may be nil
	monitor      *loadMonitor   // of the processors; may be nil
	spec         kronecker.Spec // for a graph from a file, of the search keys only
	vertices     uint64
	tuples       uint64
	connected    uint64           // vertices of the file of -graph with an edge to another vertex, else 0
	names        []string         // of the vertices in the file of -graph, with -renumber, on rank 0
	component    component        // of -roots-from
	wholeWeights bool             // the weights of the file of -graph are whole numbers
	rounded      bool             // a warning was given about rounded distances
	limits       limits           // memory available before the first allocation
	searchers    []kernelSearcher // of the benchmark's kernels in order; none in a comparison
	writingTime  time.Duration    // for writing the results of the current kernel
	searching    energy.Span      // of its searches
	validating   energy.Span      // of their validation
	metered      bool             // batches of searches are long enough for the meter
	foreign      string           // what the edge file holds that the generator does not make, else ""
	stopped      *timedOut        // by -timeout, before the last search; else nil
	record       report.Run

	removeEdges func() // removes the edge file of TMPFILE without REUSEFILE
}

// strategySet holds strategies whose searchers exist at the same time, at most one per
// kernel. A benchmark has one set, a comparison one for each strategy.
type strategySet []engine.Strategy

// kernelSearcher is a searcher with its kernel.
type kernelSearcher struct {
	engine.Searcher
	kernel engine.Kernel
}

func newBench(p *Process, o *options, e Engine, c *console) *bench {
	b := &bench{
		options: o,
		world:   p.World,
		engine:  e,
		console: c,
		spec:    o.generatorSpec(),

		removeEdges: func() {},
	}
	b.vertices, b.tuples = b.spec.Vertices(), b.spec.Tuples()
	b.record = newRecord(p, o, e.Info())
	var set strategySet
	for _, k := range o.kernels() {
		for _, s := range o.catalogue.named(e.Info().Name, k, o.strategyOf(k)) {
			set = append(set, s)
			b.record.Kernels = append(b.record.Kernels, report.KernelRun{Kernel: k, Strategy: s.Name, Delta: o.deltaOf(s), ValidatedTogether: 1})
		}
	}
	b.sets = []strategySet{set}
	b.recordPhase(report.Phase{Name: "startup", Seconds: time.Since(p.Started).Seconds()})
	return b
}

// run constructs the graph in the engine, calls work and returns the text for
// stdout. It can return both text and an error.
func (b *bench) run(ctx context.Context, work func(context.Context) (string, error)) (string, error) {
	if err := b.recordRanks(ctx); err != nil {
		return "", err
	}
	if err := b.startLoadMonitor(ctx); err != nil {
		return "", err
	}
	b.tellOfExchange()
	file, err := b.findSizes(ctx)
	if err != nil {
		return "", err
	}
	b.planJobs()
	if b.Memory {
		return b.planText(), b.checkMemory()
	}
	if err := b.checkMemory(); err != nil {
		return "", err
	}
	if err := b.world.OnFirst(ctx, func() error { return b.checkParentsDirs(b.vertices, b.searchCount()) }); err != nil {
		return "", err
	}
	defer func() { b.removeEdges() }()
	defer func() { b.meter.Close() }()
	for _, step := range []func(context.Context) error{
		b.startMeter,
		b.prepare,
		b.measureBandwidth,
		func(ctx context.Context) error { return b.provideTuples(ctx, file) },
		b.construct,
		b.startReference,
	} {
		if err := step(ctx); err != nil {
			return "", errors.Join(err, b.closeSearchers())
		}
	}
	text, err := work(ctx)
	if closeErr := b.closeSearchers(); err == nil {
		err = closeErr
	}
	return text, err
}

// tellOfExchange says how several devices exchange data, and warns if that could be better.
func (b *bench) tellOfExchange() {
	info := b.engine.Info()
	if info.Exchange == "" {
		return
	}
	if b.console.phases {
		b.console.printf("exchange between the GPUs: %s", strings.TrimSpace(fmt.Sprintf("%s %s", info.Exchange, info.NCCL)))
	}
	if info.Problem != "" {
		b.warn(info.Problem)
	}
}

// closeSearchers closes the searchers of the benchmark.
func (b *bench) closeSearchers() error { return closeAll(b.searchers) }

// closeAll closes searchers in the reverse order of their creation.
func closeAll(searchers []kernelSearcher) error {
	var errs []error
	for _, s := range slices.Backward(searchers) {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// startLoadMonitor starts the load monitor of a run that measures times.
func (b *bench) startLoadMonitor(ctx context.Context) (err error) {
	if b.machine == nil || b.Memory || b.CheckParents != "" {
		return nil
	}
	var warning string
	if b.monitor, warning, err = startLoadMonitor(ctx, b.machine, b.world, b.engine.Info().Threads); warning != "" {
		b.warn(warning)
	}
	return err
}

// benchmark searches from every root with every kernel and writes the results.
func (b *bench) benchmark(ctx context.Context) (string, error) {
	roots, err := b.roots(ctx)
	if err != nil {
		return "", err
	}
	if err := b.searchAll(ctx, roots); err != nil {
		return b.partial(ctx, err)
	}
	b.warnOfCounters()
	if err := b.finishRecord(ctx); err != nil {
		return "", err
	}
	return b.output(ctx)
}

// findSizes determines the available memory and the size of the graph. It returns
// the file of -graph, or nil.
func (b *bench) findSizes(ctx context.Context) (*graphFile, error) {
	b.measureMemory()
	if b.Graph == "" {
		return nil, nil
	}
	return b.readGraph(ctx)
}

// searchCount is the number of searches of each kernel that was requested.
func (b *bench) searchCount() int {
	if len(b.Root) > 0 {
		return len(b.Root)
	}
	return b.Roots
}

// phase runs work and records its time and energy.
func (b *bench) phase(ctx context.Context, name string, tuples uint64, work func() error) error {
	b.begin(name)
	from := b.meter.Read()
	seconds, err := b.timed(ctx, work)
	if err != nil {
		return err
	}
	p := report.Phase{Name: name, Seconds: seconds, Tuples: int64(tuples)}
	p.Energy = b.energyOf(energy.Between(from, b.meter.Read()))
	b.recordPhase(p)
	return nil
}

// begin announces a phase.
func (b *bench) begin(name string) {
	b.world.SetPhase(name)
	b.console.begin(name)
}

// timed runs work and returns its time in seconds. With several ranks, they begin
// together, and the time is that of the slowest.
func (b *bench) timed(ctx context.Context, work func() error) (seconds float64, err error) {
	if b.world.Size() > 1 {
		if err := b.world.Barrier(ctx); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	err = work()
	seconds = time.Since(start).Seconds()
	if b.world.Size() > 1 && err == nil {
		seconds, err = b.world.MaxSeconds(ctx, seconds)
	}
	return seconds, err
}

// recordPhase adds a phase to the record.
func (b *bench) recordPhase(p report.Phase) { b.record.Phases = append(b.record.Phases, p) }

// warnOfOtherLoad warns if the load monitor found other work on the processors.
func (b *bench) warnOfOtherLoad(ctx context.Context) error {
	warning, err := b.monitor.endSearches(ctx)
	if warning != "" {
		b.warn(warning)
	}
	return err
}

// lastSeconds returns the time of the phase recorded last.
func (b *bench) lastSeconds() float64 { return b.record.Phases[len(b.record.Phases)-1].Seconds }

// warn prints and records a warning.
func (b *bench) warn(text string) {
	b.console.printf("warning: %s", text)
	b.record.Warnings = append(b.record.Warnings, text)
}

// prepare prepares the engine for the strategies that fit into memory.
func (b *bench) prepare(ctx context.Context) error {
	b.warnOfDelta()
	var jobs []engine.Job
	for _, job := range b.jobs {
		if job.misfit == "" {
			jobs = append(jobs, job.Job)
		}
	}
	err := b.phase(ctx, "preparation", 0, func() error { return b.engine.Prepare(ctx, jobs) })
	b.record.Engine.LabelBits = b.engine.Info().LabelBits
	return err
}

// warnOfDelta warns if -delta is given and no strategy of the run uses it.
func (b *bench) warnOfDelta() {
	if b.deltaGiven && !slices.ContainsFunc(slices.Concat(b.sets...), func(s engine.Strategy) bool { return s.UsesDelta }) {
		b.warn("flag -delta has no effect: no strategy of this run uses it, -strategy=help marks those that do")
	}
}

// measureBandwidth measures the copy bandwidth of the engine's device, if there is
// one, as a reference for the bandwidth of levels.
func (b *bench) measureBandwidth(ctx context.Context) error {
	if b.record.Device == nil || b.CheckParents != "" {
		return nil
	}
	return b.phase(ctx, "bandwidth", 0, func() (err error) {
		b.record.Device.CopyBandwidth, err = b.engine.CopyBandwidth()
		return err
	})
}

// construct runs kernel 1. Except in a comparison, it includes the searchers of all
// kernels with their own forms of the graph.
func (b *bench) construct(ctx context.Context) error {
	var info engine.Graph
	err := b.phase(ctx, "construction", b.tuples, func() (err error) {
		if info, err = b.engine.Construct(ctx); err != nil || b.isComparison {
			return err
		}
		b.searchers, err = newSearchers(ctx, b.engine, b.sets[0])
		return err
	})
	if err != nil {
		return err
	}
	b.record.Graph, b.record.Construction = report.Graph(info), b.lastSeconds()
	b.console.printf("%d of %d vertices are isolated (%.1f %%) and left out; %d self loops and %d repeated edges dropped",
		info.Isolated(), info.Vertices, 100*info.IsolatedShare(), info.SelfLoops, info.Duplicates)
	if info.Regenerated {
		why := fmt.Sprintf("because they do not fit into the memory of the %s engine", b.record.Engine.Name)
		if e := b.record.Engine.Exchange; e == engine.NCCLExchange || e == engine.HostExchange {
			why = "because the GPUs cannot access those of each other"
		}
		b.console.printf("tuples: regenerated, in construction and in %s, %s", b.validations(), why)
	}
	if info.HostTuples != "" {
		b.console.printf("tuples: in %s host memory, copied in construction and in %s, because they do not fit into the memory of the %s engine", info.HostTuples, b.validations(), b.record.Engine.Name)
	}
	switch {
	case info.HostBytes > 0 && info.Prefix == 0:
		b.console.printf("neighbours: all are in %s of host memory (-residency=%s)", memory.Size(uint64(info.HostBytes)), b.engine.Info().Residency)
	case info.HostBytes > 0:
		b.console.printf("neighbours: the first %d of each vertex are in the memory of its GPU, the others in %s of host memory", info.Prefix, memory.Size(uint64(info.HostBytes)))
	}
	return nil
}

// newSearchers creates a searcher for each strategy of a set.
func newSearchers(ctx context.Context, e Engine, set strategySet) (searchers []kernelSearcher, err error) {
	for _, strategy := range set {
		s, err := e.NewSearcher(ctx, strategy)
		if err != nil {
			return nil, errors.Join(err, closeAll(searchers))
		}
		searchers = append(searchers, kernelSearcher{s, strategy.Kernel})
	}
	return searchers, nil
}

// validations describes how often the engine validates.
func (b *bench) validations() string {
	together := 1
	for _, s := range b.searchers {
		together = max(together, min(s.Capacity(), b.searchCount()))
	}
	if together == 1 {
		return "every validation"
	}
	return fmt.Sprintf("the validation of every %d searches", together)
}

// setSizes sets the values that follow from the size of a graph from a file. The
// scale is ceil(log2 N). The edge factor is M/N in the record and rounded to an
// integer in b.spec.
func (b *bench) setSizes(vertices, tuples uint64) {
	b.vertices, b.tuples = vertices, tuples
	b.spec.Scale = bits.Len64(max(1, vertices) - 1)
	b.spec.EdgeFactor = int(math.Round(float64(tuples) / float64(max(1, vertices))))
	b.record.Input.Scale, b.record.Input.EdgeFactor = b.spec.Scale, float64(tuples)/float64(max(1, vertices))
}
