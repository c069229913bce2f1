package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
)

// logAxisRatio is the minimum ratio of the largest to the smallest value for a
// logarithmic axis.
const logAxisRatio = 20

// axis is a range of values with its ticks.
type axis struct {
	min, max    float64
	logarithmic bool
	ticks       plot.ConstantTicks
}

// newAxis returns an axis for values above 0. A linear axis begins at 0, a logarithmic
// axis below the smallest value.
func newAxis(values []float64) axis {
	if len(values) == 0 {
		values = []float64{1}
	}
	smallest, largest := slices.Min(values), slices.Max(values)
	if largest/smallest >= logAxisRatio {
		return logarithmicAxis(smallest, largest)
	}
	_, step := roundBounds(largest / 6)
	steps := math.Ceil(largest / step)
	a := axis{max: steps * step}
	for i := range int(steps) + 1 {
		a.ticks = append(a.ticks, tick(float64(i)*step))
	}
	return a
}

// logarithmicAxis returns an axis with labels at powers of ten. If it has at most three
// decades, it also has labels at 2 and 5 times a power of ten.
func logarithmicAxis(smallest, largest float64) axis {
	a := axis{logarithmic: true}
	a.min, _ = roundBounds(smallest / 1.2) // so that the smallest value is not on the edge
	_, a.max = roundBounds(largest)
	labelDigits := []int{1}
	if a.max/a.min <= 1000 {
		labelDigits = []int{1, 2, 5}
	}
	for exponent := exponentOf(a.min); exponent <= exponentOf(a.max); exponent++ {
		for digit := 1; digit <= 9; digit++ {
			t := tick(inDecimal(digit, exponent))
			if !slices.Contains(labelDigits, digit) {
				t.Label = ""
			}
			if t.Value >= a.min && t.Value <= a.max {
				a.ticks = append(a.ticks, t)
			}
		}
	}
	return a
}

// scaleAxis returns an axis for scales with a margin of half a scale on both sides.
func scaleAxis(smallest, largest int) axis {
	const maxLabels = 12
	step := 1
	for largest-smallest > maxLabels*step {
		_, next := roundBounds(float64(step + 1))
		step = int(next)
	}
	a := axis{min: float64(smallest) - 0.5, max: float64(largest) + 0.5}
	for scale := (smallest + step - 1) / step * step; scale <= largest; scale += step {
		a.ticks = append(a.ticks, tick(float64(scale)))
	}
	return a
}

func tick(value float64) plot.Tick {
	return plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'g', 6, 64)}
}

// roundBounds returns the largest number <= x and the smallest number >= x among 1, 2
// and 5 times the powers of ten. x is above 0.
func roundBounds(x float64) (below, above float64) {
	above = math.Inf(1)
	for exponent := exponentOf(x) - 1; exponent <= exponentOf(x)+1; exponent++ {
		for _, digit := range []int{1, 2, 5} {
			v := inDecimal(digit, exponent)
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

// inDecimal returns digit * 10^exponent, rounded as a literal.
func inDecimal(digit, exponent int) float64 {
	v, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", digit, exponent), 64) // infinite if out of range
	return v
}
