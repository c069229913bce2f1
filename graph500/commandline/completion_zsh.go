package commandline

import (
	"fmt"
	"strings"
)

const zshTemplate = `#compdef graph500
# Completion of graph500 for zsh, made by "graph500 completion zsh".
local -a subcommands=(
%s)
case $words[2] in
%sesac
`

// zshCompletion returns a function for zsh.
func zshCompletion(commands []completable) string {
	var names, cases strings.Builder
	for _, c := range commands[1:] {
		fmt.Fprintf(&names, "\t%s\n", quoted(c.name+":"+c.doc))
		arguments := zshFlags(c)
		switch {
		case c.words != nil:
			arguments = append(arguments, "2: :("+strings.Join(c.words, " ")+")")
		case c.flags != nil:
			arguments = append(arguments, "*: :_files")
		}
		zshCase(&cases, c.name, append(arguments, "1: :{_describe command subcommands}"))
	}
	zshCase(&cases, "*", append(zshFlags(commands[0]), "1: :{_describe command subcommands}"))
	return fmt.Sprintf(zshTemplate, names.String(), cases.String())
}

// zshCase writes the arguments that can follow the first word of that pattern.
func zshCase(text *strings.Builder, pattern string, arguments []string) {
	fmt.Fprintf(text, "%s)\n\t_arguments", pattern)
	for _, argument := range arguments {
		fmt.Fprintf(text, " \\\n\t\t%s", quoted(argument))
	}
	text.WriteString("\n\t;;\n")
}

// zshFlags returns the descriptions of the flags of a command for _arguments.
func zshFlags(c completable) (list []string) {
	escape := strings.NewReplacer(`[`, `\[`, `]`, `\]`, `:`, `\:`).Replace
	for _, f := range c.flags {
		text := fmt.Sprintf("-%s[%s]", f.name, escape(f.doc))
		if f.argument != "" {
			text = fmt.Sprintf("*-%s=[%s]:%s:", f.name, escape(f.doc), escape(f.argument))
		}
		switch {
		case f.words != nil:
			text += "(" + strings.Join(f.words, " ") + ")"
		case f.takesDir():
			text += "_files -/"
		case f.takesFile():
			text += "_files"
		}
		list = append(list, text)
	}
	return list
}
