package commandline

import (
	"fmt"
	"strings"
)

// fishCompletion returns commands for fish.
func fishCompletion(commands []completable) string {
	var text strings.Builder
	text.WriteString("# Completion of graph500 for fish, made by \"graph500 completion fish\".\n")
	line := func(format string, args ...any) { fmt.Fprintf(&text, "complete -c graph500 "+format+"\n", args...) }
	for _, c := range commands {
		condition := "__fish_seen_subcommand_from " + c.name
		if c.name == "" {
			condition = "not __fish_seen_subcommand_from " + strings.Join(commands[0].words, " ")
		} else {
			line("-n __fish_use_subcommand -f -a %s -d %s", c.name, quoted(c.doc))
		}
		condition = "-n " + quoted(condition)
		switch {
		case c.name == "":
			line("%s -f", condition)
		case c.words != nil:
			line("%s -f -a %s", condition, quoted(strings.Join(c.words, " ")))
		}
		for _, f := range c.flags {
			line("%s -o %s -d %s%s", condition, f.name, quoted(f.doc), fishValue(f))
		}
	}
	return text.String()
}

// fishValue returns the options that describe the value of a flag.
func fishValue(f completableFlag) string {
	switch {
	case f.argument == "":
		return ""
	case f.words != nil:
		return " -x -a " + quoted(strings.Join(f.words, " "))
	case f.takesDir():
		return " -x -a '(__fish_complete_directories)'"
	case f.takesFile():
		return " -r -F"
	}
	return " -x"
}
