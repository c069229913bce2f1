package run

import (
	"context"

	"graph500/energy"
	"graph500/engine"
	"graph500/report"
)

// countHost counts, with -verbose, what the median search reads of neighbours in host
// memory, where the search itself does not know: in another search, which is slow. There is none
// on several GPUs.
func (b *Bench) countHost(ctx context.Context, run *report.KernelRun, s kernelSearcher) error {
	if len(b.Verbose) == 0 || s.kernel != engine.BFS || b.Record.Graph.HostBytes == 0 || b.engine.Info().Residency != engine.Prefix || len(b.Record.Devices) > 1 {
		return nil
	}
	search := &run.Searches[run.Median()]
	return b.Phase(ctx, b.phaseOf(s.kernel, "counted search"), 0, func() error {
		counts, err := b.countWork(ctx, s, search.Root)
		if err == nil && counts != nil {
			search.TakeHost(*counts)
		}
		return err
	})
}

// recordSearches records the phases of the searches of a kernel.
func (b *Bench) recordSearches(run *report.KernelRun, s kernelSearcher) {
	var searching, validating float64
	for _, s := range run.Searches {
		searching += s.Seconds
		if s.ValidateSeconds != nil {
			validating += *s.ValidateSeconds
		}
	}
	record := func(name string, seconds float64, tuples int64, amounts []energy.Amount) {
		b.recordPhase(report.Phase{Name: b.phaseOf(s.kernel, name), Seconds: seconds, Tuples: tuples, Energy: amounts})
	}
	all := int64(b.tuples) * int64(len(run.Searches))
	record("searches", searching, all, b.energyOf(b.searching))
	if !b.SkipValidation {
		run.ValidatedTogether = min(s.Capacity(), len(run.Searches))
		record("validation", validating, all, b.energyOf(b.validating))
	}
	if b.WriteParents != "" {
		record("writing parents", b.writingTime.Seconds(), 0, nil)
	}
}
