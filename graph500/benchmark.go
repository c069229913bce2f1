package main

import (
	"context"
)

// runBenchmark runs the benchmark, or prints what its flags ask for.
func runBenchmark(ctx context.Context, p *Process) (err error) {
	o, err := parseFlags(p.Args, p.Lookup, newCatalogue())
	if err != nil {
		return err
	}
	switch {
	case o.Help != "":
		return printText(p.Stdout, helpText(o.Help, described(newCommands())))
	case o.Version:
		ranks, err := ranksToCheck(p.World.Size(), p.Lookup)
		if err == nil {
			err = checkRanks(ranks, o)
		}
		if err != nil {
			return err
		}
		return printText(p.Stdout, versionLine(p.Commit)+"\n")
	case o.listsStrategies():
		return printText(p.Stdout, o.catalogue.text(o.Scale, o.EdgeFactor))
	}
	if err := checkRanks(p.World.Size(), o); err != nil {
		return err
	}
	if err := takeThreads(ctx, p, o); err != nil {
		return err
	}
	missing := o.missingDirectories()
	defer func() {
		if err != nil && p.World.Rank() == 0 {
			removeEmpty(missing)
		}
	}()
	return withTimeout(ctx, o, p.World, func(ctx context.Context) error {
		if o.isSweep() {
			return runSweep(ctx, p, o)
		}
		return runOn(ctx, p, o, benchmark)
	})
}
