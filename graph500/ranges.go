package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jessevdk/go-flags"

	"graph500/engine"
	"graph500/partition"
)

// ranges holds the valid values of each numeric flag, for the check and for the
// help. -root is not here, because its range depends on the graph.
var ranges = []struct {
	flag   string
	values valueRange
}{
	{"scale", eachScale{scaleRange}},
	{"edgefactor", interval[int]{1, 1 << 20}}, // no overflow with the largest scale
	{"label-bits", oneOf{32, engine.WideBits}},
	{"seed1", interval[uint64]{0, math.MaxUint64}},
	{"seed2", interval[uint64]{0, math.MaxUint64}},
	{"device", interval[int]{0, 1023}},
	{"gpus", orAll{interval[gpuCount]{1, 16}}}, // 16: device.MostTogether
	{"gpu-memory", interval[size]{1 << 20, 1 << 50}},
	{"threads", interval[int]{0, 4096}},
	{"delta", interval[decimal]{1e-45, 3.4e38}}, // finite and above 0 as a number of single precision
	{"roots", interval[int]{1, 1 << 20}},
	{"timeout", interval[duration]{duration(time.Millisecond), duration(30 * 24 * time.Hour)}},
	{"repeat-for", interval[duration]{duration(time.Millisecond), duration(7 * 24 * time.Hour)}},
	{"margin", interval[decimal]{0, 100}},       // of graph500 compare
	{"limit", interval[decimal]{0.001, 604800}}, // of graph500 strategies; at most a week
	{"keep", interval[decimal]{0, 1}},           // this and the following: of graph500 edges
	{"seed", interval[uint64]{0, math.MaxUint64}},
	{"parts", interval[int]{1, partition.MostParts}}, // this and the following: of graph500 partition
	{"rounds", interval[int]{1, 1 << 20}},
	{"threshold", interval[uint64]{0, math.MaxUint32}},
	{"row-weight", interval[uint64]{0, 1000}},
	{"arc-weight", interval[uint64]{0, 1000}},
	{"nodes", powerOfTwo{1, 1 << 16}}, // this and the following: of graph500 model
	{"gpus-per-node", interval[int]{1, 64}},
	{"peer", interval[decimal]{0.001, 1e6}},
	{"network", interval[decimal]{0.001, 1e6}},
	{"latency", interval[decimal]{0, 1e6}},
}

// A valueRange is a range of values of one type. String returns its form in messages
// and help.
type valueRange interface {
	contains(value any) bool
	fmt.Stringer
}

// interval holds the values from min to max, inclusive.
type interval[T cmp.Ordered] struct{ min, max T }

func (i interval[T]) contains(value any) bool {
	v := value.(T)
	return i.min <= v && v <= i.max
}

func (i interval[T]) String() string { return fmt.Sprintf("%v..%v", i.min, i.max) }

// oneOf holds two values.
type oneOf [2]int

func (o oneOf) contains(value any) bool { return slices.Contains(o[:], value.(int)) }

func (o oneOf) String() string { return fmt.Sprintf("%d or %d", o[0], o[1]) }

// powerOfTwo holds the powers of two from min to max, inclusive.
type powerOfTwo struct{ min, max int }

func (p powerOfTwo) contains(value any) bool {
	v := value.(int)
	return p.min <= v && v <= p.max && v&(v-1) == 0
}

func (p powerOfTwo) String() string {
	return fmt.Sprintf("%d, %d, %d .. %d", p.min, 2*p.min, 4*p.min, p.max)
}

// checkRanges returns an error for the first flag given to p whose value is out of
// range.
func checkRanges(p *flags.Parser) error {
	for _, r := range ranges {
		option := p.FindOptionByLongName(r.flag)
		if option != nil && isGiven(p, r.flag) && !r.values.contains(option.Value()) {
			return usagef("flag -%s: %v is not in %s", r.flag, option.Value(), r.values)
		}
	}
	return nil
}

// describeRanges adds the ranges to the descriptions of the flags of p.
func describeRanges(p *flags.Parser) {
	for _, r := range ranges {
		if option := p.FindOptionByLongName(r.flag); option != nil {
			option.Description += "; " + r.values.String()
		}
	}
}
