package main

import (
	"context"
	"os"
)

// A chooser returns the work of a run. Before, it can change the run.
type chooser func(*bench) (work func(context.Context) (string, error), err error)

// benchmark chooses the work of the benchmark's flags.
func benchmark(b *bench) (func(context.Context) (string, error), error) {
	b.reference = newReference(b.world, b.options)
	if b.CheckParents != "" {
		return b.checkParents, nil
	}
	return b.benchmark, nil
}

// runOn starts the engine and runs the chosen work. It writes the text of the work to
// stdout.
func runOn(ctx context.Context, p *Process, o *options, choose chooser) error {
	if err := checkStart(o, p.Stdout); err != nil {
		return err
	}
	if err := p.World.OnFirst(ctx, func() error { return checkTargets(o) }); err != nil {
		return err
	}
	text, err := execute(ctx, p, o, choose)
	if text != "" {
		if outErr := writeOut(p.Stdout, text); err == nil {
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
func execute(ctx context.Context, p *Process, o *options, choose chooser) (text string, err error) {
	console := consoleOf(p, o)
	eng, err := newEngine(ctx, p.World, o, console)
	if err != nil {
		return "", err
	}
	b := newBench(p, o, eng, console)
	b.machine = os.DirFS("/")
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

// consoleOf returns the console that the flags ask for.
func consoleOf(p *Process, o *options) *console {
	return newConsole(p.Stderr, len(o.Verbose) > 0, o.Progress)
}
