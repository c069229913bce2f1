// Command graph500 runs the Graph500 benchmark. This package is its process: the ranks, the
// signals, the exit status. The rooms below it, in the order of the calls:
//
//	commands     which command; the commands besides the benchmark
//	run          a run of the benchmark: its phases, their order, the clock
//	commandline  the flags: declared, parsed, checked; help, manual page, completions
//	output       results on standard output, messages and progress on standard error
//
// It contains no algorithm: generator, engines, validation and report are packages of the module.
package main

import (
	"context"
	"os"
	"time"

	"graph500/cluster"
	"graph500/graph500/commandline"
	"graph500/graph500/commands"
	"graph500/graph500/output"
	"graph500/graph500/run"
	"graph500/vector"
)

// commit is set by the linker: -ldflags "-X main.commit=...".
var commit string

func main() {
	started := time.Now()
	abortOnFault()
	launcher := cluster.Detect(os.LookupEnv)
	world, err := cluster.Join(launcher, cluster.JoinWithin)
	if err != nil {
		refuse(launcher, err)
	}
	ctx := interruptible(context.Background())
	p := &run.Process{World: world, Started: started, Args: os.Args, Lookup: os.LookupEnv, Stdout: os.Stdout, Stderr: os.Stderr, Commit: commit}
	if world.Size() > 1 {
		runRank(ctx, p)
	}
	err = run.WithGrace(ctx, func() error { return work(ctx, p) })
	output.PrintError(os.Stderr, err)
	os.Exit(output.ExitStatus(err))
}

// work runs the command line.
func work(ctx context.Context, p *run.Process) error {
	if err := checkOpenFiles(); err != nil {
		return err
	}
	if err := vector.Check(); err != nil {
		return commandline.Usagef("%s", err)
	}
	return commands.Execute(ctx, p)
}
