package run

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"graph500/processors"
)

// fakeMachine is a machine with two processors. A test advances its clocks.
type fakeMachine struct {
	fstest.MapFS
	busy, stolen, ran, waited time.Duration
}

func newFakeMachine() *fakeMachine {
	m := &fakeMachine{MapFS: fstest.MapFS{}, busy: time.Second, ran: time.Second / 2}
	m.write("proc/self/status", "Name:\tgraph500\nCpus_allowed_list:\t0-1\n")
	m.pass(0, 0, 0, 0)
	return m
}

func (m *fakeMachine) write(name, text string) {
	m.MapFS[name] = &fstest.MapFile{Data: []byte(text)}
}

// pass advances the clocks by the times of own work, work of others, work of the host
// and waiting of own threads.
func (m *fakeMachine) pass(own, others, stolen, waited time.Duration) {
	m.busy, m.stolen, m.ran, m.waited = m.busy+own+others, m.stolen+stolen, m.ran+own, m.waited+waited
	const tick = 10 * time.Millisecond
	m.write("proc/stat", fmt.Sprintf("cpu0 %d 0 0 5 0 0 0 %d 0 0\ncpu1 100 0 0 5 0 0 0 0 0 0\n", m.busy/tick, m.stolen/tick))
	m.write("proc/self/task/1/schedstat", fmt.Sprintf("%d %d 3\n", m.ran.Nanoseconds(), m.waited.Nanoseconds()))
}

// runOnMachine runs eight searches and advances the machine's clocks before and in each
// of them. It returns the console output and the warnings of the record.
func runOnMachine(t *testing.T, m *fakeMachine, threads int, before, in func()) (output string, warnings []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeEngine{threads: threads, takes: map[string]time.Duration{"generate": time.Second, "search": 100 * time.Millisecond}}
		f.onSearch = func(call int) {
			if call == 0 { // the warm-up
				before()
			} else {
				in()
			}
		}
		b, text := newTestBench(t, f, "-scale=5", "-roots=8")
		b.machine = m
		if _, err := b.run(t.Context(), b.benchmark); err != nil {
			t.Fatal(err)
		}
		output, warnings = text.String(), b.Record.Warnings
	})
	return output, warnings
}

func TestBusyProcessorsAreNoticed(t *testing.T) {
	const ms = time.Millisecond
	quiet := func() {}
	for _, c := range []struct {
		name            string
		threads         int
		before, in      func(m *fakeMachine)
		want, notWanted string
	}{
		{"quiet", 2, func(m *fakeMachine) { m.pass(2000*ms, 10*ms, 0, 5*ms) }, func(m *fakeMachine) { m.pass(200*ms, 2*ms, 1*ms, 1*ms) }, "", ""},
		{"idle threads", 2, nil, nil, "", ""},
		{"threads that wait for one another", 2, nil, func(m *fakeMachine) { m.pass(180*ms, 2*ms, 0, 100*ms) }, "", ""},
		{"a few ticks", 2, nil, func(m *fakeMachine) { m.pass(100*ms, 3*ms, 0, 50*ms) }, "", ""},
		{"threads that wait for others", 2, nil, func(m *fakeMachine) { m.pass(140*ms, 60*ms, 0, 60*ms) },
			"other work kept the processors busy: during the searches others used 0.6 of 2 processors, threads waited 30 % of the time for one; ", "before"},
		{"before", 2, func(m *fakeMachine) { m.pass(1000*ms, 1100*ms, 0, 1100*ms) }, nil,
			": before the searches others used 1 of 2 processors, threads waited 50 % of the time for one; ", "during"},
		{"one thread and other processes", 1, nil, func(m *fakeMachine) { m.pass(100*ms, 50*ms, 0, 0) },
			": during the searches others used 0.5 of 2 processors; ", "before"},
		{"virtual machine", 2, nil, func(m *fakeMachine) { m.pass(160*ms, 0, 40*ms, 0) },
			": during the searches the host of this virtual machine took 0.4 of 2 processors; ", "waited"},
		{"all the time", 2, func(m *fakeMachine) { m.pass(1100*ms, 1100*ms, 0, 1100*ms) }, func(m *fakeMachine) { m.pass(100*ms, 100*ms, 0, 100*ms) },
			": before the searches others used 1 of 2 processors, threads waited 50 % of the time for one; during the searches others used 1 ", ""},
		{"too many threads", 3, nil, func(m *fakeMachine) { m.pass(100*ms, 0, 0, 200*ms) },
			"3 threads share the 2 processors that this process may use, and wait for one another: take -threads=2, ", "other work"},
	} {
		m := newFakeMachine()
		move := func(f func(*fakeMachine)) func() {
			if f == nil {
				return quiet
			}
			return func() { f(m) }
		}
		output, warnings := runOnMachine(t, m, c.threads, move(c.before), move(c.in))
		got := strings.Join(warnings, "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || c.notWanted != "" && strings.Contains(got, c.notWanted) || len(warnings) > 1 {
			t.Errorf("%s: %q", c.name, warnings)
		}
		if got != "" && strings.Count(output, "graph500: warning: "+got+"\n") != 1 {
			t.Errorf("%s: %q is not in\n%s", c.name, got, output)
		}
	}
}

