package run

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/device/nvml"
	"graph500/report"
)

// The readings of a board widen ranges and collect reasons; what is unknown changes nothing.
func TestBoardReadings(t *testing.T) {
	number := func(n int) *int { return &n }
	on := true
	s := sampledBoard{Board: report.Board{BusID: "b"}}
	for _, state := range []nvml.State{
		{SMClock: 1980, MemoryClock: 3201, PowerLimit: 700, ECC: &on, Processes: number(2)},
		{SMClock: 1755, Slowed: []string{"power limit", "heat"}, PowerLimit: 700, ECC: &on, Processes: number(4)},
		{MemoryClock: 2600, Slowed: []string{"heat"}, PowerLimit: 700, ECC: &on, Processes: number(0)},
		{PowerLimit: 700, ECC: &on, Processes: number(3)},
	} {
		s.add(state, 2)
	}
	want := report.Board{
		BusID: "b", Samples: 4, SMClock: report.Clock{Min: 1755, Max: 1980}, MemoryClock: report.Clock{Min: 2600, Max: 3201},
		PowerLimit: 700, ECC: &on, Slowed: []string{"heat", "power limit"}, OtherProcesses: number(2),
	}
	if d := cmp.Diff(want, s.Board); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	s = sampledBoard{}
	s.add(nvml.State{}, 1)
	if d := cmp.Diff(report.Board{Samples: 1}, s.Board); d != "" {
		t.Errorf("nothing known: -want +got\n%s", d)
	}
}

// Boards are read after the warm-up and after each batch of searches, and the run warns once of
// what made them slow.
func TestBoardsOfARun(t *testing.T) {
	for roots, want := range map[string]int{"-roots=4": 1 + 2, "-roots=5": 1 + 3} {
		b, text := newTestBench(t, &fakeEngine{capacity: 2}, "-scale=5", roots)
		board := &sampledBoard{Board: report.Board{BusID: "b"}, state: func() nvml.State { return nvml.State{SMClock: 1000, Slowed: []string{"heat"}} }}
		b.boards = append(b.boards, board)
		if _, err := b.run(t.Context(), b.benchmark); err != nil {
			t.Fatal(err)
		}
		if r := b.Record.Boards; len(r) != 1 || r[0].Samples != want {
			t.Errorf("%s: %+v, want %d readings", roots, r, want)
		}
		if strings.Count(text.String(), "warning: GPU b was slowed down") != 1 || strings.Count(strings.Join(b.Record.Warnings, "\n"), "slowed down") != 1 {
			t.Errorf("%s: %s", roots, text)
		}
	}
}
