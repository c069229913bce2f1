package main

import (
	"cmp"
	"fmt"
	"math"

	"github.com/jessevdk/go-flags"

	"graph500/engine"
)

// ranges holds the values that each numeric flag takes, for the check and for
// the help. -root is not here: the graph says which vertices there are.
var ranges = []struct {
	flag   string
	values valueRange
}{
	{"scale", interval[int]{1, engine.MaxScale}},
	{"edgefactor", interval[int]{1, 1 << 20}}, // with the largest scale still far from overflow
	{"seed1", interval[uint64]{0, math.MaxUint64}},
	{"seed2", interval[uint64]{0, math.MaxUint64}},
	{"device", interval[int]{0, 1023}},
	{"gpu-memory", interval[size]{1 << 20, 1 << 50}},
	{"threads", interval[int]{0, 4096}},
	{"roots", interval[int]{1, 1 << 20}},
	{"limit", interval[float64]{0.001, 604800}}, // of graph500 strategies; a week
}

// A valueRange is a set of values of one type. It prints itself as messages and
// help show it.
type valueRange interface {
	contains(value any) bool
	fmt.Stringer
}

// interval holds the values from least to most, with both.
type interval[T cmp.Ordered] struct{ least, most T }

func (i interval[T]) contains(value any) bool {
	v := value.(T)
	return i.least <= v && v <= i.most
}

func (i interval[T]) String() string { return fmt.Sprintf("%v..%v", i.least, i.most) }

// checkRanges returns an error for the first given flag of p whose value is out of
// its range.
func checkRanges(p *flags.Parser) error {
	for _, r := range ranges {
		option := p.FindOptionByLongName(r.flag)
		if option != nil && isGiven(p, r.flag) && !r.values.contains(option.Value()) {
			return usagef("flag -%s: %v is not in %s", r.flag, option.Value(), r.values)
		}
	}
	return nil
}

// describeRanges adds the ranges to what the help says of the flags of p.
func describeRanges(p *flags.Parser) {
	for _, r := range ranges {
		if option := p.FindOptionByLongName(r.flag); option != nil {
			option.Description += "; " + r.values.String()
		}
	}
}
