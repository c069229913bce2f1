package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"graph500/cluster"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/run"
)

// refuse ends a process that a launcher started as one of several ranks, but that
// cannot join the others. The first one prints the reason. The others wait for its line,
// because the launcher ends all processes after the first exit; they print the reason if they
// are still there, as without a launcher, or if the first rank is the one that is stopped.
func refuse(l *cluster.Launcher, err error) {
	const wait = 2 * time.Second
	time.Sleep(wait * time.Duration(min(max(0, l.Rank), 2)))
	output.PrintError(os.Stderr, err)
	os.Exit(output.ExitStatus(err))
}

// runRank runs the command line as one of several ranks and ends the process. Only rank
// 0 writes to standard output and standard error.
func runRank(ctx context.Context, p *run.Process) {
	ctx, watch := cluster.StartWatch(ctx, p.World, func(text string) { output.PrintError(os.Stderr, errors.New(text)) })
	err := run.WithGrace(ctx, func() error {
		if p.World.Rank() > 0 {
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			p.Stdout, p.Stderr = null, null
		}
		if err := checkAlike(ctx, p); err != nil {
			return err
		}
		return work(ctx, p)
	})
	watch.End(cluster.OutcomeOf(output.ExitStatus(err), err))
}

// checkAlike returns an error if a rank has another program, command line or environment
// than rank 0, the same error on all ranks.
func checkAlike(ctx context.Context, p *run.Process) error {
	var settings []string
	for _, name := range commandline.SettingVariables() {
		if value, set := p.Lookup(name); set {
			settings = append(settings, fmt.Sprintf("%s=%q", name, value))
		}
	}
	for _, property := range []struct{ what, value string }{
		{"another program", run.VersionLine(p.Commit)},
		{"other flags", fmt.Sprintf("%q", p.Args[1:])},
		{"other variables", strings.Join(settings, " ")},
	} {
		d, err := p.World.Compare(ctx, property.value)
		if err != nil {
			return err
		}
		if d != nil {
			return commandline.Usagef("rank %d on %s has %s than rank 0: %s and %s", d.Rank, d.Host, property.what, d.Own, d.Zero)
		}
	}
	return nil
}
