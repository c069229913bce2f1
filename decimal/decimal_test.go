package decimal

import (
	"math"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "-0.5": -0.5, ".25": 0.25, "1e3": 1000, "+2": 2, "1E-2": 0.01, "Inf": math.Inf(1)} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, not %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", " 1", "1_0", "0x1p4", "0X1P4", "1,5", "x", "1e400", "1.2.3"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
