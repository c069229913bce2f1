package commandline

import (
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/jessevdk/go-flags"
)

// Parser parses the flags of a command. It is a parser of go-flags for long names with one dash,
// with ranges of numbers, and with errors in one line. The tags of a struct declare the flags:
// those of go-flags, and two more for the help: detail is what only the whole help says, and a
// flag with seldom is in the whole help only.
type Parser struct {
	of        *flags.Parser
	ranges    map[string]Range  // by the name of the flag
	described map[string]bool   // flags whose description is whole, without detail
	excluded  map[string]string // flags that the command does not take, with the reason
}

// NewParser returns a parser for the struct data, whose tags declare the flags.
func NewParser(usage string, data any) *Parser {
	p := &Parser{
		of:     flags.NewNamedParser("graph500", flags.PassDoubleDash),
		ranges: make(map[string]Range), described: make(map[string]bool), excluded: make(map[string]string),
	}
	p.of.Usage = usage
	p.of.UnknownOptionHandler = func(name string, _ flags.SplitArgument, _ []string) ([]string, error) {
		return nil, Usagef("unknown flag -%s%s; -help lists all", name, Suggestion(name, "-", p.Names()))
	}
	return p.Add("Options", data)
}

// Add adds a group of flags.
func (p *Parser) Add(title string, data any) *Parser {
	if _, err := p.of.AddGroup(title, "", data); err != nil {
		panic(err) // the tags of the struct are wrong
	}
	return p
}

// Usage changes the usage line.
func (p *Parser) Usage(text string) *Parser {
	p.of.Usage = text
	return p
}

// Choose makes a flag take one of a few names.
func (p *Parser) Choose(flag string, names ...string) *Parser {
	p.Option(flag).Choices = names
	return p
}

// Within makes a flag take the values of a range.
func (p *Parser) Within(flag string, values Range) *Parser {
	p.ranges[flag] = values
	return p
}

// Describe changes what the help says of a flag.
func (p *Parser) Describe(flag, description string) *Parser {
	p.Option(flag).Description = description
	p.described[flag] = true
	return p
}

// Standard changes the default of a flag.
func (p *Parser) Standard(flag, value string) *Parser {
	p.Option(flag).Default = []string{value}
	return p
}

// Exclude leaves a flag out of the help, and makes it an error with that reason.
func (p *Parser) Exclude(flag, why string) *Parser {
	p.Option(flag).Hidden = true
	p.excluded[flag] = why
	return p
}

// Option returns the flag of that name, nil if there is none.
func (p *Parser) Option(name string) *flags.Option { return p.of.FindOptionByLongName(name) }

// Given reports whether the flag is on the command line.
func (p *Parser) Given(name string) bool {
	option := p.Option(name)
	return option.IsSet() && !option.IsSetDefault()
}

// Parse parses the arguments after the name of the program or command and returns those that
// belong to no flag. Numbers are in their ranges unless -help is given. Errors are of type
// usageError.
func (p *Parser) Parse(args []string) (rest []string, err error) {
	if rest, err = p.of.ParseArgs(p.doubleDashes(args)); err != nil {
		return nil, p.usageErrorOf(err)
	}
	if p.Given("help") {
		return rest, nil
	}
	for _, name := range p.Names() {
		if why, excluded := p.excluded[name]; excluded && p.Given(name) {
			return nil, Usagef("flag -%s does not go with %s", name, why)
		}
	}
	return rest, p.checkRanges()
}

// checkRanges returns an error for the first flag whose value is out of range.
func (p *Parser) checkRanges() error {
	for _, option := range p.options() {
		values, limited := p.ranges[option.LongName]
		if limited && p.Given(option.LongName) && !values.contains(option.Value()) {
			return Usagef("flag -%s: %v is not in %s", option.LongName, option.Value(), values)
		}
	}
	return nil
}

// options lists the flags in the order of the help.
func (p *Parser) options() (list []*flags.Option) {
	var collect func(groups []*flags.Group)
	collect = func(groups []*flags.Group) {
		for _, g := range groups {
			list = append(list, g.Options()...)
			collect(g.Groups())
		}
	}
	collect(p.of.Groups())
	return list
}

// Names lists the names of the flags in the order of the help.
func (p *Parser) Names() (names []string) {
	for _, option := range p.options() {
		names = append(names, option.LongName)
	}
	return names
}

// doubleDashes adds a second dash to arguments such as -scale=24, which go-flags would
// parse as a bundle of one-letter flags. A name that is both a long flag and a bundle
// is the long flag. An unknown name gets the dash too, so that the error contains the
// whole name.
func (p *Parser) doubleDashes(args []string) []string {
	out := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if body, ok := strings.CutPrefix(arg, "-"); ok && !strings.HasPrefix(body, "-") {
			name, _, _ := strings.Cut(body, "=")
			_, err := strconv.ParseFloat(arg, 64)
			if len(name) > 1 && err != nil && (p.Option(name) != nil || !p.isBundle(name)) {
				arg = "-" + arg
			}
		}
		out = append(out, arg)
	}
	return out
}

// isBundle reports whether every letter of name is a one-letter flag. A number may
// follow the last one.
func (p *Parser) isBundle(name string) bool {
	for _, letter := range strings.TrimRight(name, "0123456789") {
		if p.of.FindOptionByShortName(letter) == nil {
			return false
		}
	}
	return true
}

// usageErrorOf converts an error of go-flags to one line that names the flag with one dash. What
// go-flags says of a flag begins with a phrase of a few and the flag in quotes.
func (p *Parser) usageErrorOf(err error) error {
	var wrong *flags.Error
	if !errors.As(err, &wrong) {
		return err // of the handler of unknown flags
	}
	for _, option := range p.options() {
		flag, quoted := "flag -"+option.LongName, "`"+option.String()+"'"
		is := func(phrase string) bool { return strings.HasPrefix(wrong.Message, phrase+" "+quoted) }
		switch {
		case is("expected argument for flag"):
			return Usagef("%s needs a value", flag)
		case is("bool flag"):
			return Usagef("%s takes no value", flag)
		case is("invalid argument for flag"):
			return Usagef("%s: %s", flag, reasonOf(option, wrong.Message))
		}
		if at := strings.LastIndex(wrong.Message, "' for option "+quoted); wrong.Type == flags.ErrInvalidChoice && at >= 0 {
			return NoSuchValue(option.LongName, strings.TrimPrefix(wrong.Message[:at], "Invalid value `"), option.Choices)
		}
	}
	return usageError{strings.NewReplacer("`", "", "'", "").Replace(wrong.Message)}
}

// reasonOf returns why a value is invalid, by the message of go-flags: the text of the value's
// type, or what kind of number is missing.
func reasonOf(option *flags.Option, message string) string {
	_, why, _ := strings.Cut(message, "): ")
	_, number, _ := strings.Cut(why, ": parsing ")
	value, err := strconv.QuotedPrefix(number)
	switch {
	case !strings.HasPrefix(why, "strconv.") || err != nil:
		return why
	case strings.HasSuffix(why, strconv.ErrRange.Error()):
		return value + " is out of range"
	case option.Field().Type.Kind() == reflect.Uint64:
		return value + " is not a whole number of at least 0"
	}
	return value + " is not a whole number"
}

// NoSuchValue returns the error for an invalid value of a flag.
func NoSuchValue(flag, value string, allowed []string) error {
	return Usagef("flag -%s: there is no %q%s; all are %s", flag, value, Suggestion(value, "", allowed), strings.Join(allowed, ", "))
}
