package report

import "testing"

// The record of a run over ranks describes all of them, not rank 0.
func TestTotalsOfRanks(t *testing.T) {
	rank := func(host string, threads int, processors string) Rank {
		return Rank{Host: host, Threads: threads, Processors: processors, Memory: 1 << 30}
	}
	machine := Machine{Host: "a", Processor: "CPU", Cores: 8, Memory: 1 << 30}
	for _, c := range []struct {
		ranks                 []Rank
		hosts, cores, threads int
		memory                uint64
		hardware              string
	}{
		{nil, 1, 8, 5, 1 << 30, "CPU, 5 threads"},
		{[]Rank{rank("a", 5, "0-7")}, 1, 8, 5, 1 << 30, "CPU, 5 threads"},
		{[]Rank{rank("a", 5, "")}, 1, 8, 5, 1 << 30, "CPU, 5 threads"}, // of an earlier program
		{[]Rank{rank("a", 2, "0-7"), rank("a", 2, "0-7")}, 1, 8, 4, 1 << 30, "CPU, 4 threads"},
		{[]Rank{rank("a", 1, "0"), rank("a", 1, "1")}, 1, 2, 2, 1 << 30, "CPU, 2 threads"},
		{[]Rank{rank("a", 2, "0-1"), rank("b", 2, "0-1"), rank("c", 4, "0-3")}, 3, 8, 8, 3 << 30, "CPU, 8 threads, 3 hosts"},
		{[]Rank{rank("a", 6, ""), rank("a", 6, ""), {Host: "b", Threads: 6}}, 2, 20, 18, 0, "CPU, 18 threads, 2 hosts"},
	} {
		s := &Setup{Machine: machine, Engine: Engine{Threads: 5}, Processes: c.ranks}
		if n := len(s.Hosts()); n != c.hosts || s.Cores() != c.cores || s.Threads() != c.threads || s.Memory() != c.memory || s.HardwareName() != c.hardware {
			t.Errorf("%+v: %d hosts, %d cores, %d threads, %d bytes, %s", c.ranks, n, s.Cores(), s.Threads(), s.Memory(), s.HardwareName())
		}
	}
	one, four := smallRun(), smallRun()
	one.Machine, four.Machine = machine, machine
	four.Processes = []Rank{rank("a", 2, "0-7"), rank("a", 2, "0-7")}
	one.Processes = []Rank{rank("a", 4, "0-7")}
	if a, b := one.configurationName(&one.Kernels[0]), four.configurationName(&four.Kernels[0]); b != a+", 2 ranks" && b == a {
		t.Errorf("%s and %s share a line of a chart", a, b)
	}
}
