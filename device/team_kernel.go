//go:build cuda

package device

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
)

// TeamKernel launches one persistent kernel on each device of this process's part of a team.
// The kernels of all devices wait for each other. A launch takes the host 4 µs, so each device
// but the first has a thread that launches its kernel at the same time.
type TeamKernel struct {
	kernels   []*Persistent
	launchers []*launcher // of kernels 1 and up
}

// NewTeamKernel joins the kernels of the devices of this process. No kernel may be loaded
// while one waits for it; none is, because a launch graph is uploaded when it is prepared.
func NewTeamKernel(kernels []*Persistent) *TeamKernel {
	t := &TeamKernel{kernels: kernels}
	for _, k := range kernels[1:] {
		t.launchers = append(t.launchers, newLauncher(k))
	}
	return t
}

// Ready says that Run follows within a millisecond. It waits until the threads are awake,
// which can take 100 µs.
func (t *TeamKernel) Ready() {
	for _, l := range t.launchers {
		l.wake()
	}
	for until := time.Now().Add(spinTime); time.Now().Before(until); runtime.Gosched() {
		if !slices.ContainsFunc(t.launchers, func(l *launcher) bool { return !l.awake.Load() }) {
			return
		}
	}
}

// Run launches the kernels and waits for the end of all of this process, as Persistent.Run
// does. If a device fails, the others are asked to stop, also those that wait for it in a
// barrier. ctx ends if another rank fails.
func (t *TeamKernel) Run(ctx context.Context, argument uint64) error {
	for _, l := range t.launchers {
		l.begin(argument)
	}
	r := &teamRun{kernels: t.kernels}
	r.started(t.kernels[0], t.kernels[0].start(argument))
	for i, l := range t.launchers {
		r.started(t.kernels[i+1], l.wait())
	}
	for len(r.running) > 0 {
		r.running = slices.DeleteFunc(r.running, func(k *Persistent) bool {
			done, err := k.device.Await(k.Done, endPolls/len(t.kernels))
			r.stopFor(err)
			return done || err != nil
		})
		if ctx.Err() != nil {
			r.stopFor(context.Cause(ctx))
		}
	}
	for _, k := range t.kernels {
		k.ask(0)
	}
	return r.cause
}

// Close ends the threads. Close of nil does nothing.
func (t *TeamKernel) Close() {
	if t == nil {
		return
	}
	for _, l := range t.launchers {
		close(l.woken)
	}
}

// teamRun is the state of one call of TeamKernel.Run.
type teamRun struct {
	kernels, running []*Persistent
	cause            error // of the end before the kernels have ended; nil if there is none
}

// started notes the result of the start of a kernel.
func (r *teamRun) started(k *Persistent, err error) {
	if err == nil {
		r.running = append(r.running, k)
	}
	r.stopFor(err)
}

// stopFor asks all kernels to stop, unless err is nil.
func (r *teamRun) stopFor(err error) {
	if err == nil || r.cause != nil {
		return
	}
	r.cause = err
	for _, k := range r.kernels {
		k.ask(1)
	}
}

// launcher launches a kernel on a thread of its own.
type launcher struct {
	kernel   *Persistent
	woken    chan struct{} // holds an element if the thread was woken
	awake    atomic.Bool
	begun    atomic.Uint64 // calls of begin
	ended    atomic.Uint64 // launches
	argument uint64
	err      error // of the last launch
}

func newLauncher(k *Persistent) *launcher {
	l := &launcher{kernel: k, woken: make(chan struct{}, 1)}
	go l.main()
	return l
}

// spinTime is the time for which a woken thread waits for a launch without sleeping.
const spinTime = time.Millisecond

func (l *launcher) main() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range l.woken {
		l.awake.Store(true)
		for until := time.Now().Add(spinTime); ; {
			if n := l.begun.Load(); n != l.ended.Load() {
				l.err = l.kernel.start(l.argument)
				l.ended.Store(n)
				break
			}
			if !time.Now().Before(until) {
				break
			}
		}
		l.awake.Store(false)
	}
}

// wake lets the thread wait without sleeping.
func (l *launcher) wake() {
	select {
	case l.woken <- struct{}{}:
	default: // it is awake, or about to be
	}
}

// begin begins a launch.
func (l *launcher) begin(argument uint64) {
	l.argument = argument
	l.begun.Add(1)
	l.wake() // it may have fallen asleep
}

// wait waits for the end of the launch and returns its error.
func (l *launcher) wait() error {
	for l.ended.Load() != l.begun.Load() {
		runtime.Gosched()
	}
	return l.err
}
