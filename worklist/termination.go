package worklist

import (
	"runtime"
	"time"
)

const (
	// spinRounds is the number of looks for an item, about 0.1 µs each, before a
	// worker yields its processor. Most waits are shorter: another worker shares its
	// chunk as soon as it has taken its next one.
	spinRounds = 300
	// yieldRounds is the number of looks before a worker sleeps between them.
	yieldRounds = 400
	sleep       = 50 * time.Microsecond
)

// wait waits for an item of another worker. It returns false at the end of the run.
func (w *Worker[T]) wait() bool {
	l := w.worklist
	w.pushed.Store(w.counts.Pushed) // before done, see isDone
	w.done.Store(w.counts.Processed)
	l.idle.Add(1)
	defer l.idle.Add(-1)
	canSpin := len(l.workers) <= runtime.GOMAXPROCS(0) // otherwise it may block the awaited worker
	for round := 0; !l.stopped.Load(); round++ {
		if l.isDone() {
			l.stopped.Store(true)
			return false
		}
		if w.next() {
			return true
		}
		switch {
		case round < spinRounds && canSpin:
		case round < yieldRounds:
			runtime.Gosched()
		default:
			time.Sleep(sleep)
		}
	}
	return false
}

// isDone reports whether every item that was pushed has been processed.
//
// Each worker publishes its numbers of items pushed and processed, which only grow.
// It publishes the pushed ones before another worker can take one of them, and before
// it publishes those that it processed. So at any time the published sum of the
// processed ones is at most that of the pushed ones, and if they are equal, there is
// no item left: an item that is not published as pushed was pushed while another one
// was processed, and the first of this sequence is published as pushed but not as
// processed.
//
// The sums are not read at one time. But if the pushed ones, read later, equal the
// processed ones, read earlier, both were equal in between.
func (l *Worklist[T]) isDone() bool {
	var done, pushed int64
	for i := range l.workers {
		done += l.workers[i].done.Load()
	}
	for i := range l.workers {
		pushed += l.workers[i].pushed.Load()
	}
	return done == pushed
}
