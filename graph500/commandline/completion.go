package commandline

import (
	"slices"
	"strings"
)

// CompletionText is the help of the command that prints the completions.
const CompletionText = `Prints the completions of flags, their values and commands for a shell:
  graph500 completion bash >/etc/bash_completion.d/graph500
  graph500 completion zsh >/usr/share/zsh/site-functions/_graph500
  graph500 completion fish >/usr/share/fish/vendor_completions.d/graph500.fish
`

// Shells lists the shells that have completions.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// Completion returns the completions of a shell, empty for one that has none.
func Completion(shell string, commands Commands) string {
	switch shell {
	case "bash":
		return bashCompletion(completableCommands(commands))
	case "zsh":
		return zshCompletion(completableCommands(commands))
	case "fish":
		return fishCompletion(completableCommands(commands))
	}
	return ""
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
func completableCommands(commands Commands) []completable {
	list := []completable{{flags: completableFlags(NewRunParser(new(Options))), words: commands.Names()}}
	for _, c := range commands {
		command := completable{name: c.Name, doc: c.Doc, words: c.Words}
		if c.Flags != nil {
			command.flags = completableFlags(c.Flags)
		}
		list = append(list, command)
	}
	return list
}

// completableFlags lists the flags of a parser that the help shows.
func completableFlags(p *Parser) (list []completableFlag) {
	for _, option := range p.options() {
		if option.Hidden {
			continue
		}
		f := completableFlag{name: option.LongName, argument: option.ValueName, words: option.Choices}
		if option.OptionalArgument { // it can be left out
			f.argument, f.words = "", nil
		}
		f.doc, _, _ = strings.Cut(option.Description, "; ")
		list = append(list, f)
	}
	return list
}

// quoted quotes a text for a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
