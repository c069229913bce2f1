package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
)

// logarithmicFrom is the ratio of the largest to the smallest value from which
// on an axis is logarithmic.
const logarithmicFrom = 20

// axis is a range of values with its ticks.
type axis struct {
	min, max    float64
	logarithmic bool
	ticks       plot.ConstantTicks
}

// newAxis returns an axis for values above 0. It begins at 0, or below the
// smallest value if it is logarithmic.
func newAxis(values []float64) axis {
	if len(values) == 0 {
		values = []float64{1}
	}
	least, most := slices.Min(values), slices.Max(values)
	if most/least >= logarithmicFrom {
		return logarithmicAxis(least, most)
	}
	_, step := neighbours(most / 6)
	steps := math.Ceil(most / step)
	a := axis{max: steps * step}
	for i := range int(steps) + 1 {
		a.ticks = append(a.ticks, tick(float64(i)*step))
	}
	return a
}

// logarithmicAxis returns an axis with labels at powers of ten and, over three
// decades or less, at 2 and 5 times those.
func logarithmicAxis(least, most float64) axis {
	a := axis{logarithmic: true}
	a.min, _ = neighbours(least / 1.2) // room for the smallest
	_, a.max = neighbours(most)
	labelled := []int{1}
	if a.max/a.min <= 1000 {
		labelled = []int{1, 2, 5}
	}
	for exponent := exponentOf(a.min); exponent <= exponentOf(a.max); exponent++ {
		for digit := 1; digit <= 9; digit++ {
			t := tick(decimal(digit, exponent))
			if !slices.Contains(labelled, digit) {
				t.Label = ""
			}
			if t.Value >= a.min && t.Value <= a.max {
				a.ticks = append(a.ticks, t)
			}
		}
	}
	return a
}

// scaleAxis returns an axis for scales, with room on both sides.
func scaleAxis(least, most int) axis {
	const labels = 12
	step := 1
	for most-least > labels*step {
		_, next := neighbours(float64(step + 1))
		step = int(next)
	}
	a := axis{min: float64(least) - 0.5, max: float64(most) + 0.5}
	for scale := (least + step - 1) / step * step; scale <= most; scale += step {
		a.ticks = append(a.ticks, tick(float64(scale)))
	}
	return a
}

func tick(value float64) plot.Tick {
	return plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'g', 6, 64)}
}

// neighbours returns the largest number not above x and the smallest not below
// it of those that are 1, 2 or 5 times a power of ten. x is above 0.
func neighbours(x float64) (below, above float64) {
	above = math.Inf(1)
	for exponent := exponentOf(x) - 1; exponent <= exponentOf(x)+1; exponent++ {
		for _, digit := range []int{1, 2, 5} {
			v := decimal(digit, exponent)
			if v <= x {
				below = v
			} else {
				above = min(above, v)
			}
			if v == x {
				above = v
			}
		}
	}
	return below, above
}

func exponentOf(x float64) int { return int(math.Floor(math.Log10(x))) }

// decimal returns digit times a power of ten, rounded as a literal is.
func decimal(digit, exponent int) float64 {
	v, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", digit, exponent), 64) // out of range: infinite
	return v
}
