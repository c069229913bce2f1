package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"graph500/cluster/mpitest"
)

// rankWork names the variable that makes the test program a rank.
const rankWork = "CLUSTER_TEST_RANK"

func TestMain(m *testing.M) {
	if work := os.Getenv(rankWork); work != "" {
		runAsRank(work)
	}
	os.Exit(m.Run())
}

// runAsRank is the main function of a rank.
func runAsRank(work string) {
	before := signalActions()
	launcher := Detect(os.LookupEnv)
	if work == "absent" && launcher.Rank == 1 || work == "absent leader" && launcher.Rank == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		time.Sleep(time.Hour)
	}
	within := JoinWithin
	if strings.HasPrefix(work, "absent") {
		within = 2 * time.Second
	}
	w, err := Join(launcher, within)
	if err != nil {
		fmt.Println("refused:", err)
		os.Exit(3)
	}
	if work == "stay" && w.Rank() == 1 || work == "lead stays" && w.Rank() == 0 {
		w.link = stoppedAtEnd{w.link}
	}
	of := usualTimes
	of.leave = 2 * time.Second
	ctx, watch := startWatch(context.Background(), w, of, func(text string) { fmt.Println("report:", text) })
	switch {
	case before != signalActions():
		err = fmt.Errorf("MPI has taken signals")
	case work == "collectives":
		stop := make(chan bool)
		go disturb(stop)
		if err = useCollectives(ctx, w); err == nil {
			err = exchangeMuch(ctx, w)
		}
		close(stop)
	case work == "fail" && w.Rank() == 1:
		w.SetPhase("construction")
		err = fmt.Errorf("no memory")
	case work == "stop" && w.Rank() == 1, work == "lead" && w.Rank() == 0:
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		time.Sleep(time.Hour) // the signal may come a little later
	default:
		ended := make(chan error, 1)
		go func() { ended <- w.Barrier(ctx) }() // does not return after the end of ctx
		select {
		case err = <-ended:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	if err == nil && w.Rank() == 0 {
		fmt.Println("passed with", w.Size())
	}
	watch.End(OutcomeOf(5, err))
}

// stoppedAtEnd is a link whose process is stopped before it leaves the world.
type stoppedAtEnd struct{ link }

func (s stoppedAtEnd) finish(int) {
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	time.Sleep(time.Hour)
}

// disturb makes garbage and runs the collector, so that memory in wrong hands changes.
func disturb(stop chan bool) {
	for {
		select {
		case <-stop:
			return
		default:
			_ = make([]byte, 1<<20)
			runtime.GC()
			time.Sleep(2 * time.Millisecond)
		}
	}
}

// exchangeMuch exchanges and gathers arrays of some megabytes.
func exchangeMuch(ctx context.Context, w *World) error {
	const n = 1 << 16
	parts := make([][]uint64, w.Size())
	for to := range parts {
		for i := range uint64(n) {
			parts[to] = append(parts[to], uint64(w.Rank())<<40+uint64(to)<<32+i)
		}
	}
	got, err := NewExchanger[uint64](w).Exchange(ctx, parts)
	if err != nil {
		return err
	}
	for i, v := range got {
		if want := uint64(i/n)<<40 + uint64(w.Rank())<<32 + uint64(i%n); v != want {
			return fmt.Errorf("number %d is %x, not %x", i, v, want)
		}
	}
	all := make([]uint64, n*w.Size())
	if err := Allgather(ctx, w, parts[w.Rank()], all); err != nil {
		return err
	}
	for i, v := range all {
		if want := uint64(i/n)<<40 + uint64(i/n)<<32 + uint64(i%n); v != want {
			return fmt.Errorf("gathered number %d is %x, not %x", i, v, want)
		}
	}
	return nil
}

// startRanks runs this test program over ranks and returns its output and the status of the
// launcher, 128 and more for one that a signal ended: mpirun of Open MPI 4 can crash while it
// ends, after it has ended the ranks.
func startRanks(t *testing.T, l mpitest.Library, ranks int, work string) (output string, status int, took time.Duration) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := l.Command(ctx, ranks, program)
	c.Env = append(c.Env, rankWork+"="+work)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	start := time.Now()
	if err := mpitest.Run(c); c.ProcessState == nil {
		t.Fatal(err)
	}
	output, status, took = out.String(), c.ProcessState.ExitCode(), time.Since(start)
	if ctx.Err() != nil {
		t.Errorf("%s: the ranks have not ended after %v", l.Name, took)
	}
	if state, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && state.Signaled() {
		status = 128 + int(state.Signal())
	}
	return output, status, took
}

