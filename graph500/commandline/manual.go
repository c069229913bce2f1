package commandline

import (
	"fmt"
	"strings"
)

// ManualText is the help of the command that prints the manual page.
const ManualText = `Prints the manual page in the format of man(1), made from the flags of this program:
  graph500 manual >graph500.1
  man ./graph500.1
`

// Manual returns the manual page of a version in the language of man(7).
func Manual(version string, commands Commands) string {
	var page strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&page, format+"\n", args...) }
	line(`.TH GRAPH500 1 "" "%s"`, roff(version))
	line(".SH NAME\ngraph500 \\- %s", roff("Graph500 benchmark on a GPU or on the cores of one machine"))
	line(".SH SYNOPSIS\n.B graph500\n[flags]")
	for _, c := range commands {
		line(".br\n.B graph500 %s\n\\&%s", c.Name, roff(c.Arguments))
	}
	line(".SH DESCRIPTION\n%s", roff(strings.TrimSpace(helpIntroduction)))
	line(".SH OPTIONS\n%s", roff(strings.TrimSpace(helpOfFlags)))
	known := make(map[string]string)
	page.WriteString(NewRunParser(new(Options)).manual(known))
	line(".SH COMMANDS")
	for _, c := range commands {
		line(".SS graph500 %s %s\n%s", c.Name, roff(c.Arguments), roff(c.Doc))
		if c.Flags != nil {
			page.WriteString(c.Flags.manual(known))
		}
		if c.Name != "help" {
			line(".PP\n.B graph500 help %s\nsays more.", c.Name)
		}
	}
	for _, section := range []struct{ title, text string }{
		{"ENVIRONMENT", helpOfEnvironment}, {"EXAMPLES", helpExamples}, {"EXIT STATUS", helpOfStatus},
	} {
		line(".SH %s\n.nf\n%s\n.fi", section.title, roff(strings.TrimRight(section.text, "\n")))
	}
	return page.String()
}

// manual returns what the manual page says of the flags: the options of the page that go-flags
// writes, with one dash before long names. Flags with a description that is known are left out;
// the others become known. Afterwards the parser is for nothing else.
func (p *Parser) manual(known map[string]string) string {
	p.prepareTexts(wholeHelp)
	for _, option := range p.options() {
		option.OptionalArgument = false
		option.Hidden = option.Hidden || known[option.LongName] == option.Description
		known[option.LongName] = option.Description
	}
	var page strings.Builder
	p.of.WriteManPage(&page)
	_, text, _ := strings.Cut(page.String(), "\n.SH OPTIONS\n")
	return strings.NewReplacer(".SS Options\n", "", `\-\-`, `\-`, `\-`, `\-`, "-", `\-`).Replace(text)
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
