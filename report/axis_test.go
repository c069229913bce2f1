package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// labels joins the labels of the ticks.
func (a axis) labels() string {
	var list []string
	for _, tick := range a.ticks {
		if tick.Label != "" {
			list = append(list, tick.Label)
		}
	}
	return strings.Join(list, " ")
}

func TestAxes(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{nil, "0 0.2 0.4 0.6 0.8 1"},
		{[]float64{387, 815, 1177, 1690, 1566}, "0 500 1000 1500 2000"},
		{[]float64{6.84, 6.78, 5.19, 1.16}, "0 2 4 6 8"},
		{[]float64{0.3}, "0 0.05 0.1 0.15 0.2 0.25 0.3"},
		{[]float64{37.4, 108, 203, 3780}, "20 50 100 200 500 1000 2000 5000"},
		{[]float64{0.79, 984}, "1 10 100 1000"},
		{[]float64{2e-9, 1e3}, "1e-09 1e-08 1e-07 1e-06 1e-05 0.0001 0.001 0.01 0.1 1 10 100 1000"},
	} {
		if got := newAxis(c.values).labels(); got != c.want {
			t.Errorf("%v: %s, not %s", c.values, got, c.want)
		}
	}
	for _, c := range []struct {
		least, most int
		want        string
	}{
		{24, 24, "24"}, {20, 28, "20 21 22 23 24 25 26 27 28"}, {15, 29, "16 18 20 22 24 26 28"}, {1, 63, "10 20 30 40 50 60"},
	} {
		if got := scaleAxis(c.least, c.most).labels(); got != c.want {
			t.Errorf("%d to %d: %s, not %s", c.least, c.most, got, c.want)
		}
	}
}

// All values are on the axis. It has few labels: 1, 2 and 5 times powers of ten, or
// multiples of one such number.
func TestAxesOfAnyValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Custom(func(t *rapid.T) float64 {
			return math.Pow(10, rapid.Float64Range(math.Log10(minGTEPS), math.Log10(maxGTEPS)).Draw(t, "exponent"))
		})
		values := rapid.SliceOfN(value, 1, 5).Draw(t, "values")
		a := newAxis(values)
		if a.min > slices.Min(values) || a.max < slices.Max(values) || a.logarithmic && a.min <= 0 {
			t.Fatalf("%v on an axis from %g to %g", values, a.min, a.max)
		}
		n := len(strings.Fields(a.labels()))
		if n < 2 || n > 27 {
			t.Fatalf("%v: %d labels", values, n)
		}
		for i, tick := range a.ticks {
			if tick.Value < a.min || tick.Value > a.max*(1+1e-9) || i > 0 && tick.Value <= a.ticks[i-1].Value {
				t.Fatalf("ticks %v from %g to %g", a.ticks, a.min, a.max)
			}
			step := tick.Value
			if !a.logarithmic {
				step = a.ticks[1].Value
			}
			if below, above := roundBounds(max(step, 1e-300)); tick.Label != "" && step > 0 && !near(below, step, 0) && !near(above, step, 0) {
				t.Fatalf("%v: a label %s, a step of %g", values, tick.Label, step)
			}
		}
	})
}
