package worklist

import (
	"sync"
	"sync/atomic"
)

// bagLog is the common list of priorities that have a bag, in the order of their
// first item. Entries are only appended during a run, so a worker reads those below
// the version without the lock.
type bagLog[T any] struct {
	version atomic.Int64 // number of entries
	mu      sync.Mutex   // for appending
	entries []logEntry[T]
}

type logEntry[T any] struct {
	priority int
	bag      *bag[T]
}

// newLog returns a log with room for the given number of bags.
func newLog[T any](bags int) *bagLog[T] {
	return &bagLog[T]{entries: make([]logEntry[T], bags)}
}

func (g *bagLog[T]) isFull() bool { return int(g.version.Load()) == len(g.entries) }

// add appends a bag for a priority, unless it has one or the log is full. Bags of
// earlier runs are used again.
func (g *bagLog[T]) add(priority, groups int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := int(g.version.Load())
	for _, e := range g.entries[:n] {
		if e.priority == priority {
			return
		}
	}
	if n == len(g.entries) {
		return
	}
	e := &g.entries[n]
	e.priority = priority
	if e.bag == nil {
		e.bag = &bag[T]{lists: make([]list[T], groups)}
	}
	g.version.Store(int64(n + 1))
}
