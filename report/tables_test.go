package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"graph500/energy"
	"graph500/engine"
)

func TestPhases(t *testing.T) {
	r := &Run{Setup: Setup{Phases: []Phase{
		{Name: "generation", Seconds: 1, Tuples: 16777216},
		{Name: "construction", Seconds: 0.5, Tuples: 16777216},
		{Name: "searches", Seconds: 6.5},
		{Name: "nothing", Tuples: 5},
	}}}
	want := `  phase         seconds    share  Mtuples/s
  generation      1.000   12.5 %       16.8
  construction    0.500    6.2 %       33.6
  searches        6.500   81.2 %          -
  nothing         0.000    0.0 %          -
  total           8.000  100.0 %          -
`
	wantText(t, want, func(w io.Writer) error { return Phases(w, r) })
}

// Each measured part has a column; a phase without its energy has a dash.
func TestPhasesWithEnergy(t *testing.T) {
	r := &Run{
		EnergyCounters: []energy.Description{{Part: energy.Boards}, {Part: energy.Packages, Name: "package-0"}, {Part: energy.Packages, Name: "package-1"}},
		Setup: Setup{Phases: []Phase{
			{Name: "generation", Seconds: 1, Energy: []energy.Amount{{Part: energy.Packages, Joules: 99.96}}},
			{Name: "searches", Seconds: 3, Energy: []energy.Amount{{Part: energy.Boards, Joules: 2100}, {Part: energy.Packages, Joules: 300}}},
		}},
	}
	want := `  phase       seconds    share  Mtuples/s  J, GPU boards only  J, packages only
  generation    1.000   25.0 %          -                   -             100.0
  searches      3.000   75.0 %          -              2100.0             300.0
  total         4.000  100.0 %          -                   -                 -
`
	wantText(t, want, func(w io.Writer) error { return Phases(w, r) })
}

func TestPhasesWithoutTime(t *testing.T) {
	var got bytes.Buffer
	if err := Phases(&got, &Run{Setup: Setup{Phases: []Phase{{Name: "a"}}}}); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(got.Bytes(), []byte("NaN")) {
		t.Error(got.String())
	}
}

func TestLevels(t *testing.T) {
	want := `BFS from root 3: 0.500000 s, 8e-08 GTEPS, 12 vertices, nedge 40
  level  direction  frontier  found  examined         µs
      0  top-down          1      7         8     1500.0
      1  bottom-up         7      4        13  2000000.0
  total                          11        21  2001500.0
`
	wantText(t, want, func(w io.Writer) error { return Levels(w, engine.BFS, plainSearch(), nil) })
}

// plainSearch is a search of an engine without steps, bytes, host memory and a device.
func plainSearch() Search {
	s := fullRun().Kernels[0].Searches[0]
	s.DeviceSeconds = 0
	withoutHost(&s)
	for i := range s.Levels {
		s.Levels[i].Step, s.Levels[i].Bytes = "", 0
	}
	return s
}

// Rounds have no direction.
func TestRounds(t *testing.T) {
	want := `SSSP from root 3: 2.000000 s, 2e-08 GTEPS, 12 vertices, nedge 40
  round  step  frontier  found  examined         µs
      0  push         1      8        11   500000.0
      1  pull         0      4         8  1000000.0
  total                     12        19  1500000.0
`
	wantText(t, want, func(w io.Writer) error { return Levels(w, engine.SSSP, fullRun().Kernels[1].Searches[0], nil) })
}

func TestLevelsOnADevice(t *testing.T) {
	want := `BFS from root 3: 0.500000 s (0.375000 s by the device's clock), 8e-08 GTEPS, 12 vertices, nedge 40
  level  direction  step   frontier  found  examined         µs       MB  GB/s  of copy rate  host MB  requests
      0  top-down   queue         1      7         8     1500.0     0.00     0         0.0 %     0.00         0
      1  bottom-up  dense         7      4        13  2000000.0  6000.00     3        75.0 %     0.00         2
  total                                 11        21  2001500.0  6000.00     3        74.9 %     0.00         2
`
	r := fullRun()
	wantText(t, want, func(w io.Writer) error { return Levels(w, engine.BFS, r.Kernels[0].Searches[0], r.Device) })
	var got bytes.Buffer
	if err := Levels(&got, engine.BFS, r.Kernels[0].Searches[0], new(Device)); err != nil || !strings.Contains(got.String(), "    -  ") {
		t.Errorf("%v, %s", err, &got)
	}
}

func TestDevice(t *testing.T) {
	want := "device: Some GPU, compute capability 9.0, 132 multiprocessors, up to 1980 MHz (memory 3201 MHz), 128.0 GiB, PCI 0000:9b:00.0, driver for CUDA 13.0; a copy moves 4 GB/s\n"
	wantText(t, want, func(w io.Writer) error { return DeviceLine(w, fullRun().Device) })
	var got bytes.Buffer
	if err := DeviceLine(&got, nil); err != nil || got.Len() > 0 {
		t.Errorf("%v, %q", err, &got)
	}
}

func TestLevelsOfADeepSearch(t *testing.T) {
	var s Search
	s.Levels, s.LevelCount = plainSearch().Levels, 1000000
	want := `BFS from root 0: 0.000000 s, 0 GTEPS, 0 vertices, nedge 0
             level  direction  frontier  found  examined         µs
                 0  top-down          1      7         8     1500.0
                 1  bottom-up         7      4        13  2000000.0
  these of 1000000                          11        21  2001500.0
`
	wantText(t, want, func(w io.Writer) error { return Levels(w, engine.BFS, s, nil) })
}

func TestHeadline(t *testing.T) {
	want := "BFS: 5.333e-08 GTEPS harmonic mean (searches 2, keys in smaller components 50 %, min 4e-08, max 8e-08); SSSP: 1.333e-08 GTEPS harmonic mean (searches 2, keys in smaller components 50 %, min 1e-08, max 2e-08); 25.0 % of the vertices isolated; 32-bit labels; peak memory 117.7 MiB\n"
	wantText(t, want, func(w io.Writer) error { return Headline(w, fullRun()) })
	var got bytes.Buffer
	if err := Headline(&got, &Run{}); err == nil {
		t.Error("no error for a run without searches")
	}
}
