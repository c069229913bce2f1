package run

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"graph500/cluster"
	"graph500/energy"
	"graph500/engine"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/kronecker"
	"graph500/report"
)

// Bench is one run of the program, from the checked flags to the complete record.
// It is the same for every engine.
type Bench struct {
	*commandline.Options
	World        *cluster.World
	engine       Engine
	reference    *reference                                          // of -check-engine, else nil
	Extra        func(job engine.Job, ranks int) []engine.Allocation // memory of the work besides the engine's; may be nil
	sets         []strategySet
	jobs         []plannedJob // of the sets
	IsComparison bool         // of strategies: searchers are created one after the other, outside construction
	Console      *output.Console
	boards       []*sampledBoard // of this process's GPUs
	meter        *energy.Meter   // of -energy; may be nil
	machine      fs.FS           // root file system of the machine, for monitor; may be nil
	monitor      *loadMonitor    // of the processors; may be nil
	spec         kronecker.Spec  // for a graph from a file, of the search keys and drawn weights only
	graphSize
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
	limiter      *limiter         // nil without -timeout and -search-timeout
	Record       report.Run

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

func newBench(p *Process, o *commandline.Options, e Engine, c *output.Console) *Bench {
	b := &Bench{
		Options: o,
		World:   p.World,
		engine:  e,
		Console: c,
		limiter: p.limiter,
		spec:    o.GeneratorSpec(),

		removeEdges: func() {},
	}
	b.graphSize = b.sizeOf(b.spec)
	b.Record = newRecord(p, o, e.Info())
	var set strategySet
	for _, k := range o.Kernels() {
		for _, s := range o.Catalogue.Named(e.Info().Name, k, o.StrategyOf(k)) {
			set = append(set, s)
			b.Record.Kernels = append(b.Record.Kernels, report.KernelRun{Kernel: k, Strategy: s.Name, Delta: o.DeltaOf(s), ValidatedTogether: 1})
		}
	}
	b.sets = []strategySet{set}
	b.recordPhase(report.Phase{Name: "startup", Seconds: time.Since(p.Started).Seconds()})
	return b
}

// tellOfExchange says how several devices exchange data, and warns if that could be better.
func (b *Bench) tellOfExchange() {
	info := b.engine.Info()
	if info.Exchange == "" {
		return
	}
	if b.Console.Phases {
		b.Console.Printf("exchange between the GPUs: %s", strings.TrimSpace(fmt.Sprintf("%s %s", info.Exchange, info.NCCL)))
	}
	if info.Problem != "" {
		b.Warn(info.Problem)
	}
}

// startLoadMonitor starts the load monitor of a run that measures times.
func (b *Bench) startLoadMonitor(ctx context.Context) (err error) {
	if b.machine == nil || b.Memory || b.CheckParents != "" {
		return nil
	}
	var warning string
	if b.monitor, warning, err = startLoadMonitor(ctx, b.machine, b.World, b.engine.Info().Threads); warning != "" {
		b.Warn(warning)
	}
	return err
}

// findSizes determines the available memory and the size of the graph. It returns
// the file of -graph, or nil.
func (b *Bench) findSizes(ctx context.Context) (*graphFile, error) {
	b.measureMemory()
	if b.Graph == "" {
		return nil, nil
	}
	return b.readGraph(ctx)
}

// searchCount is the number of searches of each kernel that was requested.
func (b *Bench) searchCount() int {
	if len(b.Root) > 0 {
		return len(b.Root)
	}
	return b.Roots
}

// warnOfOtherLoad warns if the load monitor found other work on the processors.
func (b *Bench) warnOfOtherLoad(ctx context.Context) error {
	warning, err := b.monitor.endSearches(ctx)
	if warning != "" {
		b.Warn(warning)
	}
	return err
}

// Warn prints and records a warning.
func (b *Bench) Warn(text string) {
	b.Console.Printf("warning: %s", text)
	b.Record.Warnings = append(b.Record.Warnings, text)
}

// setSizes sets the values that follow from the size of a graph from a file. Its scale is that of
// the smallest generated graph that is not smaller, its edge factor M/N.
func (b *Bench) setSizes(vertices, tuples uint64) {
	b.graphSize = graphSize{Vertices: vertices, tuples: tuples}
	b.spec = b.spec.Covering(vertices)
	b.Record.Input.Scale, b.Record.Input.EdgeFactor = b.spec.Scale, float64(tuples)/float64(max(1, vertices))
}

// consoleOf returns the console that the flags ask for.
func consoleOf(p *Process, o *commandline.Options) *output.Console {
	return output.NewConsole(p.Stderr, len(o.Verbose) > 0, o.Progress)
}
