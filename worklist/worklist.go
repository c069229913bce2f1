package worklist

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"graph500/parallel"
)

// Worklist holds the items of a run. The number of items is limited by memory only.
// T must not contain pointers.
type Worklist[T any] struct {
	team     *parallel.Team
	topology Topology
	pool     *pool[T]
	log      *bagLog[T]
	workers  []Worker[T]
	counts   Counts // of the last run

	stopped atomic.Bool  // no worker takes another item
	idle    atomic.Int32 // workers that wait for an item

	mu  sync.Mutex
	err error // the first of the run
}

// New returns a worklist for the workers of a team. It allocates memory for the given
// number of items, and more when it holds more. It has at most priorities bags, at
// least 1; when all are in use, an item of another priority goes to the bag before it.
// Close frees the memory.
func New[T any](team *parallel.Team, t Topology, items, priorities int) (*Worklist[T], error) {
	if len(t.group) != team.Size() {
		return nil, fmt.Errorf("worklist: a topology of %d workers for a team of %d", len(t.group), team.Size())
	}
	if items < 0 || priorities < 1 {
		return nil, fmt.Errorf("worklist: %d items of %d priorities", items, priorities)
	}
	p, err := newPool[T](items/chunkItems + 1)
	if err != nil {
		return nil, err
	}
	l := &Worklist[T]{team: team, topology: t, pool: p, log: newLog[T](priorities), workers: make([]Worker[T], team.Size())}
	for i := range l.workers {
		w := &l.workers[i]
		w.worklist, w.number, w.group = l, i, t.group[i]
		w.scanStart.Store(math.MaxInt64)
	}
	return l, nil
}

// Worker returns a worker's access, for items before a run.
func (l *Worklist[T]) Worker(number int) *Worker[T] { return &l.workers[number] }

// Counts returns the sums over the workers of the last run.
func (l *Worklist[T]) Counts() Counts { return l.counts }

// Close frees the memory.
func (l *Worklist[T]) Close() error { return l.pool.close() }

// Run processes all items, including those that process pushes, each once. When ctx
// ends, it returns its cause soon: each worker completes at most the item that it
// processes. The worklist is empty after Run, whatever it returns.
func (l *Worklist[T]) Run(ctx context.Context, process func(w *Worker[T], item T)) error {
	defer l.reset()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for i := range l.workers {
		w := &l.workers[i]
		w.pushed.Store(w.counts.Pushed)
	}
	failed := make(chan struct{})
	release := context.AfterFunc(ctx, func() {
		l.fail(context.Cause(ctx))
		close(failed)
	})
	l.team.Run(func(worker int) { l.workers[worker].run(process) })
	if !release() {
		<-failed // fail must not end the next run
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// run processes items until the run ends.
func (w *Worker[T]) run(process func(w *Worker[T], item T)) {
	for {
		item, ok := w.pop()
		if ok {
			process(w, item)
			w.counts.Processed++
		} else if !w.wait() {
			return
		}
	}
}

// fail ends the run with an error.
func (l *Worklist[T]) fail(err error) {
	l.mu.Lock()
	if l.err == nil {
		l.err = err
	}
	l.mu.Unlock()
	l.stopped.Store(true)
}

// reset empties the worklist and sums up the counts.
func (l *Worklist[T]) reset() {
	l.counts = Counts{}
	for i := range l.workers {
		w := &l.workers[i]
		l.counts.Processed += w.counts.Processed
		l.counts.Pushed += w.counts.Pushed
		l.counts.Useful += w.Useful
		for d, steals := range w.counts.Steals {
			l.counts.Steals[d] += steals
		}
		for _, b := range w.known {
			w.giveEmpty(b.in)
			w.giveEmpty(b.out)
		}
		w.Useful, w.counts = 0, Counts{}
		w.known, w.order, w.current, w.turns = w.known[:0], w.order[:0], 0, 0
		clear(w.recent[:])
		w.scanStart.Store(math.MaxInt64)
		w.pushed.Store(0)
		w.done.Store(0)
	}
	for _, e := range l.log.entries[:l.log.version.Load()] {
		for i := range e.bag.lists {
			for c := e.bag.lists[i].take(l.pool); c != nil; c = e.bag.lists[i].take(l.pool) {
				l.workers[0].giveEmpty(c)
			}
		}
	}
	l.log.version.Store(0)
	l.err = nil
	l.stopped.Store(false)
}