// Others on one processor of many delay all threads, if these need that processor.
func TestOneBusyProcessorOfMany(t *testing.T) {
	for _, c := range []struct {
		others float64
		waited time.Duration
		want   string
	}{
		{0.5, 400 * time.Millisecond, "others used 0.5 of 64 processors, threads waited 1 % of the time for one"},
		{0.5, 50 * time.Millisecond, ""},
		{0.2, 400 * time.Millisecond, ""},
		{8, 0, "others used 8 of 64 processors"},
	} {
		u := processors.Usage{Wall: time.Second, Others: c.others, Waited: c.waited}
		if got := disturbance(u, 64, 64); got != c.want {
			t.Errorf("%+v: %q, want %q", u, got, c.want)
		}
	}
	if got := disturbance(processors.Usage{}, 64, 64); got != "" {
		t.Errorf("in no time: %q", got)
	}
}

// The threads of all ranks of a host share its processors; those of other hosts do not.
func TestThreadsOfRanks(t *testing.T) {
	share := func(host, list, source string, quota float64, threads int) processorShare {
		numbers, err := processors.Parse(list)
		if err != nil {
			t.Fatal(err)
		}
		return processorShare{Allowed: processors.Allowed{Numbers: numbers, List: list, Quota: quota, Source: source}, Host: host, Threads: threads, Known: true}
	}
	for _, c := range []struct {
		shares []processorShare
		want   string
	}{
		{[]processorShare{share("a", "0-3", "", 0, 2), share("a", "0-3", "", 0, 2)}, ""},
		{[]processorShare{share("a", "0-3", "", 0, 4), share("b", "0-3", "", 0, 4)}, ""},
		{[]processorShare{share("a", "0-1", "", 0, 2), share("a", "2-3", "", 0, 2)}, ""},
		{[]processorShare{share("a", "0-3", "", 0, 4), share("a", "0-3", "", 0, 4)}, "8 threads of 2 ranks on a share the 4 processors that these may use, and wait for one another: take -threads=2, "},
		{[]processorShare{share("a", "0", "", 0, 1), share("a", "0", "", 0, 1)}, "2 threads of 2 ranks on a share the 1 processors that these may use, and wait for one another: start 1 ranks at most, or ask for more"},
		{[]processorShare{share("a", "0-3", "", 0, 4), share("b", "0", "", 0, 4)}, "4 threads of rank 1 on b share the 1 processors that this process may use, and wait for one another: take -threads=1, "},
		{[]processorShare{share("a", "0-3", "cpu.max of cgroup /j", 3, 2), share("a", "0-3", "cpu.max of cgroup /j", 3, 2)},
			"4 threads of 2 ranks on a have the time of 3 processors (cpu.max of cgroup /j), and are stopped when it is used up: take -threads=1, "},
	} {
		if got := tooManyThreads(c.shares); c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

// The work of the other ranks of a host is none of others.
func TestOtherLoadOverRanks(t *testing.T) {
	use := func(own, others float64) processors.Usage {
		return processors.Usage{Wall: time.Second, Own: own, Others: others}
	}
	rank := func(host string, before, searches processors.Usage) hostUsage {
		return hostUsage{Host: host, Processors: 4, Threads: 4, Before: before, Searches: searches, Known: true}
	}
	quiet := []hostUsage{rank("a", use(1, 3), use(2, 2)), rank("a", use(3, 1), use(2, 2)), rank("b", use(4, 0), use(4, 0))}
	if got := otherLoad(quiet); got != "" {
		t.Error(got)
	}
	busy := []hostUsage{rank("a", use(2, 2), use(2, 2)), rank("a", use(2, 2), use(1, 3)), rank("b", use(4, 0), use(2, 2))}
	want := "other work kept the processors busy: during the searches others used 1 of 4 processors on a; during the searches others used 2 of 4 processors on b; such times"
	if got := otherLoad(busy); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
	busy[0].Known, busy[1].Known, busy[2].Known = false, false, false
	if got := otherLoad(busy); got != "" {
		t.Error(got)
	}
}

func TestQuotaOfProcessors(t *testing.T) {
	m := newFakeMachine()
	m.write("proc/self/cgroup", "0::/job\n")
	m.write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
	m.write("sys/fs/cgroup/job/cpu.max", "150000 100000\n")
	_, warnings := runOnMachine(t, m, 2, func() {}, func() {})
	want := "2 threads have the time of 1.5 processors (cpu.max of cgroup /job), and are stopped when it is used up: take -threads=1, "
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], want) {
		t.Errorf("%q", warnings)
	}
	if _, warnings := runOnMachine(t, m, 1, func() {}, func() {}); len(warnings) > 0 {
		t.Errorf("one thread: %q", warnings)
	}
}

