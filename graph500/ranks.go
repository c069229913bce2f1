package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"graph500/cluster"
	"graph500/graph"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
	"graph500/processors"
)

// refuse ends a process that a launcher started as one of several ranks, but that
// cannot join the others. The first one prints the reason. The others wait for its line,
// because the launcher ends all processes after the first exit; they print the reason if they
// are still there, as without a launcher, or if the first rank is the one that is stopped.
func refuse(l *cluster.Launcher, err error) {
	const wait = 2 * time.Second
	time.Sleep(wait * time.Duration(min(max(0, l.Rank), 2)))
	printError(os.Stderr, err)
	os.Exit(exitStatus(err))
}

// runRank runs the command line as one of several ranks and ends the process. Only rank
// 0 writes to standard output and standard error.
func runRank(ctx context.Context, w *cluster.World, started time.Time) {
	ctx, watch := cluster.StartWatch(ctx, w, func(text string) { printError(os.Stderr, errors.New(text)) })
	err := withGrace(ctx, func() error {
		stdout, stderr := os.Stdout, os.Stderr
		if w.Rank() > 0 {
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			stdout, stderr = null, null
		}
		if err := checkAlike(ctx, w, os.Args, os.LookupEnv); err != nil {
			return err
		}
		return work(ctx, w, started, stdout, stderr)
	})
	watch.End(cluster.OutcomeOf(exitStatus(err), err))
}

// checkAlike returns an error if a rank has another program, command line or environment
// than rank 0, the same error on all ranks.
func checkAlike(ctx context.Context, w *cluster.World, args []string, lookup func(string) (string, bool)) error {
	var settings []string
	for _, name := range settingVariables() {
		if value, set := lookup(name); set {
			settings = append(settings, fmt.Sprintf("%s=%q", name, value))
		}
	}
	for _, property := range []struct{ what, value string }{
		{"another program", versionLine()},
		{"other flags", fmt.Sprintf("%q", args[1:])},
		{"other variables", strings.Join(settings, " ")},
	} {
		d, err := w.Compare(ctx, property.value)
		if err != nil {
			return err
		}
		if d != nil {
			return usagef("rank %d on %s has %s than rank 0: %s and %s", d.Rank, d.Host, property.what, d.Own, d.Zero)
		}
	}
	return nil
}

// settingVariables lists the environment variables that change what the program does.
func settingVariables() []string {
	return []string{"SKIP_VALIDATION", "SKIP_BFS", "TMPFILE", "REUSEFILE"}
}

// checkOneRank returns an error if the command needs more than one rank allows: only the
// benchmark and the texts run over several ranks.
func checkOneRank(ranks int, command string) error {
	if ranks > 1 {
		return usagef("%s does not run over several ranks: start one process", command)
	}
	return nil
}

// ranksVariable holds the number of ranks for which -version checks the flags. run.sh sets it
// before it starts the ranks.
const ranksVariable = "GRAPH500_RANKS"

// ranksToCheck returns the number of ranks for which -version checks the flags.
func ranksToCheck(w *cluster.World, lookup func(string) (string, bool)) (int, error) {
	text, set := lookup(ranksVariable)
	if !set {
		return w.Size(), nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, usagef("%s=%s is not a whole number above 0", ranksVariable, text)
	}
	return n, nil
}

// checkRanks returns an error if the run does something that several ranks cannot do yet.
func checkRanks(ranks int, o *options) error {
	if ranks == 1 {
		if o.policyName() != "" {
			return usagef("flag -partition=%s: it is for several ranks, start them with a launcher such as mpirun", o.Partition)
		}
		return nil
	}
	for _, c := range []struct {
		wrong bool
		what  string
	}{
		{o.isSweep(), "a run of several scales"},
		{o.Energy, "flag -energy"},
		{o.RepeatFor > 0, "flag -repeat-for"},
		{graph.IsCompressed(o.WriteEdges), "flag -write-edges with a compressed file"},
		{graph.IsCompressed(o.tempFile), "TMPFILE with a compressed file"},
	} {
		if c.wrong {
			return checkOneRank(ranks, c.what)
		}
	}
	if o.policyName() != "" && ranks > partition.MostParts {
		return usagef("flag -partition=%s: it divides between at most %d ranks, and not %d", o.Partition, partition.MostParts, ranks)
	}
	if err := o.checkResidencyOfSeveral(ranks); err != nil {
		return err
	}
	for _, k := range o.kernels() {
		if !o.catalogue.runsOverRanks(k, o.strategyOf(k)) {
			return checkOneRank(ranks, "strategy "+o.strategyOf(k))
		}
	}
	return nil
}

// recordRanks records what all ranks have: hosts, threads, processors, memory, GPUs.
func (b *bench) recordRanks(ctx context.Context) (err error) {
	own := b.record.Processes[0]
	own.Host = b.world.Hosts()[b.world.Rank()]
	own.GPUs = len(b.record.Devices) / b.world.Size()
	if b.machine != nil {
		if allowed, err := processors.Find(b.machine); err == nil {
			own.Processors = allowed.List
		}
	}
	b.record.Processes, err = cluster.Values(ctx, b.world, own)
	return err
}

// newTeam returns the workers with which this rank reads files and draws weights.
func (b *bench) newTeam(ctx context.Context) (*parallel.Team, error) {
	threads, err := b.world.Threads(ctx, b.Threads)
	if err != nil {
		return nil, err
	}
	return parallel.NewTeam(threads), nil
}

// ownMemory returns this rank's part of the host's available memory.
func (b *bench) ownMemory(host memory.Limit) memory.Limit {
	if sharing := b.world.OnHost(); sharing > 1 {
		host.Bytes /= sharing
		host.Source += fmt.Sprintf(", shared by %d ranks", sharing)
	}
	return host
}
