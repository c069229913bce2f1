package main

import (
	"fmt"
	"strings"

	"github.com/jessevdk/go-flags"
)

const manualText = `Prints the manual page in the format of man(1), made from the flags of this program:

  graph500 manual >graph500.1
  man ./graph500.1
`

func manualHelp() string { return manualText }

// manualPage returns the manual page in the language of man(7).
func manualPage() string {
	var page strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&page, format+"\n", args...) }
	line(`.TH GRAPH500 1 "" "%s"`, roff(strings.SplitN(versionLine(), ", ", 3)[1]))
	line(".SH NAME\ngraph500 \\- %s", roff("Graph500 benchmark on a GPU or on the cores of one machine"))
	line(".SH SYNOPSIS\n.B graph500\n[flags]")
	for _, c := range subcommands() {
		line(".br\n.B graph500 %s\n\\&%s", c.name, roff(c.arguments))
	}
	line(".SH DESCRIPTION\n%s", roff(strings.TrimSpace(helpIntroduction)))
	line(".SH OPTIONS\n%s", roff(strings.TrimSpace(helpOfFlags)))
	known := make(map[string]bool)
	p := newParser(new(options))
	page.WriteString(manualOfFlags(p, known))
	line(".SH COMMANDS")
	for _, c := range subcommands() {
		line(".SS graph500 %s %s\n%s", c.name, roff(c.arguments), roff(c.doc))
		if c.parser != nil {
			page.WriteString(manualOfFlags(c.parser(), known))
		}
		if c.name != "help" {
			line(".PP\n.B graph500 help %s\nsays more.", c.name)
		}
	}
	for _, section := range []struct{ title, text string }{
		{"ENVIRONMENT", helpOfEnvironment}, {"EXAMPLES", helpExamples}, {"EXIT STATUS", helpOfStatus},
	} {
		line(".SH %s\n.nf\n%s\n.fi", section.title, roff(strings.TrimRight(section.text, "\n")))
	}
	return page.String()
}

// manualOfFlags returns the descriptions of the visible flags of p that are not known yet,
// and adds them to the known ones.
func manualOfFlags(p *flags.Parser, known map[string]bool) string {
	describeRanges(p)
	var text strings.Builder
	for _, option := range visibleOptions(p) {
		if known[option.LongName] && option.LongName != "help" {
			continue
		}
		known[option.LongName] = true
		name := `\fB\-` + roff(option.LongName) + `\fR`
		if option.ValueName != "" {
			name += `=\fI` + roff(option.ValueName) + `\fR`
		}
		if option.ShortName != 0 {
			name = fmt.Sprintf(`\fB\-%c\fR, %s`, option.ShortName, name)
		}
		description := option.Description
		if len(option.Default) > 0 {
			description += fmt.Sprintf(" (default: %s)", strings.Join(option.Default, ", "))
		}
		fmt.Fprintf(&text, ".TP\n%s\n%s\n", name, roff(description))
	}
	return text.String()
}

// visibleOptions lists the flags of p that the help shows, in its order.
func visibleOptions(p *flags.Parser) (list []*flags.Option) {
	for _, name := range flagNames(p) {
		if option := p.FindOptionByLongName(name); !option.Hidden {
			list = append(list, option)
		}
	}
	return list
}

// roff escapes a text for man(7).
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
