package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"graph500/energy"
	"graph500/report"
)

// powerLogOf returns a log of a constant power with a hundred samples around the
// repetition of each kernel of a run.
func powerLogOf(run *report.Run, watts float64) string {
	var text strings.Builder
	text.WriteString("time,watts\n")
	first, last := run.Kernels[0].Repetition, run.Kernels[len(run.Kernels)-1].Repetition
	spacing := first.End.Sub(first.Begin) / 50
	for at := first.Begin.Add(-time.Second); at.Before(last.End.Add(time.Second)); at = at.Add(spacing) {
		fmt.Fprintf(&text, "%s,%g\n", at.UTC().Format(time.RFC3339Nano), watts)
	}
	return text.String()
}

// The log of a meter gives the energy of the whole system, which is written into the
// result. Nothing else of the result changes.
func TestPowerLogIsJoined(t *testing.T) {
	dir := t.TempDir()
	succeed(t, dir, "-scale=8", "-roots=3", "-kernel=both", "-repeat-for=200ms", "-out=run")
	before, err := readResult(filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "power.csv", powerLogOf(before, 250))
	for range 2 { // the second log replaces the first
		r := succeed(t, dir, "energy", "-out=run", "run", "power.csv")
		lines := strings.Split(r.stdout, "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[0], "BFS, whole system: 250 W, ") || !strings.HasPrefix(lines[1], "SSSP, whole system: 250 W, ") {
			t.Error(r.stdout)
		}
	}
	after, err := readResult(filepath.Join(dir, "run", "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range after.Kernels {
		k := &after.Kernels[i]
		if len(k.Energy) != 1 || k.Energy[0].Part != energy.System || k.Energy[0].Searches != k.Repetition.Searches || k.Energy[0].Edges != k.Repetition.Edges ||
			math.Abs(k.Energy[0].Joules/k.Repetition.Seconds/250-1) > 1e-3 {
			t.Errorf("%+v %+v", k.Energy, k.Repetition)
		}
		k.Energy = before.Kernels[i].Energy
	}
	if c := after.EnergyCounters; len(c) != 1 || c[0].Part != energy.System || c[0].Name != "power.csv" {
		t.Errorf("%+v", c)
	}
	after.EnergyCounters = before.EnergyCounters
	if d := cmp.Diff(before, after); d != "" {
		t.Error(d)
	}

	write(t, dir, "later.csv", strings.ReplaceAll(powerLogOf(before, 250), "Z,", "+01:00,"))
	write(t, dir, "short.csv", "time,watts\n1,2\n3,4\n")
	write(t, dir, "empty.csv", "")
	succeed(t, dir, "-scale=8", "-roots=3", "-out=once")
	for args, want := range map[string]string{
		"run later.csv":  "; with its times 1h0m0s later it would: is its time zone right?",
		"run short.csv":  "run and short.csv: bfs: it goes from 1970-01-01T00:00:01.000Z to 1970-01-01T00:00:03.000Z and does not cover the searches, from ",
		"run empty.csv":  "empty.csv: it has 0 samples",
		"once power.csv": "once and power.csv: bfs: the searches were not repeated, so there is no time to find in a log: run with -repeat-for",
		"run /dev/zero":  "/dev/zero: it has more than 256 MiB: name a result or a log",
		"power.csv run":  "power.csv: no result in JSON: ",
		"run none.csv":   "none.csv: no such file",
		"none power.csv": "none: no such file",
	} {
		refused(t, finish(t, prepare(dir, nil, append([]string{"energy"}, strings.Fields(args)...)...)), 1, want)
	}
	for args, want := range map[string]string{
		"run":                     "energy needs two files, a result and the log of a power meter, and not 1",
		"-out= run power.csv":     "flag -out: the name is empty",
		"-repeat=3 run power.csv": "unknown flag -repeat",
	} {
		refused(t, finish(t, prepare(dir, nil, append([]string{"energy"}, strings.Fields(args)...)...)), 2, want)
	}
}

// A clock that was set during the searches would give the energy of another time.
func TestPowerLogAfterAStepOfTheClock(t *testing.T) {
	begin := time.Now().UTC()
	for step, want := range map[time.Duration]string{
		0: "", 15 * time.Millisecond: "", -15 * time.Millisecond: "",
		time.Second:      "the repeated searches took 10 s, but 11 s by the clock of the host, which was set meanwhile",
		-2 * time.Second: "the repeated searches took 10 s, but 8 s by the clock of the host",
	} {
		k := report.KernelRun{Repetition: &report.Repetition{Begin: begin, End: begin.Add(10*time.Second + step), Seconds: 10, Searches: 5, Edges: 100}}
		log, err := energy.ReadPowerLog(strings.NewReader(powerLogOf(&report.Run{Kernels: []report.KernelRun{k}}, 300)))
		if err != nil {
			t.Fatal(err)
		}
		if err := addSystemEnergy(&k, log); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%v: %v", step, err)
		}
	}
}

// The whole cannot take less than its parts.
func TestPowerLogOfAnotherMachine(t *testing.T) {
	now := time.Now().UTC()
	k := report.KernelRun{
		Repetition: &report.Repetition{Begin: now, End: now.Add(10 * time.Second), Seconds: 10, Searches: 5, Edges: 100},
		Energy: []report.Energy{
			{Amount: energy.Amount{Part: energy.Boards, Joules: 5000, Seconds: 10}}, {Amount: energy.Amount{Part: energy.Packages, Joules: 1000, Seconds: 10}},
		},
	}
	run := &report.Run{Kernels: []report.KernelRun{k}}
	for watts, want := range map[float64]string{599: "by the log the whole system took 599 W, but the counters of its parts alone 600 W", 601: ""} {
		log, err := energy.ReadPowerLog(strings.NewReader(powerLogOf(run, watts)))
		if err != nil {
			t.Fatal(err)
		}
		kernel := k
		kernel.Energy = append([]report.Energy(nil), k.Energy...)
		err = addSystemEnergy(&kernel, log)
		if want == "" && (err != nil || len(kernel.Energy) != 3) || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%g W: %v, %+v", watts, err, kernel.Energy)
		}
	}
}
