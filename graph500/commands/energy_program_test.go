package commands_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/energy"
	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
	"graph500/report"
)

// The log of a meter gives the energy of the whole system, which is written into the
// result. Nothing else of the result changes.
func TestPowerLogIsJoined(t *testing.T) {
	dir := t.TempDir()
	programtest.Succeed(t, dir, "-scale=8", "-roots=3", "-kernel=both", "-repeat-for=200ms", "-out=run")
	before, err := report.ReadResult(filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	testinput.Write(t, dir, "power.csv", testinput.PowerLogOf(before, 250))
	for range 2 { // the second log replaces the first
		r := programtest.Succeed(t, dir, "energy", "-out=run", "run", "power.csv")
		lines := strings.Split(r.Stdout, "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[0], "BFS, whole system: 250 W, ") || !strings.HasPrefix(lines[1], "SSSP, whole system: 250 W, ") {
			t.Error(r.Stdout)
		}
	}
	after, err := report.ReadResult(filepath.Join(dir, "run", "result.json"))
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

	testinput.Write(t, dir, "later.csv", strings.ReplaceAll(testinput.PowerLogOf(before, 250), "Z,", "+01:00,"))
	testinput.Write(t, dir, "short.csv", "time,watts\n1,2\n3,4\n")
	testinput.Write(t, dir, "empty.csv", "")
	programtest.Succeed(t, dir, "-scale=8", "-roots=3", "-out=once")
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
		programtest.Refused(t, programtest.Run(t, dir, nil, append([]string{"energy"}, strings.Fields(args)...)...), 1, want)
	}
	for args, want := range map[string]string{
		"run":                     "energy needs two files, a result and the log of a power meter, and not 1",
		"-out= run power.csv":     "flag -out: the name is empty",
		"-repeat=3 run power.csv": "unknown flag -repeat",
	} {
		programtest.Refused(t, programtest.Run(t, dir, nil, append([]string{"energy"}, strings.Fields(args)...)...), 2, want)
	}
}