func TestMPI(t *testing.T) {
	for i, l := range mpitest.Libraries(t) {
		if testing.Short() && i > 0 { // the Go code is the same
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			for ranks := 2; ranks <= 4; ranks++ {
				if i > 0 && ranks != 3 {
					continue
				}
				out, status, _ := startRanks(t, l, ranks, "collectives")
				if out != fmt.Sprintln("passed with", ranks) || status != 0 {
					t.Errorf("%d ranks: status %d, %s", ranks, status, out)
				}
			}
		})
	}
}

// A rank that fails or stops answering ends all ranks with one message.
func TestMPIFailures(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range mpitest.Libraries(t) {
		for work, want := range map[string]string{
			"fail": fmt.Sprintf("rank 1 on %s, in phase \"construction\": no memory", host),
			"stop": fmt.Sprintf("rank 1 on %s, in phase \"startup\": stopped answering", host),
			"lead": fmt.Sprintf("rank 0 on %s, in phase \"startup\": stopped answering", host),
		} {
			t.Run(l.Name+"/"+work, func(t *testing.T) {
				t.Parallel()
				out, status, took := startRanks(t, l, 3, work)
				if strings.Count(out, "report: ") != 1 || !strings.Contains(out, "report: "+want+"\n") || status == 0 {
					t.Errorf("status %d, %s", status, out)
				}
				t.Logf("took %v", took)
			})
		}
	}
}

// A rank that is stopped before all have joined, or when the work of all is complete, ends
// the run with a message of one line; before all have joined, each of the others prints one.
func TestMPIWaitsNotForEver(t *testing.T) {
	for _, l := range mpitest.Libraries(t) {
		for work, want := range map[string]string{
			"absent":        "not all of them have joined within 2s: one is stopped, or another program\n",
			"absent leader": "not all of them have joined within 2s: one is stopped, or another program\n",
			"stay":          "report: the run is complete, but not all ranks have left MPI within 2s: one is stopped\n",
			"lead stays":    "report: the run is complete, but not all ranks have left MPI within 2s: one is stopped\n",
		} {
			t.Run(l.Name+"/"+work, func(t *testing.T) {
				t.Parallel()
				out, status, _ := startRanks(t, l, 3, work)
				if !strings.Contains(out, want) || strings.Count(out, "report: ") > 1 || status == 0 {
					t.Errorf("status %d, %s", status, out)
				}
			})
		}
	}
}

// A library that belongs to another launcher is refused.
func TestWrongLibrary(t *testing.T) {
	for _, l := range mpitest.Libraries(t) {
		if l.Name != "MPICH" {
			continue
		}
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		for library, want := range map[string]string{
			"libmpi.so.40":   "makes a world of 1 of the 2 processes",
			"no-such-mpi.so": "no MPI library was found",
			"libc.so.6":      "has no MPI_Init_thread",
		} {
			c := l.Command(t.Context(), 2, program)
			c.Env = append(c.Env, rankWork+"=barrier", "GRAPH500_MPI="+library)
			out, _ := c.CombinedOutput()
			if !strings.Contains(string(out), want) || strings.Contains(string(out), "passed") {
				t.Errorf("%s: %s", library, out)
			}
		}
	}
}
