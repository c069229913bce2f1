// Package commands finds the command of a command line and runs it: the benchmark (benchmark.go), or
// one of the commands beside it, in a file each, which has its flags, its help and its work. It does
// not know how a flag is parsed, or the order and the clock of a run.
package commands

import (
	"context"
	"slices"
	"strings"

	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/run"
)

// command is a command with what it does.
type command struct {
	commandline.Command
	overRanks bool // it can run over several ranks
	run       func(ctx context.Context, p *run.Process, rest []string) error
}

// newCommands returns the commands in the order of the help.
func newCommands() []command {
	all := []command{
		newStrategies(), newPartition(), newChart(), newLeaderboard(), newCompare(), newSubmit(), newEnergy(), newModel(), newEdges(),
	}
	help := command{Command: commandline.Command{Name: "help", Arguments: "[COMMAND]", Doc: "prints this help, or the help of a command"}}
	manual := command{Command: commandline.Command{Name: "manual", Doc: "prints the manual page", Introduction: commandline.ManualText}}
	completion := command{Command: commandline.Command{Name: "completion", Arguments: strings.Join(commandline.Shells(), "|"), Doc: "prints the completions of a shell", Introduction: commandline.CompletionText, Words: commandline.Shells()}}
	for _, c := range all {
		help.Words = append(help.Words, c.Name)
	}
	help.Words = append(help.Words, help.Name, manual.Name, completion.Name)
	help.run = printing(func(rest []string, _ *run.Process) (string, error) { return helpOf(rest, newCommands()) })
	manual.run = printing(func(rest []string, p *run.Process) (string, error) {
		if len(rest) > 0 {
			return "", unexpected(manual.Command, rest)
		}
		return commandline.Manual(strings.SplitN(run.VersionLine(p.Commit), ", ", 3)[1], described(newCommands())), nil
	})
	completion.run = printing(func(rest []string, p *run.Process) (string, error) {
		if len(rest) != 1 || !slices.Contains(commandline.Shells(), rest[0]) {
			return "", unexpected(completion.Command, rest)
		}
		return commandline.Completion(rest[0], described(newCommands())), nil
	})
	return append(all, help, manual, completion)
}

// described returns the descriptions of the commands.
func described(list []command) (commands commandline.Commands) {
	for _, c := range list {
		commands = append(commands, c.Command)
	}
	return commands
}

// printing returns the work of a command that only prints a text.
func printing(text func(rest []string, p *run.Process) (string, error)) func(context.Context, *run.Process, []string) error {
	return func(_ context.Context, p *run.Process, rest []string) error {
		text, err := text(rest, p)
		if err != nil {
			return err
		}
		return output.PrintText(p.Stdout, text)
	}
}

// unexpected returns the error for arguments that a command does not take.
func unexpected(c commandline.Command, rest []string) error {
	return commandline.Usagef("the arguments of %s are %q, and not %q", c.Name, c.Arguments, strings.Join(rest, " "))
}

// helpOf returns the text of "graph500 help" with these arguments: the help of a
// command, or of the program.
func helpOf(names []string, list []command) (string, error) {
	commands := described(list)
	switch {
	case len(names) > 1:
		return "", commandline.Usagef("help takes the name of one command, and not %q", names)
	case len(names) == 0 || names[0] == "help":
		return commandline.HelpText(commandline.CommonHelp, commands), nil
	}
	c, err := commands.Find(names[0])
	if err != nil {
		return "", err
	}
	return c.Help(), nil
}

// Execute runs the command line of the process: a command, or the benchmark.
func Execute(ctx context.Context, p *run.Process) error {
	if reference, _ := commandline.AsReference(p.Args); reference != "" || len(p.Args) < 2 || strings.HasPrefix(p.Args[1], "-") || commandline.IsWhole(p.Args[1]) {
		return runBenchmark(ctx, p)
	}
	list := newCommands()
	if _, err := described(list).Find(p.Args[1]); err != nil {
		return err
	}
	c := list[slices.IndexFunc(list, func(c command) bool { return c.Name == p.Args[1] })]
	rest := p.Args[2:]
	if c.Flags == nil {
		if len(rest) == 1 && slices.Contains([]string{"-help", "--help", "-h"}, rest[0]) {
			return printHelp(p, c.Name)
		}
		return c.run(ctx, p, rest)
	}
	if !c.overRanks {
		if err := commandline.CheckOneRank(p.World.Size(), c.Name); err != nil {
			return err
		}
	}
	rest, err := c.Flags.Parse(rest)
	if err != nil {
		return err
	}
	if c.Flags.Given("help") {
		return printHelp(p, c.Name)
	}
	return c.run(ctx, p, rest)
}

// printHelp prints the help of a command. Its parser is a new one, which has not parsed anything.
func printHelp(p *run.Process, name string) error {
	text, err := helpOf([]string{name}, newCommands())
	if err != nil {
		return err
	}
	return output.PrintText(p.Stdout, text)
}
