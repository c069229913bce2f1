package energy

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// stepping returns a counter of a device that takes that many watts. It changes once
// every update and starts again at 0 after limit microjoules, if limit is not 0.
func stepping(part Part, name string, watts float64, update time.Duration, limit uint64) Counter {
	start := time.Now()
	first := limit - min(limit, 1000) // soon before the end of its range
	return Counter{Part: part, Name: name, Range: limit, Read: func() (uint64, error) {
		steps := uint64(time.Since(start) / update)
		value := first + uint64(float64(steps)*watts*update.Seconds()*1e6)
		if limit > 0 {
			value %= limit
		}
		return value, nil
	}}
}

func near(got, want, share float64) bool { return math.Abs(got-want) <= share*want }

// measure returns what the meter measures in intervals with pauses between them.
func measure(m *Meter, intervals int, interval, pause time.Duration) ([]Amount, []string) {
	var s Span
	for range intervals {
		from := m.Read()
		time.Sleep(interval)
		s.Add(from, m.Read())
		time.Sleep(pause)
	}
	return m.Amounts(s)
}

func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Start([]Counter{
			stepping(Packages, "package-0", 200, time.Millisecond, 262144e6),
			stepping(Packages, "package-1", 100, time.Millisecond, 0),
			stepping(Boards, "GPU", 700, 100*time.Millisecond, 0),
		})
		defer m.Close()
		amounts, reasons := measure(m, 3, 10*time.Second, time.Second)
		if len(amounts) != 2 || len(reasons) > 0 {
			t.Fatalf("%v %q", amounts, reasons)
		}
		if a := amounts[0]; a.Part != Boards || !near(a.Joules, 21000, 0.01) || a.Seconds != 30 || !near(a.Watts(), 700, 0.01) {
			t.Errorf("%+v", a)
		}
		if a := amounts[1]; a.Part != Packages || !near(a.Joules, 9000, 0.001) {
			t.Errorf("%+v", a)
		}
		d := m.Descriptions()
		if len(d) != 3 || d[1].Name != "package-1" || d[2].Part != Boards || !near(d[2].Update, 0.1, 0.01) || !near(d[0].Update, 1e-3, 0.21) {
			t.Errorf("%+v", d)
		}
	})
}

// A counter that starts again at 0 many times within one interval is seen each time.
func TestWrapAround(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Start([]Counter{stepping(Packages, "package-0", 280, time.Millisecond, 65536e6)})
		defer m.Close()
		amounts, _ := measure(m, 1, time.Hour, 0)
		if len(amounts) != 1 || !near(amounts[0].Joules, 280*3600, 1e-4) {
			t.Errorf("%v", amounts)
		}
	})
}

func TestShortIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Start([]Counter{stepping(Boards, "GPU", 700, 100*time.Millisecond, 0), stepping(Packages, "package-0", 100, time.Millisecond, 0)})
		defer m.Close()
		amounts, reasons := measure(m, 8, 15*time.Millisecond, time.Second)
		const want = "GPU boards only: no figure: the counter (GPU) changes every 0.1 s, and a figure needs 10 changes within an interval of 0.015 s"
		if len(amounts) != 1 || amounts[0].Part != Packages || len(reasons) != 1 || reasons[0] != want {
			t.Errorf("%v %q", amounts, reasons)
		}
		slow := Start([]Counter{stepping(Boards, "GPU", 700, 800*time.Millisecond, 0)})
		defer slow.Close()
		if d := slow.Descriptions(); len(d) != 1 || !near(d[0].Update, 0.8, 0.01) {
			t.Errorf("a slow counter: %+v", d)
		}
		if amounts, reasons = measure(m, 1, 1005*time.Millisecond, 0); len(amounts) != 2 || len(reasons) > 0 {
			t.Errorf("%v %q", amounts, reasons)
		}
	})
}

// A part has no figure if one of its counters does not count, and says so once.
func TestBrokenCounters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fault error
		good := stepping(Packages, "package-0", 100, time.Millisecond, 0)
		broken := good
		broken.Name, broken.Read = "package-1", func() (uint64, error) {
			if fault != nil {
				return 0, fault
			}
			return good.Read()
		}
		still := Counter{Part: Boards, Name: "GPU", Read: func() (uint64, error) { return 5, nil }}
		m := Start([]Counter{good, broken, still})
		defer m.Close()
		if p := m.TakeProblems(); len(p) != 1 || p[0] != "GPU boards only: no figure: GPU: it did not change twice in 2s" {
			t.Errorf("%q", p)
		}
		if amounts, _ := measure(m, 1, time.Second, 0); len(amounts) != 1 || amounts[0].Part != Packages {
			t.Errorf("%v", amounts)
		}
		fault = errors.New("gone")
		if amounts, reasons := measure(m, 3, 10*time.Second, 0); len(amounts) > 0 || len(reasons) > 0 {
			t.Errorf("%v %q", amounts, reasons)
		}
		if p := m.TakeProblems(); len(p) != 1 || p[0] != "packages only: no figure: package-1: gone" {
			t.Errorf("%q", p)
		}
		if d := m.Descriptions(); len(d) != 1 || d[0].Name != "package-0" {
			t.Errorf("%+v", d)
		}
	})
}

// Only a counter with a range may go back.
func TestCounterGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rising := stepping(Boards, "GPU", 100, time.Millisecond, 0)
		reset := false
		c := rising
		c.Read = func() (uint64, error) {
			if reset {
				return 0, nil
			}
			return rising.Read()
		}
		m := Start([]Counter{c})
		defer m.Close()
		reset = true
		m.Read()
		if p := m.TakeProblems(); len(p) != 1 || !strings.HasPrefix(p[0], "GPU boards only: no figure: GPU: it went back from ") {
			t.Errorf("%q", p)
		}
	})
}

func TestNoMeter(t *testing.T) {
	var m *Meter
	var s Span
	s.Add(m.Read(), m.Read())
	amounts, reasons := m.Amounts(s)
	if len(amounts) > 0 || len(reasons) > 0 || len(m.TakeProblems()) > 0 || len(m.Descriptions()) > 0 {
		t.Error(amounts, reasons)
	}
	m.Close()
}
