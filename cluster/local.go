package cluster

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// InProcess returns the worlds of ranks that are goroutines of this process. Tests use
// them instead of MPI.
func InProcess(size int) []*World {
	m := &meeting{size: size, gate: make(chan struct{}), posted: make([]contribution, size)}
	m.messages = make([][]message, size*size)
	worlds := make([]*World, size)
	for r := range worlds {
		var l link
		if size > 1 {
			l = &localLink{meeting: m, rank: r}
		}
		worlds[r] = newWorld(r, size, l)
		for i := range size {
			worlds[r].hosts[i] = fmt.Sprintf("host%d", i)
		}
	}
	return worlds
}

// RunInProcess runs work on the ranks of InProcess and returns their errors. Like the watch
// of a run, the first error ends the context of all.
func RunInProcess(ctx context.Context, size int, work func(ctx context.Context, w *World) error) []error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	errs := make([]error, size)
	var all sync.WaitGroup
	for r, w := range InProcess(size) {
		all.Go(func() {
			if errs[r] = work(ctx, w); errs[r] != nil {
				cancel(errs[r])
			}
		})
	}
	all.Wait()
	return errs
}

// meeting is where the ranks of one process exchange their data.
type meeting struct {
	size     int
	mu       sync.Mutex
	arrived  int
	gate     chan struct{} // closed when all have arrived
	posted   []contribution
	messages [][]message // by sender and receiver
	aborted  []int       // ranks that called abort
	finished []int       // statuses of the ranks that called finish
}

// contribution is what a rank gives to a collective operation.
type contribution struct {
	values []int64
	bytes  []byte
	parts  []int32 // lengths in bytes
}

type localLink struct {
	*meeting
	rank  int
	given atomic.Bool // a collective operation was given up
}

// wait waits until all ranks have called it.
func (l *localLink) wait(ctx context.Context) error {
	l.mu.Lock()
	gate := l.gate
	if l.arrived++; l.arrived == l.size {
		l.arrived = 0
		l.gate = make(chan struct{})
		close(gate)
	}
	l.mu.Unlock()
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		l.given.Store(true)
		return context.Cause(ctx)
	}
}

// exchange posts a contribution, calls read when all ranks have posted theirs, and
// returns when all ranks have read.
func (l *localLink) exchange(ctx context.Context, own contribution, read func(all []contribution)) error {
	l.posted[l.rank] = own
	if err := l.wait(ctx); err != nil {
		return err
	}
	read(l.posted)
	return l.wait(ctx)
}

func (l *localLink) reduce(ctx context.Context, by operation, values []int64) error {
	combined := append([]int64(nil), values...)
	err := l.exchange(ctx, contribution{values: values}, func(all []contribution) {
		for r, c := range all {
			if r == l.rank {
				continue
			}
			for i, v := range c.values {
				switch by {
				case sum:
					combined[i] += v
				case minimum:
					combined[i] = min(combined[i], v)
				case maximum:
					combined[i] = max(combined[i], v)
				}
			}
		}
	})
	copy(values, combined)
	return err
}

func (l *localLink) allgather(ctx context.Context, own, all []byte) error {
	return l.exchange(ctx, contribution{bytes: own}, func(posted []contribution) {
		for r, c := range posted {
			copy(all[r*len(own):], c.bytes)
		}
	})
}

func (l *localLink) allgatherv(ctx context.Context, own, all []byte, bytes []int32) error {
	return l.exchange(ctx, contribution{bytes: own}, func(posted []contribution) {
		for r, c := range posted {
			copy(all[:bytes[r]], c.bytes)
			all = all[bytes[r]:]
		}
	})
}

func (l *localLink) alltoall(ctx context.Context, in, out []byte) error {
	part := len(in) / l.size
	return l.exchange(ctx, contribution{bytes: in}, func(posted []contribution) {
		for r, c := range posted {
			copy(out[r*part:], c.bytes[l.rank*part:][:part])
		}
	})
}

func (l *localLink) alltoallv(ctx context.Context, in []byte, inBytes []int32, out []byte, outBytes []int32) error {
	return l.exchange(ctx, contribution{bytes: in, parts: inBytes}, func(posted []contribution) {
		for r, c := range posted {
			at := 0
			for _, n := range c.parts[:l.rank] {
				at += int(n)
			}
			copy(out[:outBytes[r]], c.bytes[at:])
			out = out[outBytes[r]:]
		}
	})
}

func (l *localLink) send(to int, m *message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	queue := &l.messages[l.rank*l.size+to]
	*queue = append(*queue, *m)
	return nil
}

func (l *localLink) receive(from int, m *message) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	queue := &l.messages[from*l.size+l.rank]
	if len(*queue) == 0 {
		return false, nil
	}
	*m, *queue = (*queue)[0], (*queue)[1:]
	return true, nil
}

func (l *localLink) clean() bool { return !l.given.Load() }

func (l *localLink) abort(int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.aborted = append(l.aborted, l.rank)
}

func (l *localLink) exit(status int) { l.finish(status) }

func (l *localLink) finish(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finished = append(l.finished, status)
}
