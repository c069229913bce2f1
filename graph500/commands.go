package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jessevdk/go-flags"
)

// subcommand describes a command, which comes before the flags.
type subcommand struct {
	name      string
	arguments string // after the name
	doc       string
	help      func() string
	parser    func() *flags.Parser // of its flags; nil without flags
}

// subcommands lists the commands in the order of the help.
func subcommands() []subcommand {
	return []subcommand{
		{"strategies", "[flags] [NAME ...]", "searches one graph with every strategy", comparisonHelp,
			func() *flags.Parser { return comparisonParser(&comparison{options: new(options)}) }},
		{"partition", "[flags]", "divides a graph between parts by policies of CuSP", partitionHelp,
			func() *flags.Parser { return partitionParser(&partitioning{options: new(options)}) }},
		{"chart", "[flags] FILE.json ...", "draws a chart of results of this program", chartHelp,
			func() *flags.Parser { return chartParser(new(chartFlags)) }},
		{"leaderboard", "[flags] RESULT ...", "ranks results on a web page", leaderboardHelp,
			func() *flags.Parser { return leaderboardParser(new(leaderboardFlags)) }},
		{"compare", "[flags] A B", "says whether results B are faster than results A", compareHelp,
			func() *flags.Parser { return compareParser(new(compareFlags)) }},
		{"submit", "[flags] RESULT", "checks a result for the Graph500 list", submitHelp,
			func() *flags.Parser { return submitParser(new(submitFlags)) }},
		{"energy", "[flags] RESULT LOG.csv", "energy of the whole system from a power meter's log", powerLogHelp,
			func() *flags.Parser { return powerLogParser(new(powerLogFlags)) }},
		{"model", "[flags]", "predicts rates on several nodes with GPUs", modelHelp,
			func() *flags.Parser { return modelParser(new(modelFlags)) }},
		{"edges", "[flags] [IN] OUT", "makes an edge file of another graph, or converts one", edgesHelp,
			func() *flags.Parser { return edgesParser(new(edgesFlags)) }},
		{"help", "[COMMAND]", "prints this help, or the help of a command", helpText, nil},
		{"manual", "", "prints the manual page", manualHelp, nil},
		{"completion", "bash|zsh|fish", "prints the completions of a shell", completionHelp, nil},
	}
}

// findSubcommand returns the command of that name.
func findSubcommand(name string) (subcommand, bool) {
	for _, c := range subcommands() {
		if c.name == name {
			return c, true
		}
	}
	return subcommand{}, false
}

// commandNames lists the names of the commands.
func commandNames() (names []string) {
	for _, c := range subcommands() {
		names = append(names, c.name)
	}
	return names
}

// commandList returns the lines of the help that describe the commands.
func commandList() string {
	var text strings.Builder
	for _, c := range subcommands() {
		fmt.Fprintf(&text, "  %-30s  %s\n", c.name+" "+c.arguments, c.doc)
	}
	return text.String()
}

// unknownCommand returns the error for an unknown command.
func unknownCommand(name string) error {
	return usagef("unknown command %q%s; the commands are %s, and flags begin with a dash; -help lists them all",
		name, suggestion(name, "", commandNames()), strings.Join(commandNames(), ", "))
}

// commandHelp returns the text of "graph500 help" with these arguments: the help of a
// command, or of the program.
func commandHelp(names []string) (string, error) {
	if len(names) > 1 {
		return "", usagef("help takes the name of one command, and not %q", names)
	}
	if len(names) == 0 {
		return helpText(), nil
	}
	c, ok := findSubcommand(names[0])
	if !ok {
		return "", unknownCommand(names[0])
	}
	return c.help(), nil
}

// commandText returns the text of a command that only prints one: help, manual or
// completion.
func commandText(name string, args []string) (string, error) {
	if name == "help" {
		return commandHelp(args)
	}
	c, _ := findSubcommand(name)
	argument := strings.Join(args, " ")
	switch {
	case slices.Contains([]string{"-help", "--help", "-h"}, argument):
		return c.help(), nil
	case name == "manual" && argument == "":
		return manualPage(), nil
	case name == "completion" && completions[argument] != nil:
		return completions[argument](completableCommands()), nil
	}
	return "", usagef("the arguments of %s are %q, and not %q", name, c.arguments, argument)
}
