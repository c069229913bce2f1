// Package parallel runs loops over a fixed team of workers. It knows nothing
// of graphs.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// spinRounds bounds the busy wait of a worker before it sleeps: about 0.2 ms.
// Waking 15 sleeping workers takes longer than a search level, and with a
// tenth of this bound those that are done early with a level fell asleep: at
// scale 20 on 16 cores that more than halved the speed. Without a bound a
// machine shared with others would collapse.
const spinRounds = 400000

// Team is a fixed set of workers. Worker 0 is the calling goroutine. A Team
// runs one job at a time and is not for concurrent use.
type Team struct {
	workers []*worker // workers 1..size-1
	job     func(worker int)
	spin    int // rounds of busy waiting before sleep
	closed  bool
	done    chan struct{}
	exited  sync.WaitGroup

	_       [64]byte
	epoch   atomic.Uint32 // number of the current job
	_       [64]byte
	pending atomic.Int32 // workers still at the current job
	_       [64]byte
	waiting atomic.Bool // the caller sleeps on done
	_       [64]byte
}

type worker struct {
	asleep atomic.Bool
	wake   chan struct{}
	_      [64]byte // keeps other data off this cache line
}

// NewTeam starts a team of size workers; size < 1 means one for each
// processor the Go runtime may use. Close it to end its goroutines.
func NewTeam(size int) *Team {
	if size < 1 {
		size = runtime.GOMAXPROCS(0)
	}
	t := &Team{done: make(chan struct{}, 1)}
	if size <= runtime.GOMAXPROCS(0) {
		t.spin = spinRounds // with more workers than processors the awaited one may not be running
	}
	for i := 1; i < size; i++ {
		w := &worker{wake: make(chan struct{}, 1)}
		t.workers = append(t.workers, w)
		t.exited.Add(1)
		go t.serve(i, w)
	}
	return t
}

// Size returns the number of workers.
func (t *Team) Size() int { return len(t.workers) + 1 }

// Run calls f once on every worker, with its number, and returns when all
// calls have returned.
func (t *Team) Run(f func(worker int)) {
	if len(t.workers) == 0 {
		f(0)
		return
	}
	t.job = f
	t.start()
	f(0)
	for range t.spin {
		if t.pending.Load() == 0 {
			return
		}
	}
	for t.pending.Load() != 0 {
		t.waiting.Store(true)
		if t.pending.Load() == 0 {
			return
		}
		<-t.done
	}
}

// start publishes a new job and wakes the workers that sleep.
func (t *Team) start() {
	t.pending.Store(int32(len(t.workers)))
	t.epoch.Add(1)
	for _, w := range t.workers {
		if w.asleep.Load() && w.asleep.Swap(false) {
			signal(w.wake)
		}
	}
}

func (t *Team) serve(number int, w *worker) {
	defer t.exited.Done()
	for epoch := uint32(1); ; epoch++ {
		t.await(w, epoch)
		if t.closed {
			return
		}
		t.job(number)
		if t.pending.Add(-1) == 0 && t.waiting.Swap(false) {
			signal(t.done)
		}
	}
}

// await returns once the given epoch has begun.
func (t *Team) await(w *worker, epoch uint32) {
	for range t.spin {
		if t.epoch.Load() == epoch {
			return
		}
	}
	for t.epoch.Load() != epoch {
		w.asleep.Store(true)
		if t.epoch.Load() == epoch {
			return
		}
		<-w.wake
	}
}

// signal leaves a token in a channel of one place. A token may come late, when
// its receiver has already seen what it was about and waits for something
// else, so receivers look again at what they wait for.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Close ends the team's goroutines. Closing twice is harmless.
func (t *Team) Close() {
	if t.closed || t.pending.Load() != 0 { // in the latter case the caller's part of a job has panicked
		return
	}
	t.closed = true
	t.start()
	t.exited.Wait()
	t.workers = nil
}

// For splits 0..n-1 into ranges of grain items and hands them out to the
// workers in ascending order until all are done or ctx ends. It returns the
// cause of the context's end, if that came first.
func (t *Team) For(ctx context.Context, n, grain int, f func(worker, lo, hi int)) error {
	if grain < 1 {
		grain = 1
	}
	var next atomic.Int64
	t.Run(func(worker int) {
		for ctx.Err() == nil {
			hi := int(next.Add(int64(grain)))
			lo := hi - grain
			if lo >= n {
				return
			}
			f(worker, lo, min(hi, n))
		}
	})
	return context.Cause(ctx)
}

// Split returns the bounds of part i when n items are divided into parts
// ranges of nearly equal size.
func Split(n, parts, i int) (lo, hi int) {
	return int(uint64(n) * uint64(i) / uint64(parts)), int(uint64(n) * uint64(i+1) / uint64(parts))
}
