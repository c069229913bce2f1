package commands

import (
	"context"

	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/run"
)

// runBenchmark runs the benchmark, or prints what its flags ask for.
func runBenchmark(ctx context.Context, p *run.Process) (err error) {
	o, err := commandline.ParseFlags(p.Args, p.Lookup, commandline.NewCatalogue())
	if err != nil {
		return err
	}
	switch {
	case o.Help != "":
		return output.PrintText(p.Stdout, commandline.HelpText(o.Help, described(newCommands())))
	case o.Version:
		ranks, err := commandline.RanksToCheck(p.World.Size(), p.Lookup)
		if err == nil {
			err = commandline.CheckRanks(ranks, o)
		}
		if err != nil {
			return err
		}
		return output.PrintText(p.Stdout, run.VersionLine(p.Commit)+"\n")
	case o.ListsStrategies():
		return output.PrintText(p.Stdout, o.Catalogue.Text(o.Scale, o.EdgeFactor))
	}
	if err := commandline.CheckRanks(p.World.Size(), o); err != nil {
		return err
	}
	if err := run.TakeThreads(ctx, p, o); err != nil {
		return err
	}
	missing := o.MissingDirectories()
	defer func() {
		if err != nil && p.World.Rank() == 0 {
			commandline.RemoveEmpty(missing)
		}
	}()
	return run.WithTimeout(ctx, p, o, func(ctx context.Context) error {
		if o.IsSweep() {
			return run.RunSweep(ctx, p, o)
		}
		return run.On(ctx, p, o, run.Benchmark)
	})
}
