package commands

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	if err := run.JoinPowerLog(log, filepath.Base(files[1])); err != nil {
		return fmt.Errorf("%s and %s: %w", files[0], files[1], err)
	}
	if f.Out != "" {
		if err := report.WriteDir(ctx, f.Out, run); err != nil {
			return err
		}
	}
	return output.PrintText(stdout, strings.Join(report.EnergyLines(run), "\n")+"\n")
}
