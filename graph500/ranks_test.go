package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"graph500/cluster/mpitest"
	"graph500/graph500/programtest"
	"graph500/report"
)

// sameProgram skips a long test of the program in a short run: that is for the race detector, which
// the program is built without.
func sameProgram(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long test of the program")
	}
}

// sameRanks skips a long test of ranks with the CPU engine in the program with the GPU
// engine. The ranks run the same code there: the tests without tags run it, and those of
// ranks with GPUs test the faults of the other engine.
func sameRanks(t *testing.T) {
	t.Helper()
	if buildTags != "" {
		t.Skip("the ranks of the CPU engine do not depend on the build tags")
	}
}

// overRanks returns a command that runs the program over ranks.
func overRanks(t *testing.T, l mpitest.Library, ranks int, args ...string) *exec.Cmd {
	t.Helper()
	sameProgram(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	c := l.Command(ctx, ranks, program, args...)
	c.Dir = t.TempDir()
	return c
}

// loadWarning is the beginning of the warnings of other load, and of too many threads.
var loadWarning = regexp.MustCompile(`^graph500: warning: (other work|\d+ threads of \d+ ranks)`)

// ownLines returns the lines of the program in stderr, without warnings of other load and
// the lines of launchers and libraries.
func ownLines(stderr string) (lines []string) {
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "graph500: ") && !loadWarning.MatchString(line) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// ended reports whether ranks ended with a status. mpirun of Open MPI can crash while it ends,
// after a rank has failed.
func ended(r programtest.Result, status int) bool { return r.Status == status || r.Status == -1 }

var nedgeLines = regexp.MustCompile(`(?m)^\w*nedge: .*$`)

// Any number of ranks finds the same edges, and rank 0 prints the only block.
func TestRanks(t *testing.T) {
	sameProgram(t)
	args := []string{"-engine=cpu", "-kernel=both", "-scale=11", "-roots=8"}
	one := programtest.Succeed(t, t.TempDir(), args...)
	want := strings.Join(nedgeLines.FindAllString(one.Stdout, -1), "\n")
	for i, l := range mpitest.Libraries(t) {
		for _, ranks := range [][]int{{1, 2, 3, 4}, {2}, {3}}[i] {
			r := finish(t, overRanks(t, l, ranks, args...))
			if r.Status != 0 || len(ownLines(r.Stderr)) != 3 {
				t.Errorf("%s, %d ranks: status %d, %s", l.Name, ranks, r.Status, r.Stderr)
			}
			if got := strings.Join(nedgeLines.FindAllString(r.Stdout, -1), "\n"); got != want {
				t.Errorf("%s, %d ranks: %s\ninstead of\n%s", l.Name, ranks, got, want)
			}
			if line := fmt.Sprintf("num_mpi_processes:              %d\n", ranks); strings.Count(r.Stdout, line) != 1 {
				t.Errorf("%s, %d ranks: %s", l.Name, ranks, r.Stdout)
			}
		}
	}
}

func TestRanksInReport(t *testing.T) {
	for _, l := range mpitest.Libraries(t) {
		c := overRanks(t, l, 3, "-engine=cpu", "-scale=8", "-roots=2", "-threads=2", "-out=out", "-format=json", "-skip-validation")
		r := finish(t, c)
		var document struct{ Ranks []report.Rank }
		if err := json.Unmarshal([]byte(r.Stdout), &document); err != nil {
			t.Fatalf("%s: %v: %s", l.Name, err, r.Stderr)
		}
		host, _ := os.Hostname()
		if len(document.Ranks) != 3 {
			t.Fatalf("%s: %+v", l.Name, document.Ranks)
		}
		last := document.Ranks[2]
		if last.Host != host || last.Threads != 2 || last.GPUs != 0 || last.Processors == "" || last.Memory == 0 || last.Peak == 0 {
			t.Errorf("%s: %+v", l.Name, last)
		}
		run, err := report.ReadResult(filepath.Join(c.Dir, "out"))
		if err != nil {
			t.Fatal(err)
		}
		if peaks := run.Processes[0].Peak + run.Processes[1].Peak + last.Peak; run.PeakMemory != peaks || run.Cores() != runtime.NumCPU() || run.Threads() != 6 {
			t.Errorf("%s: %d bytes, not %d; %d cores, %d threads", l.Name, run.PeakMemory, peaks, run.Cores(), run.Threads())
		}
		if _, err := os.Stat(filepath.Join(c.Dir, "out", "result.json")); err != nil {
			t.Error(err)
		}
	}
}

// More threads of all ranks than processors of their host are noticed.
func TestThreadsOfRanksOnOneHost(t *testing.T) {
	n := runtime.NumCPU()
	for _, l := range mpitest.Libraries(t) {
		r := finish(t, overRanks(t, l, 2, "-engine=cpu", "-scale=8", "-roots=2", fmt.Sprintf("-threads=%d", n)))
		want := fmt.Sprintf("graph500: warning: %d threads of 2 ranks on ", 2*n)
		if r.Status != 0 || strings.Count(r.Stderr, want) != 1 || !strings.Contains(r.Stderr, fmt.Sprintf(" share the %d processors that these may use", n)) {
			t.Errorf("%s: status %d, %s", l.Name, r.Status, r.Stderr)
		}
	}
}

// -version checks the flags for the number of ranks that run.sh is going to start.
func TestFlagsForRanks(t *testing.T) {
	for args, want := range map[string]string{
		"-energy": "flag -energy does not run over several ranks", "-scale=6,7": "a run of several scales does not", "-strategy=push": "strategy push does not",
		"-graph=x -kernel=sssp -weights=integer": "flag -weights=integer does not",
	} {
		args := append(strings.Fields(args), "-version")
		programtest.Refused(t, finish(t, prepare(t.TempDir(), []string{"GRAPH500_RANKS=2"}, args...)), 2, want)
		if r := finish(t, prepare(t.TempDir(), []string{"GRAPH500_RANKS=1"}, args...)); r.Status != 0 {
			t.Errorf("%v: %s", args, r.Stderr)
		}
	}
	programtest.Refused(t, finish(t, prepare(t.TempDir(), []string{"GRAPH500_RANKS=x"}, "-version")), 2, "GRAPH500_RANKS=x is not a whole number above 0")
}

// searchFacts returns the record of a run with -format=json: of each kernel, the facts of
// its searches that do not depend on times.
func searchFacts(t *testing.T, r programtest.Result) (facts []string) {
	t.Helper()
	var document struct {
		Kernels []struct {
			Kernel   string
			Validate any
			Searches []struct {
				Root, Visited, Nedge int64
				SelfLoops            int64   `json:"self_loops"`
				MaxDistance          float32 `json:"max_distance"`
			}
		}
	}
	if err := json.Unmarshal([]byte(r.Stdout), &document); err != nil {
		t.Fatalf("%v: %s", err, r.Stderr)
	}
	for _, k := range document.Kernels {
		facts = append(facts, fmt.Sprintf("%s, validated %t: %+v", k.Kernel, k.Validate != nil, k.Searches))
	}
	return facts
}

// What ranks cannot do is refused with one line.
func TestRanksRefuse(t *testing.T) {
	l := mpitest.Libraries(t)[0]
	for _, c := range []struct{ args, want string }{
		{"-engine=cpu -kernel=both -strategy=sssp:obim", "strategy obim does not run over several ranks: start one process"},
		{"-engine=cpu -strategy=push", "strategy push does not run over several ranks: start one process"},
		{"-write-edges=e.zst", "flag -write-edges with a compressed file does not run over several ranks: start one process"},
		{"-scale=4,5", "a run of several scales does not run over several ranks: start one process"},
		{"-repeat-for=1s", "flag -repeat-for does not run over several ranks: start one process"},
		{"-residency=zero-copy", "flag -residency=zero-copy: it is for one GPU only"},
		{"leaderboard", "leaderboard does not run over several ranks: start one process"},
		{"strategies", "strategies does not run over several ranks: start one process"},
		{"-scale=x", `flag -scale: "x" is not a whole number`},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel() // launchers wait for a second after a failure
			r := finish(t, overRanks(t, l, 2, strings.Fields(c.args)...))
			if lines := ownLines(r.Stderr); !ended(r, 2) || len(lines) != 1 || lines[0] != "graph500: "+c.want || r.Stdout != "" {
				t.Errorf("status %d, %q %s", r.Status, lines, r.Stdout)
			}
		})
	}
}

