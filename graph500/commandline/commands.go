package commandline

import (
	"slices"
	"strings"
)

// Command is a command, which comes before its flags, as help, manual page and completions
// describe it.
type Command struct {
	Name         string
	Arguments    string   // after the name
	Doc          string   // a line
	Introduction string   // of its help, before the flags
	Closing      string   // of its help, after the flags
	Flags        *Parser  // nil without flags
	Words        []string // that can follow the name, if there are few
}

// Help returns what "graph500 help" prints of the command. Afterwards its flags cannot be parsed.
func (c Command) Help() string {
	if c.Flags == nil {
		return c.Introduction
	}
	return c.Introduction + c.Flags.help(wholeHelp) + c.Closing
}

// Commands are the commands in the order of the help.
type Commands []Command

// Find returns the command of that name.
func (list Commands) Find(name string) (Command, error) {
	i := slices.IndexFunc(list, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return Command{}, Usagef("unknown command %q%s; the commands are %s, and flags begin with a dash; -help lists them all",
			name, Suggestion(name, "", list.Names()), strings.Join(list.Names(), ", "))
	}
	return list[i], nil
}

// Names lists the names of the commands.
func (list Commands) Names() (names []string) {
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}
