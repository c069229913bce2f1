package main

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
	ranges    map[string]valueRange // by the name of the flag
	described map[string]bool       // flags whose description is whole, without detail
	excluded  map[string]string     // flags that the command does not take, with the reason
}

// newParser returns a parser for the struct data, whose tags declare the flags.
func newParser(usage string, data any) *Parser {
	p := &Parser{
		of:     flags.NewNamedParser("graph500", flags.PassDoubleDash),
		ranges: make(map[string]valueRange), described: make(map[string]bool), excluded: make(map[string]string),
	}
	p.of.Usage = usage
	p.of.UnknownOptionHandler = func(name string, _ flags.SplitArgument, _ []string) ([]string, error) {
		return nil, usagef("unknown flag -%s%s; -help lists all", name, suggestion(name, "-", p.names()))
	}
	return p.add("Options", data)
}

// add adds a group of flags.
func (p *Parser) add(title string, data any) *Parser {
	if _, err := p.of.AddGroup(title, "", data); err != nil {
		panic(err) // the tags of the struct are wrong
	}
	return p
}

// choose makes a flag take one of a few names.
func (p *Parser) choose(flag string, names ...string) *Parser {
	p.option(flag).Choices = names
	return p
}

// within makes a flag take the values of a range.
func (p *Parser) within(flag string, values valueRange) *Parser {
	p.ranges[flag] = values
	return p
}

// describe changes what the help says of a flag.
func (p *Parser) describe(flag, description string) *Parser {
	p.option(flag).Description = description
	p.described[flag] = true
	return p
}

// standard changes the default of a flag.
func (p *Parser) standard(flag, value string) *Parser {
	p.option(flag).Default = []string{value}
	return p
}

// exclude leaves a flag out of the help, and makes it an error with that reason.
func (p *Parser) exclude(flag, why string) *Parser {
	p.option(flag).Hidden = true
	p.excluded[flag] = why
	return p
}

// option returns the flag of that name, nil if there is none.
func (p *Parser) option(name string) *flags.Option { return p.of.FindOptionByLongName(name) }

// given reports whether the flag is on the command line.
func (p *Parser) given(name string) bool {
	option := p.option(name)
	return option.IsSet() && !option.IsSetDefault()
}

// parse parses the arguments after the name of the program or command and returns those that
// belong to no flag. Numbers are in their ranges unless -help is given. Errors are of type
// usageError.
func (p *Parser) parse(args []string) (rest []string, err error) {
	if rest, err = p.of.ParseArgs(p.doubleDashes(args)); err != nil {
		return nil, p.usageErrorOf(err)
	}
	if p.given("help") {
		return rest, nil
	}
	for _, name := range p.names() {
		if why, excluded := p.excluded[name]; excluded && p.given(name) {
			return nil, usagef("flag -%s does not go with %s", name, why)
		}
	}
	return rest, p.checkRanges()
}

// checkRanges returns an error for the first flag whose value is out of range.
func (p *Parser) checkRanges() error {
	for _, option := range p.options() {
		values, limited := p.ranges[option.LongName]
		if limited && p.given(option.LongName) && !values.contains(option.Value()) {
			return usagef("flag -%s: %v is not in %s", option.LongName, option.Value(), values)
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

// names lists the names of the flags in the order of the help.
func (p *Parser) names() (names []string) {
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
			if len(name) > 1 && err != nil && (p.option(name) != nil || !p.isBundle(name)) {
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
			return usagef("%s needs a value", flag)
		case is("bool flag"):
			return usagef("%s takes no value", flag)
		case is("invalid argument for flag"):
			return usagef("%s: %s", flag, reasonOf(option, wrong.Message))
		}
		if at := strings.LastIndex(wrong.Message, "' for option "+quoted); wrong.Type == flags.ErrInvalidChoice && at >= 0 {
			return noSuchValue(option.LongName, strings.TrimPrefix(wrong.Message[:at], "Invalid value `"), option.Choices)
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

// noSuchValue returns the error for an invalid value of a flag.
func noSuchValue(flag, value string, allowed []string) error {
	return usagef("flag -%s: there is no %q%s; all are %s", flag, value, suggestion(value, "", allowed), strings.Join(allowed, ", "))
}