// A failure that only the run shows is reported once.
func TestRanksFailAlike(t *testing.T) {
	for _, l := range mpitest.Libraries(t) {
		r := finish(t, overRanks(t, l, 3, "-engine=cpu", "-scale=8", "-root=300"))
		if lines := ownLines(r.Stderr); !ended(r, 2) || len(lines) != 1 || !strings.Contains(lines[0], "the graph has no vertex 300") {
			t.Errorf("%s: status %d, %s", l.Name, r.Status, r.Stderr)
		}
	}
}

func TestRanksDiffer(t *testing.T) {
	l := mpitest.Libraries(t)[0]
	r := finish(t, overRanks(t, l, 1, "-scale=8", ":", "-n", "1", program, "-scale=9"))
	host, _ := os.Hostname()
	want := fmt.Sprintf(`graph500: rank 1 on %s has other flags than rank 0: ["-scale=9"] and ["-scale=8"]`, host)
	if lines := ownLines(r.Stderr); !ended(r, 2) || len(lines) != 1 || lines[0] != want || r.Stdout != "" {
		t.Errorf("status %d, %s", r.Status, r.Stderr)
	}
}

// Without a usable MPI, the ranks of a launcher do not become separate benchmarks.
func TestRanksWithoutMPI(t *testing.T) {
	const want = "graph500: a PMI launcher started this program as one of several processes: no MPI library was found"
	for rank := range 2 {
		r := finish(t, prepare(t.TempDir(), []string{fmt.Sprintf("PMI_RANK=%d", rank), "PMI_SIZE=2", "GRAPH500_MPI=libnone.so"}, "-scale=8"))
		if r.Status != 1 || r.Stdout != "" || !strings.HasPrefix(r.Stderr, want) || strings.Count(r.Stderr, "\n") != 1 {
			t.Errorf("rank %d: status %d, %q %q", rank, r.Status, r.Stdout, r.Stderr)
		}
	}
}

