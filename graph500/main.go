// Command graph500 runs the Graph500 benchmark. It reads the flags, calls an engine
// phase by phase, measures the times and prints the report. It contains no
// algorithm: generator, engines, validation and report are packages of their own.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"graph500/cluster"
)

func main() {
	started := time.Now()
	abortOnFault()
	launcher := cluster.Detect(os.LookupEnv)
	world, err := cluster.Join(launcher, cluster.JoinWithin)
	if err != nil {
		refuse(launcher, err)
	}
	ctx := interruptible(context.Background())
	if world.Size() > 1 {
		runRank(ctx, world, started)
	}
	err = withGrace(ctx, func() error { return work(ctx, world, started, os.Stdout, os.Stderr) })
	printError(os.Stderr, err)
	os.Exit(exitStatus(err))
}

// work runs the command line in a rank of the world.
func work(ctx context.Context, w *cluster.World, started time.Time, stdout, stderr *os.File) error {
	if err := checkOpenFiles(); err != nil {
		return err
	}
	return command(ctx, w, started, os.Args, os.LookupEnv, stdout, stderr)
}

// command runs the command line args.
func command(ctx context.Context, w *cluster.World, started time.Time, args []string, lookup func(string) (string, bool), stdout, stderr *os.File) (err error) {
	if reference, _ := asReference(args); reference == "" && len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		switch args[1] {
		case "help", "manual", "completion":
			text, err := commandText(args[1], args[2:])
			if err != nil {
				return err
			}
			return printText(stdout, text)
		case "strategies", "chart", "leaderboard", "compare", "submit", "energy", "model", "edges":
			if err := checkOneRank(w.Size(), args[1]); err != nil {
				return err
			}
		}
		switch args[1] {
		case "strategies":
			return runComparison(ctx, w, started, args, lookup, stdout, stderr)
		case "chart":
			return drawChart(args[2:], stdout)
		case "leaderboard":
			return makeLeaderboard(ctx, args[2:], stdout, stderr)
		case "compare":
			return compareRuns(ctx, args[2:], stdout)
		case "submit":
			return checkSubmission(ctx, args[2:], stdout)
		case "energy":
			return joinPowerLog(ctx, args[2:], stdout)
		case "model":
			return printModel(args[2:], stdout)
		case "partition":
			return runPartitioning(ctx, w, started, args, stdout, stderr)
		case "edges":
			return makeEdges(ctx, args[2:], stdout)
		}
		if !isWhole(args[1]) {
			return unknownCommand(args[1])
		}
	}
	o, err := parseFlags(args, lookup, newCatalogue())
	if err != nil {
		return err
	}
	switch {
	case o.Help:
		return printText(stdout, helpText())
	case o.Version:
		ranks, err := ranksToCheck(w, lookup)
		if err == nil {
			err = checkRanks(ranks, o)
		}
		if err != nil {
			return err
		}
		return printText(stdout, versionLine()+"\n")
	case o.listsStrategies():
		return printText(stdout, o.catalogue.text(o))
	}
	if err := checkRanks(w.Size(), o); err != nil {
		return err
	}
	if err := o.takeThreads(ctx, w, lookup, newConsole(stderr, o)); err != nil {
		return err
	}
	missing := o.missingDirectories()
	defer func() {
		if err != nil && w.Rank() == 0 {
			removeEmpty(missing)
		}
	}()
	return withTimeout(ctx, o, w, func(ctx context.Context) error {
		if o.isSweep() {
			return runSweep(ctx, o, started, args, stdout, stderr)
		}
		return runOn(ctx, w, o, started, args, stdout, stderr, o.benchmark)
	})
}

// A chooser returns the work of a run. Before, it can change the run.
type chooser func(*bench) (work func(context.Context) (string, error), err error)

// benchmark chooses the work of the benchmark's flags.
func (o *options) benchmark(b *bench) (func(context.Context) (string, error), error) {
	b.reference = newReference(b.world, o)
	if o.CheckParents != "" {
		return b.checkParents, nil
	}
	return b.benchmark, nil
}

// runOn starts the engine and runs the chosen work. It writes the text of the work to
// stdout.
func runOn(ctx context.Context, w *cluster.World, o *options, started time.Time, args []string, stdout, stderr *os.File, choose chooser) error {
	if err := checkStart(o, stdout); err != nil {
		return err
	}
	if err := w.OnFirst(ctx, func() error { return checkTargets(o) }); err != nil {
		return err
	}
	text, err := execute(ctx, w, o, started, args, stderr, choose)
	if text != "" {
		if outErr := writeOut(stdout, text); err == nil {
			err = outErr
		}
	}
	return err
}

// checkStart returns an error if the process cannot run the program, or if its output would
// be lost.
func checkStart(o *options, stdout *os.File) error {
	if o.Out == "" {
		if err := checkStdout(stdout); err != nil {
			return err
		}
	}
	if err := checkLimits(os.DirFS("/")); err != nil {
		return err
	}
	return checkInputs(o)
}

// execute starts the engine, runs the chosen work and returns its text. It can return both
// text and an error.
func execute(ctx context.Context, w *cluster.World, o *options, started time.Time, args []string, stderr *os.File, choose chooser) (text string, err error) {
	console := newConsole(stderr, o)
	eng, err := newEngine(ctx, w, o, console)
	if err != nil {
		return "", err
	}
	b := newBench(o, eng, console, args, started)
	b.world, b.machine = w, os.DirFS("/")
	work, err := choose(b)
	if err == nil {
		text, err = b.run(ctx, work)
	}
	for _, closeEngine := range []func() error{eng.Close, b.reference.close} {
		if closeErr := closeEngine(); err == nil {
			err = closeErr
		}
	}
	return text, err
}

// printError prints err as one line.
func printError(stderr io.Writer, err error) {
	if err != nil {
		fmt.Fprintf(stderr, "graph500: %s\n", strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool {
			return r == '\n' || r == '\r'
		}), "; "))
	}
}
