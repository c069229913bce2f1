package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/bits"
	"time"

	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
	"graph500/report"
)

// bench is one run, from the checked flags to the finished record. It is the
// same for every engine.
type bench struct {
	*options
	engine     Engine
	reference  *reference        // of -check-engine, else nil
	strategies []engine.Strategy // to search by
	compares   bool              // the strategies are tried one after the other, apart from construction
	console    *console
	root       fs.FS          // file system of the machine, to watch its processors; may be nil
	watch      *watch         // of the processors
	spec       kronecker.Spec // of the search keys alone for a graph from a file
	vertices   uint64
	tuples     uint64
	limits     limits          // memory to be had before anything was taken
	searcher   engine.Searcher // of the only strategy
	writing    time.Duration   // of parents files
	foreign    bool            // the edge file holds other edges than the generator makes
	record     report.Run

	removeEdges func() // removes the edge file that is only for this run
}

func newBench(o *options, e Engine, c *console, args []string, started time.Time) *bench {
	b := &bench{
		options:    o,
		engine:     e,
		strategies: named(e.Info().Name, o.Strategy),
		console:    c,
		spec:       o.generatorSpec(),

		removeEdges: func() {},
	}
	b.vertices, b.tuples = b.spec.Vertices(), b.spec.Tuples()
	b.record = newRecord(o, e.Info(), args, started)
	b.endPhase("startup", started, 0)
	return b
}

// generatorSpec is the graph to generate, or that of an edge file.
func (o *options) generatorSpec() kronecker.Spec {
	return kronecker.Spec{Scale: o.Scale, EdgeFactor: o.EdgeFactor, Seed1: o.Seed1, Seed2: o.Seed2}
}

// run takes the engine to a graph, does work with it and returns what stdout
// shall hold; there may be text and an error.
func (b *bench) run(ctx context.Context, work func(context.Context) (string, error)) (string, error) {
	b.startWatch()
	file, err := b.measure(ctx)
	if err != nil {
		return "", err
	}
	if b.Memory {
		return b.planText(), b.checkMemory()
	}
	if err := b.checkMemory(); err != nil {
		return "", err
	}
	if b.WriteParents != "" {
		if err := graph.CheckParentsDir(b.WriteParents, b.vertices, b.wanted()); err != nil {
			return "", fmt.Errorf("flag -write-parents: %w", err)
		}
	}
	defer func() { b.removeEdges() }()
	for _, step := range []func(context.Context) error{
		b.prepare,
		b.measureBandwidth,
		func(ctx context.Context) error { return b.provideTuples(ctx, file) },
		b.construct,
		b.startReference,
	} {
		if err := step(ctx); err != nil {
			return "", errors.Join(err, b.closeSearcher())
		}
	}
	text, err := work(ctx)
	if closeErr := b.closeSearcher(); err == nil {
		err = closeErr
	}
	return text, err
}

func (b *bench) closeSearcher() error {
	if b.searcher == nil {
		return nil
	}
	return b.searcher.Close()
}

// startWatch begins to watch the processors, except where nothing is measured.
func (b *bench) startWatch() {
	if b.root == nil || b.Memory || b.CheckParents != "" {
		return
	}
	var warning string
	if b.watch, warning = startWatch(b.root, b.engine.Info().Threads); warning != "" {
		b.warn(warning)
	}
}

// benchmark searches from every key and writes the results.
func (b *bench) benchmark(ctx context.Context) (string, error) {
	roots, err := b.roots(ctx)
	if err != nil {
		return "", err
	}
	if err := b.searchAll(ctx, roots); err != nil {
		return "", err
	}
	b.finishRecord()
	return b.output(ctx)
}

// measure finds out how much memory there is and how large the graph is; it
// returns the file of -graph, if there is one.
func (b *bench) measure(ctx context.Context) (*graph.File, error) {
	b.measureMemory()
	if b.Graph == "" {
		return nil, nil
	}
	return b.readGraph(ctx)
}

