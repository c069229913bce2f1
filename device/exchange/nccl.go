//go:build cuda

package exchange

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"graph500/cluster"
	"graph500/device"
	"graph500/device/nccl"
	"graph500/engine"
)

const (
	// startWithin is the time in which NCCL must have connected all devices, and the same for
	// the first gathers.
	startWithin = 60 * time.Second

	// lookEvery is the time between two looks for errors that NCCL has in the background.
	lookEvery = time.Second
)

// overNCCL is the exchange over NCCL. Its operations run in the streams of the devices. NCCL
// waits for other devices without end, so that the end of the run's context, or an error in
// the background, aborts what it does.
type overNCCL struct {
	ctx     context.Context
	team    *device.Team
	comms   []nccl.Comm // of the devices of this process
	closing chan struct{}
	ends    sync.WaitGroup // of watch

	calling sync.Mutex // held while comms are used
	mutex   sync.Mutex // of the following
	aborted bool
	failure error // in the background
}

// OverNCCL returns the exchange over NCCL, once it has gathered right. The devices have
// primary contexts. An error is the same on all ranks.
func OverNCCL(ctx context.Context, w *cluster.World, team *device.Team) (Exchange, error) {
	if err := w.Agree(ctx, nccl.Load()); err != nil {
		return nil, err
	}
	id, err := shareID(ctx, w)
	if err != nil {
		return nil, err
	}
	x := &overNCCL{ctx: ctx, team: team, comms: make([]nccl.Comm, len(team.Devices())), closing: make(chan struct{})}
	if err := w.Agree(ctx, within(ctx, func() error { return x.join(id) })); err != nil {
		return nil, err // a rank that has joined keeps its communicators until its end
	}
	x.ends.Go(x.watch)
	if err := w.Agree(ctx, within(ctx, x.try)); err != nil {
		_ = x.Close() // the first error is the cause
		return nil, err
	}
	return x, nil
}

// shareID returns the identifier that rank 0 has made.
func shareID(ctx context.Context, w *cluster.World) (id nccl.ID, err error) {
	if err := w.OnFirst(ctx, func() error {
		id, err = nccl.NewID()
		return err
	}); err != nil {
		return id, err
	}
	all, err := cluster.Values(ctx, w, id)
	if err != nil {
		return id, err
	}
	return all[0], nil
}

// within returns the error of work, or that work takes too long: then it goes on.
func within(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(startWithin):
		return fmt.Errorf("NCCL does not connect the GPUs within %v", startWithin)
	}
}

