package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"graph500/engine"
	"graph500/memory"
	"graph500/report"
)

// closeSearchers closes the searchers of the benchmark.
func (b *Bench) closeSearchers() error { return closeAll(b.searchers) }

// closeAll closes searchers in the reverse order of their creation.
func closeAll(searchers []kernelSearcher) error {
	var errs []error
	for _, s := range slices.Backward(searchers) {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// prepare prepares the engine for the strategies that fit into memory.
func (b *Bench) prepare(ctx context.Context) error {
	b.warnOfDelta()
	var plans []engine.Plan
	for _, job := range b.jobs {
		if job.misfit == "" {
			plans = append(plans, job.Plan)
		}
	}
	var untrack func()
	err := b.Phase(ctx, "preparation", 0, func() error {
		return b.engine.Prepare(ctx, plans, func(done, total int64) {
			if untrack == nil {
				untrack = b.Console.Track("preparation", total>>20, "MiB")
			}
			b.Console.Advance(done >> 20)
		})
	})
	if untrack != nil {
		untrack()
	}
	b.Record.Engine.LabelBits = b.engine.Info().LabelBits
	return err
}

// warnOfDelta warns if -delta is given and no strategy of the run uses it.
func (b *Bench) warnOfDelta() {
	if b.DeltaGiven && !slices.ContainsFunc(slices.Concat(b.sets...), func(s engine.Strategy) bool { return s.UsesDelta }) {
		b.Warn("flag -delta has no effect: no strategy of this run uses it, -strategy=help marks those that do")
	}
}

// measureBandwidth measures the copy bandwidth of the engine's device, if there is
// one, as a reference for the bandwidth of levels.
func (b *Bench) measureBandwidth(ctx context.Context) error {
	if b.Record.Device == nil || b.CheckParents != "" {
		return nil
	}
	return b.Phase(ctx, "bandwidth", 0, func() (err error) {
		b.Record.Device.CopyBandwidth, err = b.engine.CopyBandwidth()
		return err
	})
}

// construct runs kernel 1. Except in a comparison, it includes the searchers of all
// kernels with their own forms of the graph.
func (b *Bench) construct(ctx context.Context) error {
	var info engine.Graph
	err := b.Phase(ctx, "construction", b.tuples, func() (err error) {
		if info, err = b.engine.Construct(ctx); err != nil || b.IsComparison {
			return err
		}
		b.searchers, err = newSearchers(ctx, b.engine, b.sets[0])
		return err
	})
	if err != nil {
		return err
	}
	b.Record.Graph, b.Record.Construction = report.Graph(info), b.LastSeconds()
	b.Console.Printf("%d of %d vertices are isolated (%.1f %%) and left out; %d self loops and %d repeated edges dropped",
		info.Isolated(), info.Vertices, 100*info.IsolatedShare(), info.SelfLoops, info.Duplicates)
	if info.Regenerated {
		why := fmt.Sprintf("because they do not fit into the memory of the %s engine", b.Record.Engine.Name)
		if e := b.Record.Engine.Exchange; e == engine.NCCLExchange || e == engine.HostExchange {
			why = "because the GPUs cannot access those of each other"
		}
		b.Console.Printf("tuples: regenerated, in construction and in %s, %s", b.validations(), why)
	}
	if info.HostTuples != "" {
		b.Console.Printf("tuples: in %s host memory, copied in construction and in %s, because they do not fit into the memory of the %s engine", info.HostTuples, b.validations(), b.Record.Engine.Name)
	}
	switch {
	case info.HostBytes > 0 && b.engine.Info().Residency == engine.Prefix && info.Prefix == 0:
		b.Console.Printf("neighbours: %s of the lists are in host memory, the others and the first neighbours of each vertex in that of its GPU", memory.Size(uint64(info.HostBytes)))
	case info.HostBytes > 0 && info.Prefix == 0:
		b.Console.Printf("neighbours: all are in %s of host memory (-residency=%s)", memory.Size(uint64(info.HostBytes)), b.engine.Info().Residency)
	case info.HostBytes > 0:
		b.Console.Printf("neighbours: the first %d of each vertex are in the memory of its GPU, the others in %s of host memory", info.Prefix, memory.Size(uint64(info.HostBytes)))
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
func (b *Bench) validations() string {
	together := 1
	for _, s := range b.searchers {
		together = max(together, min(s.Capacity(), b.searchCount()))
	}
	if together == 1 {
		return "every validation"
	}
	return fmt.Sprintf("the validation of every %d searches", together)
}
