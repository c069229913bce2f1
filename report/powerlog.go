package report

import (
	"fmt"
	"math"
	"slices"

	"graph500/energy"
)

// A clock that is kept right by slewing runs up to 500 parts in a million fast or slow. A
// difference between wall clock and measured duration beyond twice that, and a hundredth of a
// second for reading both, is a step of the clock.
const (
	maxClockError = 1e-3 // of the duration
	clockStep     = 0.01 // seconds
)

// JoinPowerLog adds the energy of the whole system, by the log of a power meter of that name, to the
// kernels of a run whose searches were repeated, or replaces it.
func (r *Run) JoinPowerLog(log *energy.PowerLog, name string) error {
	for i := range r.Kernels {
		if err := r.Kernels[i].join(log); err != nil {
			return fmt.Errorf("%s: %w", r.Kernels[i].Kernel, err)
		}
	}
	isSystem := func(d energy.Description) bool { return d.Part == energy.System }
	r.EnergyCounters = append(slices.DeleteFunc(r.EnergyCounters, isSystem), log.Describe(name))
	return nil
}

// join adds the energy of the whole system to a kernel, or replaces it.
func (k *KernelRun) join(log *energy.PowerLog) error {
	r := k.Repetition
	if r == nil {
		return fmt.Errorf("the searches were not repeated, so there is no time to find in a log: run with -repeat-for")
	}
	if wall := r.End.Sub(r.Begin).Seconds(); math.Abs(wall-r.Seconds) > maxClockError*r.Seconds+clockStep {
		return fmt.Errorf("the repeated searches took %.6g s, but %.6g s by the clock of the host, which was set meanwhile: no log fits, repeat the run", r.Seconds, wall)
	}
	system, err := log.Between(r.Begin, r.End)
	if err != nil {
		return err
	}
	k.Energy = slices.DeleteFunc(k.Energy, func(e Energy) bool { return e.Part == energy.System })
	var parts float64 // watts
	for _, e := range k.Energy {
		parts += e.Watts()
	}
	if parts > system.Watts() {
		return fmt.Errorf("by the log the whole system took %.4g W, but the counters of its parts alone %.4g W: it is of another machine, in another unit, or by a clock that is off", system.Watts(), parts)
	}
	k.Energy = append(k.Energy, Energy{Amount: system, Searches: r.Searches, Edges: r.Edges})
	return nil
}
