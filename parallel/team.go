// Package parallel runs functions and loops on a fixed team of workers. It knows nothing of graphs.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Team is a fixed set of workers. Worker 0 is the calling goroutine. A Team
// runs one job at a time and must not be used concurrently.
type Team struct {
	workers []*worker // workers 1..size-1
	job     func(worker int)
	wait    *patience // nil: workers that wait sleep at once
	closed  bool
	done    chan struct{} // wakes the caller after a job
	exited  sync.WaitGroup

	_       [64]byte
	epoch   atomic.Uint32 // number of the current job
	_       [64]byte
	pending atomic.Int32 // workers that have not finished the current job
	_       [64]byte
	waiting atomic.Bool // the caller sleeps on done
	_       [64]byte
}

type worker struct {
	taken  atomic.Uint32 // number of the last job whose call for this worker has begun
	asleep atomic.Bool
	wake   chan struct{}
	_      [64]byte // avoids false sharing
}

// NewTeam starts a team of size workers. If size < 1, it has one worker per
// processor that the Go runtime may use. Close stops its goroutines.
func NewTeam(size int) *Team {
	if size < 1 {
		size = runtime.GOMAXPROCS(0)
	}
	t := &Team{done: make(chan struct{}, 1)}
	if size <= runtime.GOMAXPROCS(0) {
		t.wait = newPatience() // with more workers than processors, a busy wait may block the awaited worker
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

// Run calls f once for every worker, with the worker's number, and returns after
// all calls have returned. The caller makes the calls of the workers that have not begun when its own
// returns: they sleep, or other work has their processor. A call may wait for another one only if that does
// not wait for it.
func (t *Team) Run(f func(worker int)) {
	if len(t.workers) == 0 {
		f(0)
		return
	}
	t.job = f
	t.start()
	f(0)
	epoch := t.epoch.Load()
	for i, w := range t.workers {
		if w.take(epoch) {
			f(i + 1)
			t.pending.Add(-1)
		}
	}
	if t.waitAwake(func() bool { return t.pending.Load() == 0 }) {
		return
	}
	for t.pending.Load() != 0 {
		t.waiting.Store(true)
		if t.pending.Load() == 0 {
			return
		}
		<-t.done
	}
}

// take reports whether the call for this worker in a job is still to be made, by whoever takes it.
func (w *worker) take(epoch uint32) bool { return w.taken.CompareAndSwap(epoch-1, epoch) }

// start publishes a new job and wakes the sleeping workers.
func (t *Team) start() {
	t.pending.Store(int32(len(t.workers)))
	t.epoch.Add(1)
	for _, w := range t.workers {
		if w.asleep.Load() && w.asleep.Swap(false) {
			signal(w.wake)
		}
	}
}

// serve runs the jobs of one worker until the team is closed.
func (t *Team) serve(number int, w *worker) {
	defer t.exited.Done()
	for epoch := uint32(0); ; {
		epoch = t.await(w, epoch)
		if !w.take(epoch) {
			continue
		}
		if t.closed {
			return
		}
		t.job(number)
		if t.pending.Add(-1) == 0 && t.waiting.Swap(false) {
			signal(t.done)
		}
	}
}

// waitAwake waits for an event without sleep as long as patience lasts. It returns whether it has come.
func (t *Team) waitAwake(has func() bool) bool {
	if t.wait == nil {
		return false
	}
	for range t.wait.rounds.Load() {
		if has() {
			return true
		}
	}
	t.wait.consider(t.Size())
	return false
}

// await waits until an epoch is over and returns the current one.
func (t *Team) await(w *worker, last uint32) (epoch uint32) {
	if t.waitAwake(func() bool { return t.epoch.Load() != last }) {
		return t.epoch.Load()
	}
	for {
		if epoch = t.epoch.Load(); epoch != last {
			return epoch
		}
		w.asleep.Store(true)
		if t.epoch.Load() == last {
			<-w.wake
		}
	}
}

// signal puts a token into a channel of capacity 1. A token may arrive late, when
// its receiver already waits for another event. Receivers therefore test their
// condition again.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Close stops the team's goroutines. A second call has no effect.
func (t *Team) Close() {
	if t.closed || t.pending.Load() != 0 { // jobs are pending if worker 0 has panicked
		return
	}
	t.closed = true
	t.start()
	t.exited.Wait()
	t.workers = nil
}

// For splits 0..n-1 into ranges of grain items and distributes them to the
// workers in ascending order. It returns when all ranges are done, or with the
// cause of ctx when ctx ends.
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

// Split divides 0..n-1 into the given number of parts of nearly equal size. It
// returns the bounds of part i, which is lo..hi-1.
func Split(n, parts, i int) (lo, hi int) {
	return int(uint64(n) * uint64(i) / uint64(parts)), int(uint64(n) * uint64(i+1) / uint64(parts))
}
