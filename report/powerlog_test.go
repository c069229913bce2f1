package report_test

import (
	"strings"
	"testing"
	"time"

	"graph500/energy"
	"graph500/engine"
	"graph500/graph500/testinput"
	"graph500/report"
)

// A clock that was set during the searches would give the energy of another time.
func TestPowerLogAfterAStepOfTheClock(t *testing.T) {
	begin := time.Now().UTC()
	for step, want := range map[time.Duration]string{
		0: "", 15 * time.Millisecond: "", -15 * time.Millisecond: "",
		time.Second:      "the repeated searches took 10 s, but 11 s by the clock of the host, which was set meanwhile",
		-2 * time.Second: "the repeated searches took 10 s, but 8 s by the clock of the host",
	} {
		repetition := &report.Repetition{Begin: begin, End: begin.Add(10*time.Second + step), Seconds: 10, Searches: 5, Edges: 100}
		run := &report.Run{Kernels: []report.KernelRun{{Kernel: engine.BFS, Repetition: repetition}}}
		log, err := energy.ReadPowerLog(strings.NewReader(testinput.PowerLogOf(run, 300)))
		if err != nil {
			t.Fatal(err)
		}
		if err := run.JoinPowerLog(log, "log.csv"); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), "bfs: "+want)) {
			t.Errorf("%v: %v", step, err)
		}
	}
}

// The whole cannot take less than its parts.
func TestPowerLogOfAnotherMachine(t *testing.T) {
	now := time.Now().UTC()
	k := report.KernelRun{
		Kernel:     engine.BFS,
		Repetition: &report.Repetition{Begin: now, End: now.Add(10 * time.Second), Seconds: 10, Searches: 5, Edges: 100},
		Energy: []report.Energy{
			{Amount: energy.Amount{Part: energy.Boards, Joules: 5000, Seconds: 10}}, {Amount: energy.Amount{Part: energy.Packages, Joules: 1000, Seconds: 10}},
		},
	}
	run := &report.Run{Kernels: []report.KernelRun{k}}
	for watts, want := range map[float64]string{599: "by the log the whole system took 599 W, but the counters of its parts alone 600 W", 601: ""} {
		log, err := energy.ReadPowerLog(strings.NewReader(testinput.PowerLogOf(run, watts)))
		if err != nil {
			t.Fatal(err)
		}
		kernel := k
		kernel.Energy = append([]report.Energy(nil), k.Energy...)
		joined := &report.Run{Kernels: []report.KernelRun{kernel}}
		err = joined.JoinPowerLog(log, "log.csv")
		kernel = joined.Kernels[0]
		if want == "" && (err != nil || len(kernel.Energy) != 3) || want != "" && (err == nil || !strings.HasPrefix(err.Error(), "bfs: "+want)) {
			t.Errorf("%g W: %v, %+v", watts, err, kernel.Energy)
		}
	}
}
