package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBoard(t *testing.T) {
	on, none, two := true, 0, 2
	for _, c := range []struct {
		board    Board
		line     string
		warnings []string
	}{
		{
			Board{BusID: "0000:1b:00.0", Samples: 9, SMClock: Clock{1980, 1980}, MemoryClock: Clock{3201, 3201}, PowerLimit: 700, ECC: &on, OtherProcesses: &none},
			"GPU 0000:1b:00.0 during the searches: clock 1980 MHz, memory 3201 MHz, power limit 700 W, ECC on, 0 other processes (9 readings)",
			nil,
		},
		{
			Board{BusID: "0000:1c:00.0", Samples: 1},
			"GPU 0000:1c:00.0 during the searches: clock unknown, memory unknown (1 readings)",
			nil,
		},
		{
			Board{BusID: "b", Samples: 2, SMClock: Clock{1200, 1980}, Slowed: []string{"heat", "power limit"}, OtherProcesses: &two},
			"GPU b during the searches: clock 1200 to 1980 MHz, memory unknown, slowed by heat, power limit, 2 other processes (2 readings)",
			[]string{
				"GPU b was slowed down during the searches (heat, power limit; its clock was 1200 to 1980 MHz): cool it, or raise its power limit",
				"2 other processes compute on GPU b: the searches can take longer",
			},
		},
	} {
		if got := BoardLines(&Run{Boards: []Board{c.board}}); !cmp.Equal(got, []string{c.line}) {
			t.Errorf("got %q, want %q", got, c.line)
		}
		if d := cmp.Diff(c.warnings, c.board.Warnings()); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
	}
}
