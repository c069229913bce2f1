package main

import "strings"

// commandNames lists the commands, which come before the flags.
func commandNames() []string { return []string{"help", "strategies", "chart", "energy"} }

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
	switch names[0] {
	case "help":
		return helpText(), nil
	case "strategies":
		return comparisonHelp(), nil
	case "chart":
		return chartHelp(), nil
	case "energy":
		return powerLogHelp(), nil
	}
	return "", unknownCommand(names[0])
}
