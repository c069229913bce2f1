package energy

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// powerLog returns a log with a sample each second from noon on, in a time zone.
func powerLog(zone *time.Location, watts ...float64) string {
	var text strings.Builder
	text.WriteString("time,watts\n")
	for i, w := range watts {
		fmt.Fprintf(&text, "%s,%g\n", noon.Add(time.Duration(i)*time.Second).In(zone).Format(time.RFC3339), w)
	}
	return text.String()
}

// constant returns n samples of the same power.
func constant(n int, watts float64) []float64 {
	samples := make([]float64, n)
	for i := range samples {
		samples[i] = watts
	}
	return samples
}

func TestPowerLog(t *testing.T) {
	ramp := make([]float64, 61) // from 100 to 700 W
	for i := range ramp {
		ramp[i] = 100 + 10*float64(i)
	}
	second := func(s float64) time.Time { return noon.Add(time.Duration(s * 1e9)) }
	var unix strings.Builder
	unix.WriteString("time, W\n")
	for i := range 61 {
		fmt.Fprintf(&unix, "%d.250, %d\n", noon.Unix()+int64(i), 500)
	}
	for _, c := range []struct {
		text       string
		begin, end float64
		joules     float64
	}{
		{powerLog(time.UTC, constant(61, 500)...), 10, 50, 20000},
		{powerLog(time.UTC, constant(61, 500)...), 0, 60, 30000},
		{powerLog(time.UTC, ramp...), 10.25, 50.75, 40.5 * 405},
		{powerLog(time.FixedZone("", -5*3600), ramp...), 20, 30, 3500},
		{strings.ReplaceAll(powerLog(time.UTC, ramp...), "T", " "), 20, 30, 3500},
		{unix.String(), 0.25, 60.25, 30000},
	} {
		l, err := ReadPowerLog(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		a, err := l.Between(second(c.begin), second(c.end))
		if err != nil || a.Part != System || math.Abs(a.Joules-c.joules) > 1e-3 || math.Abs(a.Seconds-(c.end-c.begin)) > 1e-6 {
			t.Errorf("%v..%v: %+v, %v", c.begin, c.end, a, err)
		}
		if d := l.Describe("x.csv"); d.Update != 1 || d.Part != System || d.Name != "x.csv" {
			t.Errorf("%+v", d)
		}
	}
}

func TestBrokenPowerLogs(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "it has 0 samples",
		"time,watts\n":                         "it has 0 samples",
		"time,watts\n1,2\n":                    "it has 1 samples",
		"time,mW\n1,2\n":                       `line 1: "time,mW" is not the header time,watts (the power must be in watts)`,
		"1,2\n3,4\n":                           `line 1: "1,2" is not the header`,
		"\n1,2\n3,4\n":                         `line 2: "1,2" is not the header`,
		"\ufefftime,watts\r\n1,2\r\n":          "it has 1 samples",
		"time,watts\n1,2\n3\n":                 `line 3: "3" is not a time and watts`,
		"time,watts\n1,2\n3,\n":                `line 3: "" is not a power in watts`,
		"time,watts\n1,1_0\n":                  `line 2: "1_0" is not a power in watts`,
		"time,watts\n1_0,1\n":                  `line 2: `,
		"time,watts\n1,NaN\n":                  `line 2: "NaN" is not a power in watts`,
		"time,watts\n1,-4\n":                   `line 2: "-4" is not a power in watts`,
		"time,watts\n1,5 kW\n":                 `line 2: "5 kW" is not a power in watts`,
		"time,watts\n1,2\n1,2\n":               "line 3: its time 1 is not after that of the line before",
		"time,watts\n5,2\n\n4,2\n":             "line 4: its time 4 is not after",
		"time,watts\n1763899200123,2\n":        "line 2: the time 1763899200123 is not in seconds since 1970",
		"time,watts\n2026-11-23 12:00:00,2\n":  "line 2: the time 2026-11-23T12:00:00 has no time zone: write 2026-11-23T12:00:00Z for UTC",
		"time,watts\n23.11.2026 12:00,2\n":     `line 2: "23.11.2026 12:00" is no time`,
		"time,watts\n\"2026-11-23T12:00:00Z,2": "parse error on line 2",
	} {
		if _, err := ReadPowerLog(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
}

func TestPowerLogDoesNotFit(t *testing.T) {
	const covers = "it goes from 2026-11-23T12:00:00.000Z to 2026-11-23T12:01:00.000Z and does not cover the searches, from "
	minute := powerLog(time.UTC, constant(61, 500)...)
	lines := strings.SplitAfter(minute, "\n")
	for _, c := range []struct {
		name, text string
		begin, end time.Duration
		want       string
	}{
		{"starts late", minute, -time.Second, 10 * time.Second, covers + "2026-11-23T11:59:59.000Z to 2026-11-23T12:00:10.000Z"},
		{"ends early", minute, 50 * time.Second, 61 * time.Second, covers},
		{"another day", minute, 48 * time.Hour, 48*time.Hour + 10*time.Second, covers},
		{"gap", strings.Join(append(lines[:20:20], lines[26:]...), ""), 0, time.Minute,
			"it has no sample for 7s after 2026-11-23T12:00:18.000Z, and in the 1m0s of the searches at most 5s may be between two"},
		{"few samples", minute, 10 * time.Second, 15 * time.Second,
			"it has no sample for 1s after 2026-11-23T12:00:09.000Z, and in the 5s of the searches at most 500ms may be between two"},
		{"kilowatts", powerLog(time.UTC, constant(61, 0.5)...), 0, time.Minute, "its mean power during the searches is 0.5 W, less than any host takes: is it in kilowatts?"},
		{"milliwatts", powerLog(time.UTC, constant(61, 500e3)...), 0, time.Minute, "its mean power during the searches is 5e+05 W, more than any host takes: is it in milliwatts?"},
	} {
		l, err := ReadPowerLog(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Between(noon.Add(c.begin), noon.Add(c.end))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "time zone") {
			t.Errorf("%s: %v, not %s", c.name, err, c.want)
		}
	}
	l, err := ReadPowerLog(strings.NewReader(minute))
	if err != nil {
		t.Fatal(err)
	}
	for _, hours := range []time.Duration{2, -5} {
		_, err := l.Between(noon.Add(hours*time.Hour), noon.Add(hours*time.Hour+30*time.Second))
		if want := fmt.Sprintf("; with its times %v later it would: is its time zone right?", hours*time.Hour); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}
