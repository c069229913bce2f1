package main

import (
	"context"
	"errors"
	"fmt"
	"os"
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
// cannot join the others. Only the first one prints the reason. The others wait for its
// line, because the launcher ends all processes after the first exit.
func refuse(l *cluster.Launcher, err error) {
	if l.Rank <= 0 {
		printError(os.Stderr, err)
	} else {
		time.Sleep(500 * time.Millisecond)
	}
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
func checkOneRank(w *cluster.World, command string) error {
	if w.Size() > 1 {
		return usagef("%s does not run over several ranks: start one process", command)
	}
	return nil
}

// checkRanks returns an error if the run does something that several ranks cannot do yet.
func checkRanks(w *cluster.World, o *options) error {
	if w.Size() == 1 {
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
			return checkOneRank(w, c.what)
		}
	}
	if o.policyName() != "" && w.Size() > partition.MostParts {
		return usagef("flag -partition=%s: it divides between at most %d ranks, and not %d", o.Partition, partition.MostParts, w.Size())
	}
	if err := o.checkResidencyOfSeveral(w.Size()); err != nil {
		return err
	}
	for _, k := range o.kernels() {
		if !o.catalogue.runsOverRanks(k, o.strategyOf(k)) {
			return checkOneRank(w, "strategy "+o.strategyOf(k))
		}
	}
	return nil
}

// recordRanks records what all ranks have: hosts, threads, processors, memory, GPUs.
func (b *bench) recordRanks(ctx context.Context) (err error) {
	own := b.record.Processes[0]
	own.Host = b.world.Hosts()[b.world.Rank()]
	own.GPUs = len(b.record.Devices) / b.world.Size()
	if allowed, err := processors.Find(b.machine); err == nil {
		own.Processors = allowed.List
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
