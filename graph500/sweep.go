package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"graph500/report"
)

// runSweep runs the benchmark at several scales, one after the other. A scale that fails
// is reported, and the next one runs.
func runSweep(ctx context.Context, p *Process, o *options) error {
	if err := checkStart(o, p.Stdout); err != nil {
		return err
	}
	if err := checkTargets(o); err != nil {
		return err
	}
	var runs []*options
	for _, scale := range o.Scales {
		one := o.atScale(scale)
		if err := checkPaths(one); err != nil {
			return err
		}
		runs = append(runs, one)
	}
	var results report.Sweep
	at := *p
	for _, one := range runs {
		consoleOf(p, one).printf("scale %d", one.Scale)
		result, err := runOfSweep(ctx, &at, one, len(results) > len(results.Failed()))
		if cause := context.Cause(ctx); cause != nil {
			return fmt.Errorf("scale %d: %w", one.Scale, cause)
		}
		if err != nil {
			printError(p.Stderr, fmt.Errorf("scale %d: %w", one.Scale, err))
		}
		results = append(results, report.SweepResult{Scale: one.Scale, Run: result, Failure: err})
		at.Started = time.Now()
		debug.FreeOSMemory() // for the next scale
	}
	if err := closeOut(p.Stdout); err != nil {
		return err
	}
	if !o.Memory {
		if err := writeSweep(ctx, o, results, consoleOf(p, o)); err != nil {
			return err
		}
	}
	if failed := results.Failed(); len(failed) > 0 {
		return fmt.Errorf("%d of %d scales failed: %s", len(failed), len(results), scales(failed))
	}
	return nil
}

// runOfSweep runs the benchmark at one scale and writes its text to stdout, which holds the
// text of an earlier one if it follows one. It returns the record of a complete run.
func runOfSweep(ctx context.Context, p *Process, o *options, follows bool) (*report.Run, error) {
	var record *report.Run
	text, err := execute(ctx, p, o, func(b *bench) (func(context.Context) (string, error), error) {
		record = &b.record
		return benchmark(b)
	})
	if follows && o.Format == "csv" && !o.Memory {
		_, text, _ = strings.Cut(text, "\n") // the rows of a table have one header
	}
	if outErr := writeText(p.Stdout, text); err == nil {
		err = outErr
	}
	if err != nil {
		return nil, err
	}
	return record, nil
}

// writeSweep prints the table of a sweep to the console, and writes it and the chart to
// the directory of -out.
func writeSweep(ctx context.Context, o *options, results report.Sweep, c *console) error {
	var table strings.Builder
	if err := report.SweepTable(&table, results); err != nil {
		return err
	}
	c.print(table.String())
	if o.Out == "" {
		return nil
	}
	return report.WriteSweepDir(ctx, o.Out, results)
}