// wanted is the number of searches asked for.
func (b *bench) wanted() int {
	if len(b.Root) > 0 {
		return len(b.Root)
	}
	return b.Roots
}

// phase runs work, times it and enters it in the record.
func (b *bench) phase(name string, tuples uint64, work func() error) error {
	b.console.begin(name)
	start := time.Now()
	if err := work(); err != nil {
		return err
	}
	b.endPhase(name, start, tuples)
	return nil
}

// endPhase enters a phase that began at start and goes through the given
// number of tuples.
func (b *bench) endPhase(name string, start time.Time, tuples uint64) {
	b.record.Phases = append(b.record.Phases, report.Phase{Name: name, Seconds: time.Since(start).Seconds(), Tuples: int64(tuples)})
}

// warnOfOthers ends the watch of the processors.
func (b *bench) warnOfOthers() {
	if warning := b.watch.endSearches(); warning != "" {
		b.warn(warning)
	}
}

// lastSeconds returns the time of the phase entered last.
func (b *bench) lastSeconds() float64 { return b.record.Phases[len(b.record.Phases)-1].Seconds }

// warn prints a warning and enters it in the record.
func (b *bench) warn(text string) {
	b.console.printf("warning: %s", text)
	b.record.Warnings = append(b.record.Warnings, text)
}

// prepare readies the engine for the strategies that fit.
func (b *bench) prepare(ctx context.Context) error {
	var jobs []engine.Job
	for _, s := range b.strategies {
		if job := b.job(s, b.vertices, b.tuples); b.misfit(job) == "" {
			jobs = append(jobs, job)
		}
	}
	return b.phase("preparation", 0, func() error { return b.engine.Prepare(ctx, jobs) })
}

// measureBandwidth finds out what the memory of the engine's device can do, if
// there is one, for levels to be set beside.
func (b *bench) measureBandwidth(context.Context) error {
	if b.record.Device == nil || b.CheckParents != "" {
		return nil
	}
	return b.phase("bandwidth", 0, func() (err error) {
		b.record.Device.CopyBandwidth, err = b.engine.CopyBandwidth()
		return err
	})
}

// construct runs kernel 1, of which the search's own form of the graph is a part
// where there is one strategy.
func (b *bench) construct(ctx context.Context) error {
	var made engine.Graph
	err := b.phase("construction", b.tuples, func() (err error) {
		if made, err = b.engine.Construct(ctx); err != nil || b.compares {
			return err
		}
		b.searcher, err = b.engine.NewSearcher(ctx, b.strategies[0])
		return err
	})
	if err != nil {
		return err
	}
	b.record.Graph, b.record.Construction = made, b.lastSeconds()
	b.console.printf("%d of %d vertices are isolated (%.1f %%) and left out; %d self loops and %d repeated edges dropped",
		made.Isolated(), made.Vertices, 100*float64(made.Isolated())/float64(max(1, made.Vertices)), made.SelfLoops, made.Duplicates)
	if made.Regenerated {
		validation := "every validation"
		if b.searcher != nil && b.searcher.Capacity() > 1 {
			validation = fmt.Sprintf("the validation of every %d searches", min(b.searcher.Capacity(), b.wanted()))
		}
		b.console.printf("tuples: regenerated, in construction and in %s, because they do not fit into the memory of the %s engine", validation, b.record.Engine.Name)
	}
	return nil
}

// sizes sets everything that depends on the size of a graph from a file: the
// scale is ceil(log2 N), the edge factor M/N, rounded where a whole number is
// wanted.
func (b *bench) sizes(vertices, tuples uint64) {
	b.vertices, b.tuples = vertices, tuples
	b.spec.Scale = bits.Len64(max(1, vertices) - 1)
	b.spec.EdgeFactor = int(math.Round(float64(tuples) / float64(max(1, vertices))))
	b.record.Input.Scale, b.record.Input.EdgeFactor = b.spec.Scale, float64(tuples)/float64(max(1, vertices))
}
