package commandline

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"graph500/engine"
)

// Scales is the value of -scale: one scale, or the rising scales of a sweep.
type Scales []int

// AnyScale returns the range of the scales that a run can have.
func AnyScale() Range { return eachScale{interval[int]{1, engine.MaxScale}} }

// UnmarshalFlag parses the value of the flag: parts separated by commas, each a scale or
// FIRST:LAST or FIRST:LAST:STEP. The range is checked with those of the other flags.
func (s *Scales) UnmarshalFlag(value string) error {
	*s = nil
	for part := range strings.SplitSeq(value, ",") {
		more, err := parseScales(part)
		if err != nil {
			return err
		}
		*s = append(*s, more...)
	}
	for i, scale := range (*s)[1:] {
		switch before := (*s)[i]; {
		case scale == before:
			return fmt.Errorf("%s has the scale %d twice", value, scale)
		case scale < before:
			return fmt.Errorf("%s goes down from %d to %d: give rising scales", value, before, scale)
		}
	}
	return nil
}

// parseScales parses a part of the value of -scale. If the first or the last scale is out
// of range, it returns these two alone.
func parseScales(part string) (Scales, error) {
	texts := strings.Split(part, ":")
	if len(texts) > 3 {
		return nil, fmt.Errorf("%q is not FIRST:LAST:STEP", part)
	}
	var numbers []int
	for _, text := range texts {
		n, err := strconv.Atoi(text)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return nil, fmt.Errorf("%q is out of range", text)
		case err != nil:
			return nil, fmt.Errorf("%q is not a whole number", text)
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 1 {
		return numbers, nil
	}
	first, last, step := numbers[0], numbers[1], 1
	if len(numbers) == 3 {
		step = numbers[2]
	}
	switch {
	case step < 1:
		return nil, fmt.Errorf("%s has the step %d, which is not above 0", part, step)
	case !AnyScale().contains(Scales{first, last}):
		return Scales{first, last}, nil
	case last < first:
		return nil, fmt.Errorf("%s goes down from %d to %d: give rising scales", part, first, last)
	}
	var list Scales
	for scale := first; scale <= last; scale += min(step, engine.MaxScale) {
		list = append(list, scale)
	}
	return list, nil
}

func (s Scales) String() string {
	texts := make([]string, len(s))
	for i, scale := range s {
		texts[i] = strconv.Itoa(scale)
	}
	return strings.Join(texts, ",")
}

// eachScale is the range of the values of -scale.
type eachScale struct{ interval[int] }

func (e eachScale) contains(value any) bool {
	return !slices.ContainsFunc(value.(Scales), func(scale int) bool { return !e.interval.contains(scale) })
}

// IsSweep reports whether the run has several scales.
func (o *Options) IsSweep() bool { return len(o.Scales) > 1 }

// checkSweep returns an error if a flag does not go with several scales.
func (o *Options) checkSweep(p *Parser) error {
	if !o.IsSweep() {
		return nil
	}
	for _, flag := range []string{"read-edges", "write-edges", "write-parents", "check-parents"} {
		if p.Given(flag) {
			return Usagef("flags -scale=%s and -%s contradict each other: the files are those of one graph", o.Scales, flag)
		}
	}
	return nil
}

// AtScale returns the options of the run of a sweep at a scale.
func (o *Options) AtScale(scale int) *Options {
	one := *o
	one.Scale, one.Scales = scale, Scales{scale}
	if o.Out != "" {
		one.Out = filepath.Join(o.Out, fmt.Sprintf("scale-%02d", scale))
	}
	return &one
}
