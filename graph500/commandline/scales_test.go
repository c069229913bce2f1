package commandline

import (
	"testing"

	"graph500/graph500/testinput"
)

func TestScales(t *testing.T) {
	for value, want := range map[string]string{
		"20": "20", "20,22,24": "20,22,24", "20:28:2": "20,22,24,26,28", "20:23": "20,21,22,23", "20:25:3": "20,23", "20:25:99": "20",
		"20:20": "20", "6,8:10,12:16:4,31": "6,8,9,10,12,16,31", "1:31:9223372036854775807": "1",
	} {
		o, err := ParseFlags(testinput.CommandLine([]string{"-scale=" + value}), testinput.Environment(), testinput.Strategies())
		if err != nil {
			t.Errorf("%s: %v", value, err)
		} else if o.Scales.String() != want || o.Scale != o.Scales[0] {
			t.Errorf("%s: %s, first %d", value, o.Scales, o.Scale)
		}
	}
}
