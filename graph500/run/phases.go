package run

import (
	"context"

	"graph500/energy"
	"graph500/engine"
	"graph500/report"
)

// Phase runs work and records its time and energy.
func (b *Bench) Phase(ctx context.Context, name string, tuples uint64, work func() error) error {
	b.Begin(name)
	from := b.meter.Read()
	seconds, err := b.Timed(ctx, work)
	if err != nil {
		return err
	}
	p := report.Phase{Name: name, Seconds: seconds, Tuples: int64(tuples)}
	p.Energy = b.energyOf(energy.Between(from, b.meter.Read()))
	b.recordPhase(p)
	return nil
}

// Begin announces a phase.
func (b *Bench) Begin(name string) {
	b.World.SetPhase(name)
	b.Console.Begin(name)
}

// recordPhase adds a phase to the record.
func (b *Bench) recordPhase(p report.Phase) { b.Record.Phases = append(b.Record.Phases, p) }

// LastSeconds returns the time of the phase recorded last.
func (b *Bench) LastSeconds() float64 { return b.Record.Phases[len(b.Record.Phases)-1].Seconds }

// phaseOf returns the name of a phase of a kernel. It names the kernel if the run has
// several.
func (b *Bench) phaseOf(k engine.Kernel, name string) string {
	if len(b.searchers) > 1 {
		return string(k) + " " + name
	}
	return name
}