// There is no warning if the system does not provide the data.
func TestUnknownUseOfProcessors(t *testing.T) {
	for _, missing := range []string{"proc/self/status", "proc/stat", "proc/self/task/1/schedstat"} {
		for _, when := range []string{"from the start", "after the start"} {
			m := newFakeMachine()
			lose := func() { delete(m.MapFS, missing) }
			if when == "from the start" {
				lose()
			}
			output, warnings := runOnMachine(t, m, 2, func() { m.pass(0, time.Second, 0, time.Second); lose() }, func() {})
			if missing == "proc/self/status" && when == "after the start" {
				continue // it is read once
			}
			if len(warnings) > 0 || strings.Contains(output, "warning") {
				t.Errorf("%s is missing %s: %q", missing, when, warnings)
			}
		}
	}
}

// A comparison of strategies also has the warning.
func TestComparisonOnBusyProcessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMachine()
		f := &fakeEngine{threads: 2, takes: map[string]time.Duration{"search": 100 * time.Millisecond}}
		f.onSearch = func(int) { m.pass(100*time.Millisecond, 100*time.Millisecond, 0, 100*time.Millisecond) }
		c, b := newTestComparison(t, f, "-scale=5", "-roots=8", "-format=json", "push", "pull")
		b.machine = m
		text, err := run(t, c, b)
		if err != nil {
			t.Fatal(err)
		}
		want := "other work kept the processors busy: during the searches others used 1 of 2 processors, threads waited 50 % "
		if len(b.Record.Warnings) != 1 || !strings.HasPrefix(b.Record.Warnings[0], want) || strings.Count(text, want) != 1 {
			t.Errorf("%q", b.Record.Warnings)
		}
	})
}
