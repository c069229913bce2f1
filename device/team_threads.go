//go:build cuda

package device

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// teamThreads call a function for several devices at the same time, for each one on an OS
// thread that is only for it. A search is so launched where the results were cleared before:
// there, the processor's caches have the driver's code and data of the device. On a core that
// has slept, or worked for another device, a launch takes several times as long.
type teamThreads struct {
	indices [][]int // of each device among those of the process, in order
	threads []*teamThread
	running sync.WaitGroup
	awake   time.Duration // for which a thread waits for more work before it sleeps
}

// spinTime is the time for which a thread waits without sleeping: longer than from the
// clearing of the results to the search. To wake a thread up takes 15 to 80 µs.
const spinTime = time.Millisecond

// newTeamThreads starts the threads, none for one device. Tests give the same device several
// times: it does its work in order.
func newTeamThreads(devices []*Device) *teamThreads {
	t := &teamThreads{}
	place := make(map[*Device]int)
	for i, d := range devices {
		at, known := place[d]
		if !known {
			at = len(t.indices)
			place[d], t.indices = at, append(t.indices, nil)
		}
		t.indices[at] = append(t.indices[at], i)
	}
	if runtime.GOMAXPROCS(0) > len(t.indices) { // else waiting threads keep others from their work
		t.awake = spinTime
	}
	if len(t.indices) == 1 {
		return t
	}
	for at := range t.indices {
		thread := &teamThread{device: at, awake: t.awake, woken: make(chan struct{}, 1), running: &t.running}
		t.threads = append(t.threads, thread)
		go thread.main()
	}
	return t
}

// do calls work for all devices, by the position in indices, and returns when all have ended.
func (t *teamThreads) do(work func(device int)) {
	if len(t.threads) == 0 && len(t.indices) > 0 {
		work(0)
	}
	t.running.Add(len(t.threads))
	for _, thread := range t.threads {
		thread.begin(work)
	}
	for _, thread := range t.threads {
		thread.await()
	}
	t.running.Wait()
}

// close ends the threads.
func (t *teamThreads) close() {
	for _, thread := range t.threads {
		close(thread.woken)
	}
}

// teamThread is the thread of one device.
type teamThread struct {
	work    func(device int)
	device  int
	begun   atomic.Uint64 // calls of begin
	ended   atomic.Uint64 // of the work
	asleep  atomic.Bool   // or about to be
	woken   chan struct{} // has an element if the thread is to wake up
	awake   time.Duration
	running *sync.WaitGroup
}

func (t *teamThread) main() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		t.serve()
		t.asleep.Store(true)
		if t.begun.Load() == t.ended.Load() { // begin looks at asleep after it has begun
			if _, open := <-t.woken; !open {
				return
			}
		}
		t.asleep.Store(false)
	}
}

// serve does the work that is begun until there was none for some time.
func (t *teamThread) serve() {
	for until := time.Now().Add(t.awake); ; {
		if n := t.begun.Load(); n != t.ended.Load() {
			t.work(t.device)
			t.ended.Store(n)
			t.running.Done()
			until = time.Now().Add(t.awake)
			continue
		}
		if !time.Now().Before(until) {
			return
		}
	}
}

// begin begins work.
func (t *teamThread) begin(work func(device int)) {
	t.work = work
	t.begun.Add(1)
	if t.asleep.Load() {
		select {
		case t.woken <- struct{}{}:
		default: // it is to wake up already
		}
	}
}

// await returns when the work has ended, or takes long.
func (t *teamThread) await() {
	for until := time.Now().Add(t.awake); t.ended.Load() != t.begun.Load() && time.Now().Before(until); {
	}
}
