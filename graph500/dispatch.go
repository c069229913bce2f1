package main

import (
	"context"
	"slices"
	"strings"
)

// command is a command with what it does.
type command struct {
	Command
	overRanks bool // it can run over several ranks
	run       func(ctx context.Context, p *Process, rest []string) error
}

// newCommands returns the commands in the order of the help.
func newCommands() []command {
	all := []command{
		newStrategies(), newPartition(), newChart(), newLeaderboard(), newCompare(), newSubmit(), newEnergy(), newModel(), newEdges(),
	}
	help := command{Command: Command{Name: "help", Arguments: "[COMMAND]", Doc: "prints this help, or the help of a command"}}
	manual := command{Command: Command{Name: "manual", Doc: "prints the manual page", Introduction: ManualText}}
	completion := command{Command: Command{Name: "completion", Arguments: strings.Join(Shells(), "|"), Doc: "prints the completions of a shell", Introduction: CompletionText, Words: Shells()}}
	for _, c := range all {
		help.Words = append(help.Words, c.Name)
	}
	help.Words = append(help.Words, help.Name, manual.Name, completion.Name)
	help.run = printing(func(rest []string, _ *Process) (string, error) { return helpOf(rest, newCommands()) })
	manual.run = printing(func(rest []string, p *Process) (string, error) {
		if len(rest) > 0 {
			return "", unexpected(manual.Command, rest)
		}
		return Manual(strings.SplitN(versionLine(p.Commit), ", ", 3)[1], described(newCommands())), nil
	})
	completion.run = printing(func(rest []string, p *Process) (string, error) {
		if len(rest) != 1 || !slices.Contains(Shells(), rest[0]) {
			return "", unexpected(completion.Command, rest)
		}
		return Completion(rest[0], described(newCommands())), nil
	})
	return append(all, help, manual, completion)
}

// described returns the descriptions of the commands.
func described(list []command) (commands Commands) {
	for _, c := range list {
		commands = append(commands, c.Command)
	}
	return commands
}

// printing returns the work of a command that only prints a text.
func printing(text func(rest []string, p *Process) (string, error)) func(context.Context, *Process, []string) error {
	return func(_ context.Context, p *Process, rest []string) error {
		text, err := text(rest, p)
		if err != nil {
			return err
		}
		return printText(p.Stdout, text)
	}
}

// unexpected returns the error for arguments that a command does not take.
func unexpected(c Command, rest []string) error {
	return usagef("the arguments of %s are %q, and not %q", c.Name, c.Arguments, strings.Join(rest, " "))
}

// helpOf returns the text of "graph500 help" with these arguments: the help of a
// command, or of the program.
func helpOf(names []string, list []command) (string, error) {
	commands := described(list)
	switch {
	case len(names) > 1:
		return "", usagef("help takes the name of one command, and not %q", names)
	case len(names) == 0 || names[0] == "help":
		return helpText(commonHelp, commands), nil
	}
	c, err := commands.find(names[0])
	if err != nil {
		return "", err
	}
	return c.Help(), nil
}

// Execute runs the command line of the process: a command, or the benchmark.
func Execute(ctx context.Context, p *Process) error {
	if reference, _ := asReference(p.Args); reference != "" || len(p.Args) < 2 || strings.HasPrefix(p.Args[1], "-") || isWhole(p.Args[1]) {
		return runBenchmark(ctx, p)
	}
	list := newCommands()
	if _, err := described(list).find(p.Args[1]); err != nil {
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
		if err := checkOneRank(p.World.Size(), c.Name); err != nil {
			return err
		}
	}
	rest, err := c.Flags.parse(rest)
	if err != nil {
		return err
	}
	if c.Flags.given("help") {
		return printHelp(p, c.Name)
	}
	return c.run(ctx, p, rest)
}

// printHelp prints the help of a command. Its parser is a new one, which has not parsed anything.
func printHelp(p *Process, name string) error {
	text, err := helpOf([]string{name}, newCommands())
	if err != nil {
		return err
	}
	return printText(p.Stdout, text)
}
