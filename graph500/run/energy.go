package run

import (
	"context"
	"fmt"
	"time"

	"graph500/device/nvml"
	"graph500/energy"
	"graph500/report"
)

// startMeter starts the meter of -energy. A counter that cannot be read is a warning.
func (b *Bench) startMeter(ctx context.Context) error {
	if !b.Energy || b.CheckParents != "" {
		return nil
	}
	var m *energy.Meter
	if err := b.Phase(ctx, "energy counters", 0, func() error {
		m = energy.Start(b.energyCounters())
		return nil
	}); err != nil {
		return err
	}
	b.meter = m
	b.warnOfCounters()
	return nil
}

// energyCounters returns the counters of the GPUs of the run and of the host's processors.
func (b *Bench) energyCounters() (counters []energy.Counter) {
	for _, d := range b.Record.Devices {
		board, err := nvml.Open(d.BusID)
		var c energy.Counter
		if err == nil {
			c, err = board.EnergyCounter()
		}
		if err != nil {
			b.Warn(noFigure(energy.Boards, err))
			continue
		}
		counters = append(counters, c)
	}
	packages, err := energy.PackageCounters(b.machine)
	if err != nil {
		b.Warn(noFigure(energy.Packages, err))
	}
	return append(counters, packages...)
}

// noFigure says why there is no figure of the energy of a part.
func noFigure(part energy.Part, why error) string {
	return fmt.Sprintf("energy, %s: no figure: %v", part, why)
}

// warnOfCounters warns of counters that do not work, and records the others.
func (b *Bench) warnOfCounters() {
	b.Record.EnergyCounters = b.meter.Descriptions()
	for _, problem := range b.meter.TakeProblems() {
		b.Warn("energy, " + problem)
	}
}

// measure runs work, a batch of searches or of validations, and adds its energy to s. It does
// not read the counters for batches that are too short for them: a search just after the
// reading of a GPU's counter takes some microseconds longer.
func (b *Bench) measure(s *energy.Span, work func() error) error {
	if !b.metered {
		start := time.Now()
		err := work()
		s.AddUnread(time.Since(start))
		return err
	}
	from := b.meter.Read()
	err := work()
	s.Add(from, b.meter.Read())
	return err
}

// energyOf returns the energy over a span, of the parts whose counters change often
// enough.
func (b *Bench) energyOf(s energy.Span) []energy.Amount {
	amounts, _ := b.meter.Amounts(s)
	return amounts
}

// recordEnergy records the energy of searches of a kernel. If a counter changes too seldom
// for them, it says so.
func (b *Bench) recordEnergy(run *report.KernelRun, s energy.Span, searches, edges int64) {
	amounts, reasons := b.meter.Amounts(s)
	for _, a := range amounts {
		run.Energy = append(run.Energy, report.Energy{Amount: a, Searches: searches, Edges: edges})
	}
	for _, reason := range reasons {
		b.Warn(fmt.Sprintf("energy of %s, %s; let the searches repeat for longer with -repeat-for, such as -repeat-for=30s", run.Kernel, reason))
	}
}