// group executes the operations that queue begins for each device as one.
func (x *overNCCL) group(queue func(i int, stream unsafe.Pointer) error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return nccl.Group(func() error {
		for i, d := range x.team.Devices() {
			if err := d.WithStream(func(stream unsafe.Pointer) error { return queue(i, stream) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// join connects the devices.
func (x *overNCCL) join(id nccl.ID) error {
	err := x.group(func(i int, _ unsafe.Pointer) error {
		return x.comms[i].Join(id, x.team.Count(), x.team.First()+i)
	})
	for i := range x.comms {
		x.comms[i].Joined()
	}
	return err
}

// try gathers a few bytes in both ways and compares them. The first operations also make NCCL
// take its memory.
func (x *overNCCL) try() error {
	count := x.team.Count()
	equal, rising := make([]Span, count), make([]Span, count)
	total := 0
	for k := range count {
		equal[k], rising[k] = Span{k * (count + 1), count + 1}, Span{total, k + 1}
		total += k + 1
	}
	for _, spans := range [][]Span{equal, rising} {
		if err := x.trySpans(spans); err != nil {
			return err
		}
	}
	return nil
}

// trySpans gathers spans, of which each has bytes of its own, and compares them.
func (x *overNCCL) trySpans(spans []Span) (err error) {
	want := make([]byte, spans[len(spans)-1].First+spans[len(spans)-1].Count)
	for k, s := range spans {
		for i := range s.Count {
			want[s.First+i] = byte(37*k + i + 1)
		}
	}
	arrays := make([]device.Array[byte], len(x.comms))
	for i, d := range x.team.Devices() {
		var free func() error
		if arrays[i], free, err = device.Outside[byte](d, "first exchange", len(want)); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, free()) }()
		own := spans[x.team.First()+i]
		if err := errors.Join(arrays[i].Fill(0), arrays[i].Write(own.First, want[own.First:][:own.Count])); err != nil {
			return err
		}
	}
	if err := x.Gather(arrays, spans); err != nil {
		return err
	}
	for _, a := range arrays {
		got := make([]byte, len(want))
		if err := a.Read(0, got); err != nil {
			return err
		}
		if err := x.State(); err != nil {
			return err
		}
		if string(got) != string(want) {
			return errors.New("NCCL gathers wrong bytes")
		}
	}
	return nil
}

func (x *overNCCL) Kind() engine.Exchange { return engine.NCCLExchange }

func (x *overNCCL) HostBytes() uint64 { return 0 }

func (x *overNCCL) Gather(arrays []device.Array[byte], spans []Span) error {
	if err := check(x.team, arrays, spans); err != nil {
		return err
	}
	x.calling.Lock()
	defer x.calling.Unlock()
	if err := x.ended(); err != nil {
		return err
	}
	queue := x.exchangeSpans
	if areEqual(spans) {
		queue = x.allGather
	}
	err := x.group(func(i int, stream unsafe.Pointer) error { return queue(i, arrays[i].Address(), spans, stream) })
	if ended := x.ended(); ended != nil {
		return ended
	}
	return err
}

func (x *overNCCL) State() error {
	x.calling.Lock()
	defer x.calling.Unlock()
	if err := x.ended(); err != nil {
		return err
	}
	return x.problem()
}

// areEqual reports whether the spans are equally long and follow each other.
func areEqual(spans []Span) bool {
	for k, s := range spans {
		if s.Count != spans[0].Count || s.First != spans[0].First+k*s.Count {
			return false
		}
	}
	return true
}

// allGather queues the gathering of equal spans on device i, whose array begins at address.
func (x *overNCCL) allGather(i int, address uint64, spans []Span, stream unsafe.Pointer) error {
	own := spans[x.team.First()+i]
	if own.Count == 0 {
		return nil
	}
	return x.comms[i].AllGather(address+uint64(own.First), address+uint64(spans[0].First), own.Count, stream)
}

// exchangeSpans queues the exchange of any spans on device i: each sends its own to all others.
func (x *overNCCL) exchangeSpans(i int, address uint64, spans []Span, stream unsafe.Pointer) error {
	number := x.team.First() + i
	own := spans[number]
	for k, s := range spans {
		if k == number {
			continue
		}
		if own.Count > 0 {
			if err := x.comms[i].Send(address+uint64(own.First), own.Count, k, stream); err != nil {
				return err
			}
		}
		if s.Count > 0 {
			if err := x.comms[i].Receive(address+uint64(s.First), s.Count, k, stream); err != nil {
				return err
			}
		}
	}
	return nil
}

// problem returns the error that a device has in the background.
func (x *overNCCL) problem() error {
	for i := range x.comms {
		if err := x.comms[i].Problem(); err != nil {
			return err
		}
	}
	return nil
}

// ended returns why the exchange has ended, nil if it has not.
func (x *overNCCL) ended() error {
	if err := context.Cause(x.ctx); err != nil {
		return err
	}
	x.mutex.Lock()
	defer x.mutex.Unlock()
	if x.failure == nil && x.aborted {
		return errors.New("exchange: it is closed")
	}
	return x.failure
}

// watch aborts NCCL when the context ends or a device has an error in the background.
func (x *overNCCL) watch() {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-x.closing:
			return
		case <-x.ctx.Done():
			_ = x.abort() // the cause of the context is the error
			return
		case <-look.C:
		}
		if err := x.problem(); err != nil {
			x.mutex.Lock()
			x.failure = err
			x.mutex.Unlock()
			_ = x.abort() // the first error is the cause
			return
		}
	}
}

// abort frees the communicators, all at the same time. It lets a call of Gather end, unless
// that waits for other devices.
func (x *overNCCL) abort() error {
	x.mutex.Lock()
	before := x.aborted
	x.aborted = true
	x.mutex.Unlock()
	if before {
		return nil
	}
	for until := time.Now().Add(lookEvery / 2); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if x.calling.TryLock() {
			defer x.calling.Unlock()
			break
		}
	}
	errs := make([]error, len(x.comms))
	var all sync.WaitGroup
	for i, d := range x.team.Devices() {
		all.Go(func() {
			errs[i] = d.WithStream(func(unsafe.Pointer) error { return x.comms[i].Abort() })
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// Close frees the communicators. It does not wait for other ranks, which may have failed.
func (x *overNCCL) Close() error {
	close(x.closing)
	x.ends.Wait()
	return x.abort()
}
