package main

import (
	"slices"
	"strings"

	"github.com/jessevdk/go-flags"

	"graph500/engine"
)

const completionText = `Prints the completions of flags, their values and commands for a shell:

  graph500 completion bash >/etc/bash_completion.d/graph500
  graph500 completion zsh >/usr/share/zsh/site-functions/_graph500
  graph500 completion fish >/usr/share/fish/vendor_completions.d/graph500.fish
`

func completionHelp() string { return completionText }

// completions makes the completions of each shell for the commands.
var completions = map[string]func(commands []completable) string{
	"bash": bashCompletion,
	"zsh":  zshCompletion,
	"fish": fishCompletion,
}

// completable is a command, or the benchmark, with what can follow it.
type completable struct {
	name, doc string // empty for the benchmark
	words     []string
	flags     []completableFlag
}

// completableFlag is a flag. A flag without a value has no argument.
type completableFlag struct {
	name     string
	doc      string
	argument string   // name of the value
	words    []string // values, if there are few
}

func (f completableFlag) takesFile() bool {
	return slices.Contains([]string{"FILE", "NAME:FILE"}, f.argument)
}
func (f completableFlag) takesDir() bool { return f.argument == "DIR" }

// completableCommands lists the benchmark and the commands.
func completableCommands() []completable {
	list := []completable{{flags: completableFlags(newParser(new(options))), words: commandNames()}}
	for _, c := range subcommands() {
		command := completable{name: c.name, doc: c.doc}
		switch {
		case c.parser != nil:
			command.flags = completableFlags(c.parser())
			if c.name == "strategies" {
				command.setWords("kernel", kernelNames()[:len(engine.Kernels())])
				command.setWords("format", comparisonFormats())
			}
		case c.name == "help":
			command.words = commandNames()
		case strings.Contains(c.arguments, "|"):
			command.words = strings.Split(c.arguments, "|")
		}
		list = append(list, command)
	}
	return list
}

// setWords sets the values of a flag.
func (c *completable) setWords(flag string, words []string) {
	for i := range c.flags {
		if c.flags[i].name == flag {
			c.flags[i].words = words
		}
	}
}

// completableFlags lists the flags of a parser that the help shows.
func completableFlags(p *flags.Parser) (list []completableFlag) {
	for _, option := range visibleOptions(p) {
		f := completableFlag{name: option.LongName, argument: option.ValueName}
		f.doc, _, _ = strings.Cut(option.Description, "; ")
		for flag, allowed := range choices() {
			if flag == f.name {
				f.words = allowed
			}
		}
		list = append(list, f)
	}
	return list
}

// quoted quotes a text for a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
