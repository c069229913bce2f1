package commandline

import (
	"cmp"
	"fmt"
	"slices"
)

// A Range is a range of values of one type. String returns its form in messages
// and help.
type Range interface {
	contains(value any) bool
	fmt.Stringer
}

// Between returns the range of the values from min to max, inclusive.
func Between[T cmp.Ordered](min, max T) Range { return interval[T]{min, max} }

// PowersOfTwo returns the range of the powers of two from min to max, inclusive.
func PowersOfTwo(min, max int) Range { return powerOfTwo{min, max} }

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
