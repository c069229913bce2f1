package commands

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"graph500/energy"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/run"
	"graph500/report"
)

// powerLogFlags are the flags of "graph500 energy".
type powerLogFlags struct {
	Out  string `long:"out" value-name:"DIR" description:"write the result with the energy of the whole system in every format into this directory, which may be that of RESULT"`
	Help bool   `long:"help" short:"h" description:"print this help and stop"`
}

const powerLogIntroduction = `Joins the log of a power meter to a run with -repeat-for, and prints the energy of the
searches. RESULT is the run's result.json or the directory of -out. The log is CSV with
the header time,watts; a time is RFC 3339 with a time zone (2026-01-31T23:59:00.5+01:00)
or in seconds since 1970. The clocks of meter and host must agree. The log must cover the
repeated searches of each kernel without gaps, with ten samples at least.

`

// newEnergy returns the command.
func newEnergy() command {
	c := new(powerLogFlags)
	flags := commandline.NewParser("energy [flags] RESULT LOG.csv", c)
	return command{
		Command: commandline.Command{Name: "energy", Arguments: "[flags] RESULT LOG.csv", Doc: "energy of the whole system from a power meter's log", Introduction: powerLogIntroduction, Flags: flags},
		run: func(ctx context.Context, p *run.Process, rest []string) error {
			if c.Out == "" && flags.Given("out") {
				return commandline.Usagef("flag -out: the name is empty")
			}
			return c.join(ctx, rest, p.Stdout)
		},
	}
}

// join joins the log of a power meter to a result.
func (f *powerLogFlags) join(ctx context.Context, files []string, stdout *os.File) error {
	if len(files) != 2 {
		return commandline.Usagef("energy needs two files, a result and the log of a power meter, and not %d", len(files))
	}
	run, err := report.ReadResult(files[0])
	if err != nil {
		return err
	}
	var log *energy.PowerLog
	if err := report.ReadFile(files[1], func(r io.Reader) (err error) {
		log, err = energy.ReadPowerLog(r)
		return err
	}); err != nil {
		return err
	}
	for i := range run.Kernels {
		if err := addSystemEnergy(&run.Kernels[i], log); err != nil {
			return fmt.Errorf("%s and %s: %s: %w", files[0], files[1], run.Kernels[i].Kernel, err)
		}
	}
	addSystemCounter(run, log.Describe(filepath.Base(files[1])))
	if f.Out != "" {
		if err := report.WriteDir(ctx, f.Out, run); err != nil {
			return err
		}
	}
	return output.PrintText(stdout, strings.Join(report.EnergyLines(run), "\n")+"\n")
}

// A clock that is kept right by slewing runs up to 500 parts in a million fast or slow. A
// difference between wall clock and measured duration beyond twice that, and a hundredth of a
// second for reading both, is a step of the clock.
const (
	maxClockError = 1e-3 // of the duration
	clockStep     = 0.01 // seconds
)

// addSystemEnergy adds the energy of the whole system to a kernel, or replaces it.
func addSystemEnergy(k *report.KernelRun, log *energy.PowerLog) error {
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
	k.Energy = slices.DeleteFunc(k.Energy, func(e report.Energy) bool { return e.Part == energy.System })
	var parts float64 // watts
	for _, e := range k.Energy {
		parts += e.Watts()
	}
	if parts > system.Watts() {
		return fmt.Errorf("by the log the whole system took %.4g W, but the counters of its parts alone %.4g W: it is of another machine, in another unit, or by a clock that is off", system.Watts(), parts)
	}
	k.Energy = append(k.Energy, report.Energy{Amount: system, Searches: r.Searches, Edges: r.Edges})
	return nil
}

// addSystemCounter adds the power log to the counters of the run, or replaces it.
func addSystemCounter(run *report.Run, log energy.Description) {
	run.EnergyCounters = append(slices.DeleteFunc(run.EnergyCounters, func(d energy.Description) bool { return d.Part == energy.System }), log)
}
