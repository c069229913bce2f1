package parallel

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestRunReachesEveryWorker(t *testing.T) {
	for size := 1; size <= 9; size++ {
		team := NewTeam(size)
		var calls atomic.Int64
		for job := range 2000 {
			if job%500 == 0 {
				time.Sleep(2 * time.Millisecond) // let the workers fall asleep
			}
			seen := make([]int32, size)
			team.Run(func(worker int) {
				seen[worker]++
				calls.Add(1)
			})
			for worker, n := range seen {
				if n != 1 {
					t.Fatalf("size %d: worker %d ran %d times", size, worker, n)
				}
			}
		}
		team.Close()
		team.Close()
		if calls.Load() != int64(2000*size) {
			t.Fatalf("size %d: %d calls", size, calls.Load())
		}
	}
}

func TestRunWaitsForEveryWorker(t *testing.T) {
	for _, size := range []int{2, 3, 8} {
		team := NewTeam(size)
		sum := make([]int, size)
		for job := range 20000 {
			team.Run(func(worker int) { sum[worker]++ })
			for worker, n := range sum {
				if n != job+1 {
					t.Fatalf("size %d, job %d: worker %d has done %d", size, job, worker, n)
				}
			}
		}
		team.Close()
	}
}

// TestRunMakesCallsOfLateWorkers runs a job while the workers have no processor.
func TestRunMakesCallsOfLateWorkers(t *testing.T) {
	team := NewTeam(3)
	defer team.Close()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	time.Sleep(5 * time.Millisecond) // they fall asleep
	goroutine := func() string {
		stack := make([]byte, 40)
		id, _, _ := strings.Cut(string(stack[:runtime.Stack(stack, false)]), " [")
		return id
	}
	var by [3]string
	team.Run(func(worker int) { by[worker] = goroutine() })
	for worker, id := range by {
		if id != goroutine() {
			t.Errorf("worker %d: called by %s, want %s", worker, id, goroutine())
		}
	}
}

// TestCloseDuringPanic closes a team while a panic of its job unwinds. Close must
// not wait for the workers of this job.
func TestCloseDuringPanic(t *testing.T) {
	defer func() {
		if r := recover(); r != "job" {
			t.Fatalf("recovered %v", r)
		}
	}()
	team := NewTeam(3)
	defer team.Close()
	hold := make(chan struct{})
	defer close(hold)
	team.Run(func(worker int) {
		if worker == 0 {
			panic("job")
		}
		<-hold
	})
}

func TestForCoversEveryItemOnce(t *testing.T) {
	team := NewTeam(3)
	defer team.Close()
	for _, n := range []int{0, 1, 7, 64, 1001} {
		for _, grain := range []int{0, 1, 10, 5000} {
			seen := make([]atomic.Int32, n)
			if err := team.For(context.Background(), n, grain, func(_, lo, hi int) {
				for i := lo; i < hi; i++ {
					seen[i].Add(1)
				}
			}); err != nil {
				t.Fatal(err)
			}
			for i := range seen {
				if seen[i].Load() != 1 {
					t.Fatalf("n %d, grain %d: item %d seen %d times", n, grain, i, seen[i].Load())
				}
			}
		}
	}
}

func TestForStopsWithItsContext(t *testing.T) {
	team := NewTeam(2)
	defer team.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	var done atomic.Int64
	err := team.For(ctx, 1<<30, 1, func(_, lo, hi int) {
		switch n := done.Add(1); {
		case n == 10:
			cancel(stop)
		case n > 10: // taken by the other worker before the end
			<-ctx.Done()
		}
	})
	if !errors.Is(err, stop) {
		t.Fatalf("err = %v", err)
	}
	if done.Load() > 11 { // each worker may hold one item at the end
		t.Fatalf("%d items, want at most 11", done.Load())
	}
}

func TestSplitIsAPartition(t *testing.T) {
	for _, n := range []int{0, 1, 5, 1000, 1 << 40} {
		for parts := 1; parts < 20; parts++ {
			end := 0
			for i := range parts {
				lo, hi := Split(n, parts, i)
				if lo != end || hi < lo {
					t.Fatalf("Split(%d,%d,%d) = %d,%d after %d", n, parts, i, lo, hi, end)
				}
				end = hi
			}
			if end != n {
				t.Fatalf("Split(%d,%d) ends at %d", n, parts, end)
			}
		}
	}
}

func BenchmarkRun(b *testing.B) {
	team := NewTeam(0)
	defer team.Close()
	for b.Loop() {
		team.Run(func(int) {})
	}
}
