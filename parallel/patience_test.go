package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

func TestPatience(t *testing.T) {
	p := newPatience()
	if p.rounds.Load() != mostRounds {
		t.Fatal(p.rounds.Load())
	}
	const workers = 4
	p.judge(10*workers, workers, 10*window) // once a worker in each window
	if n := p.rounds.Load(); n != mostRounds {
		t.Errorf("%d rounds after few preemptions", n)
	}
	p.judge(10*workers+1, workers, 10*window)
	if n := p.rounds.Load(); n != leastRounds {
		t.Errorf("%d rounds after many preemptions", n)
	}
	p.judge(0, workers, window)
	if n, want := p.rounds.Load(), min(2*leastRounds, mostRounds); n != int64(want) {
		t.Errorf("%d rounds after a window without preemptions, want %d", n, want)
	}
	for range 40 {
		p.judge(0, workers, window)
	}
	if n := p.rounds.Load(); n != mostRounds {
		t.Errorf("%d rounds after many windows without preemptions", n)
	}
}

// A wait in vain within a window of the last judgement changes nothing.
func TestPatienceWaitsForAWindow(t *testing.T) {
	p := newPatience()
	p.start = time.Now().Add(-time.Hour)
	p.rounds.Store(leastRounds)
	p.consider(1 << 20)
	if n, want := p.rounds.Load(), min(2*leastRounds, mostRounds); n != int64(want) {
		t.Fatalf("%d rounds after the first judgement, want %d", n, want)
	}
	p.judged.Store(int64(time.Hour) * 2)
	p.consider(1 << 20)
	if n, want := p.rounds.Load(), min(2*leastRounds, mostRounds); n != int64(want) {
		t.Fatalf("%d rounds after a second one in the same window, want %d", n, want)
	}
}

// TestPreemptions checks that the number rises when more threads than processors are busy.
func TestPreemptions(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell preemptions")
	}
	before := preemptions()
	threads := 2 * runtime.NumCPU()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	var end atomic.Bool
	for range threads {
		go func() {
			for !end.Load() {
				continue
			}
		}()
	}
	defer end.Store(true)
	for deadline := time.Now().Add(10 * time.Second); preemptions() == before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no preemption of busy threads in 10 s")
		}
	}
}