// signalRank sends a signal to a rank of a launcher when the program reports a phase. It
// returns the program's output.
func signalRank(t *testing.T, c *exec.Cmd, rank int, phase string, s syscall.Signal) (r programtest.Result, took time.Duration) {
	t.Helper()
	var stdout bytes.Buffer
	c.Stdout = &stdout
	pipe, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("GRAPH500_TEST=%d-%s", os.Getpid(), strings.ReplaceAll(t.Name(), "/", "-"))
	c.Env = append(c.Env, mark)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	var start time.Time
	pid := 0 // found before the phase, which can be short
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		fmt.Fprintln(&stderr, lines.Text())
		if pid == 0 && strings.HasPrefix(lines.Text(), "graph500: ") {
			pid = pidOf(t, mark, rank)
		}
		if start.IsZero() && lines.Text() == "graph500: "+phase+" ..." {
			start = time.Now()
			if err := syscall.Kill(pid, s); err != nil {
				t.Error(err)
			}
		}
	}
	_ = c.Wait()
	if start.IsZero() {
		t.Fatalf("no phase %s: %s", phase, stderr.String())
	}
	return programtest.Result{Stdout: stdout.String(), Stderr: stderr.String(), Status: c.ProcessState.ExitCode()}, time.Since(start)
}

// pidOf returns the process of a rank, whose environment has the mark.
func pidOf(t *testing.T, mark string, rank int) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(environ, []byte(mark+"\x00")) {
			continue
		}
		for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMI_RANK"} {
			if bytes.Contains(environ, fmt.Appendf(nil, "%s=%d\x00", name, rank)) {
				var pid int
				if _, err := fmt.Sscanf(file, "/proc/%d/environ", &pid); err != nil {
					t.Fatal(err)
				}
				return pid
			}
		}
	}
	t.Fatalf("rank %d was not found", rank)
	return 0
}

// A rank that dies or stops answering in any phase ends the run within ten seconds,
// without a result.
func TestRanksFaults(t *testing.T) {
	sameProgram(t)
	sameRanks(t)
	host, _ := os.Hostname()
	for _, l := range mpitest.Libraries(t) {
		if l.Name == "MPI 5" {
			continue // Open MPI behind it
		}
		for _, run := range []struct{ kernel, phase string }{{"bfs", "construction"}, {"bfs", "searches"}, {"sssp", "searches"}} {
			phase := run.phase
			for s, name := range map[syscall.Signal]string{syscall.SIGKILL: "killed", syscall.SIGSTOP: "stopped"} {
				t.Run(fmt.Sprintf("%s/%s/%s/%s", l.Name, run.kernel, phase, name), func(t *testing.T) {
					t.Parallel()
					c := overRanks(t, l, 2, "-engine=cpu", "-threads=1", "-scale=17", "-kernel="+run.kernel, "-v", "-out=out")
					r, took := signalRank(t, c, 1, phase, s)
					if strings.Contains(r.Stdout, "SCALE:") || took > 10*time.Second {
						t.Errorf("took %v: %s", took, r.Stdout)
					}
					if entries, err := os.ReadDir(filepath.Join(c.Dir, "out")); err == nil && len(entries) > 0 {
						t.Errorf("wrote %v", entries)
					}
					want := fmt.Sprintf("graph500: rank 1 on %s, in phase %q: stopped answering", host, phase)
					if s == syscall.SIGSTOP && (strings.Count(r.Stderr, "graph500: rank ") != 1 || !strings.Contains(r.Stderr, want+"\n") || r.Status == 0) {
						t.Errorf("status %d, %s", r.Status, r.Stderr)
					}
				})
			}
		}
	}
}

// A signal to the launcher ends all ranks with one message.
func TestRanksInterrupted(t *testing.T) {
	sameProgram(t)
	sameRanks(t)
	for _, l := range mpitest.Libraries(t) {
		c := overRanks(t, l, 2, "-engine=cpu", "-threads=1", "-scale=17", "-v")
		r, took := signalRank(t, c, 0, "searches", syscall.SIGTERM)
		if !strings.Contains(r.Stderr, "stopped by SIGTERM, no result") || strings.Count(r.Stderr, "SIGTERM") != 1 || r.Stdout != "" || r.Status == 0 || took > 10*time.Second {
			t.Errorf("%s: status %d, %v, %s%s", l.Name, r.Status, took, r.Stdout, r.Stderr)
		}
	}
}
