package run

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/report"
)

// RunSweep runs the benchmark at several scales, one after the other. A scale that fails
// is reported, and the next one runs.
func RunSweep(ctx context.Context, p *Process, o *commandline.Options) error {
	if err := checkStart(o, p.Stdout); err != nil {
		return err
	}
	if err := commandline.CheckTargets(o); err != nil {
		return err
	}
	var runs []*commandline.Options
	for _, scale := range o.Scales {
		one := o.AtScale(scale)
		if err := commandline.CheckPaths(one); err != nil {
			return err
		}
		runs = append(runs, one)
	}
	var results report.Sweep
	at := *p
	for _, one := range runs {
		consoleOf(p, one).Printf("scale %d", one.Scale)
		result, err := runOfSweep(ctx, &at, one, len(results) > len(results.Failed()))
		if cause := context.Cause(ctx); cause != nil {
			return fmt.Errorf("scale %d: %w", one.Scale, cause)
		}
		if err != nil {
			output.PrintError(p.Stderr, fmt.Errorf("scale %d: %w", one.Scale, err))
		}
		results = append(results, report.SweepResult{Scale: one.Scale, Run: result, Failure: err})
		at.Started = time.Now()
		debug.FreeOSMemory() // for the next scale
	}
	if err := output.CloseOut(p.Stdout); err != nil {
		return err
	}
	if !o.Memory {
		if err := writeSweep(ctx, o, results, consoleOf(p, o)); err != nil {
			return err
		}
	}
	if failed := results.Failed(); len(failed) > 0 {
		return fmt.Errorf("%d of %d scales failed: %s", len(failed), len(results), commandline.Scales(failed))
	}
	return nil
}

// runOfSweep runs the benchmark at one scale and writes its text to stdout, which holds the
// text of an earlier one if it follows one. It returns the record of a complete run.
func runOfSweep(ctx context.Context, p *Process, o *commandline.Options, follows bool) (*report.Run, error) {
	var record *report.Run
	text, err := execute(ctx, p, o, func(b *Bench) (func(context.Context) (string, error), error) {
		record = &b.Record
		return Benchmark(b)
	})
	if follows && o.Format == "csv" && !o.Memory {
		_, text, _ = strings.Cut(text, "\n") // the rows of a table have one header
	}
	if outErr := output.WriteText(p.Stdout, text); err == nil {
		err = outErr
	}
	if err != nil {
		return nil, err
	}
	return record, nil
}

// writeSweep prints the table of a sweep to the console, and writes it and the chart to
// the directory of -out.
func writeSweep(ctx context.Context, o *commandline.Options, results report.Sweep, c *output.Console) error {
	var table strings.Builder
	if err := report.SweepTable(&table, results); err != nil {
		return err
	}
	c.Print(table.String())
	if o.Out == "" {
		return nil
	}
	return report.WriteSweepDir(ctx, o.Out, results)
}
