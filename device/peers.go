//go:build cuda

package device

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"gorgonia.org/cu"

	"graph500/device/driver"
)

// Count returns the number of GPUs that CUDA_VISIBLE_DEVICES selects.
func Count() (int, error) {
	if err := driver.Load(); err != nil {
		return 0, err
	}
	n, err := cu.NumDevices()
	return n, failed("cuDeviceGetCount", err)
}

// NoPeerAccess is the error of EnablePeers for two GPUs that cannot access each other's
// memory.
type NoPeerAccess struct {
	From, To         int    // ordinals
	FromName, ToName string // of the GPUs
}

func (e *NoPeerAccess) Error() string {
	return fmt.Sprintf("GPU %d (%s) cannot access the memory of GPU %d (%s)", e.From, e.FromName, e.To, e.ToName)
}

// peerAccessEnabled is CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED.
const peerAccessEnabled = 704

// EnablePeers lets the kernels of each device access the memory of the others.
func EnablePeers(devices []*Device) error {
	for _, from := range devices {
		for _, to := range devices {
			if from == to {
				continue
			}
			if err := from.enablePeer(to); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Device) enablePeer(other *Device) error {
	can, err := d.device.CanAccessPeer(other.device)
	if err != nil {
		return failed("cuDeviceCanAccessPeer", err)
	}
	if can == 0 {
		return &NoPeerAccess{int(d.device), int(other.device), d.properties.Name, other.properties.Name}
	}
	return d.do(func() error {
		err := other.context.EnablePeerAccess(0)
		if err != nil && driver.Code(err) == peerAccessEnabled {
			return nil
		}
		return failed("cuCtxEnablePeerAccess", err)
	})
}

// Team launches one persistent kernel on each of several devices, which wait for each
// other. A launch takes the host 4 µs, so each device but the first has a thread that
// launches its kernel at the same time.
type Team struct {
	kernels   []*Persistent
	launchers []*launcher // of kernels 1 and up
}

// NewTeam returns a team of kernels, of which each is on a device of its own. No kernel may
// be loaded while one waits for it; none is, because a launch graph is uploaded when it is
// prepared.
func NewTeam(kernels []*Persistent) *Team {
	t := &Team{kernels: kernels}
	for _, k := range kernels[1:] {
		t.launchers = append(t.launchers, newLauncher(k))
	}
	return t
}

// Ready says that Run follows within a millisecond. It waits until the threads are awake,
// which can take 100 µs.
func (t *Team) Ready() {
	for _, l := range t.launchers {
		l.wake()
	}
	for until := time.Now().Add(spinTime); time.Now().Before(until); runtime.Gosched() {
		if !slices.ContainsFunc(t.launchers, func(l *launcher) bool { return !l.awake.Load() }) {
			return
		}
	}
}

// Run launches the kernels and waits for the end of all, as Persistent.Run does. If a
// device fails, the others are asked to stop, also those that wait for it in a barrier.
func (t *Team) Run(ctx context.Context, argument uint64) error {
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
func (t *Team) Close() {
	if t == nil {
		return
	}
	for _, l := range t.launchers {
		close(l.woken)
	}
}

// teamRun is the state of one call of Team.Run.
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
