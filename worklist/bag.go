package worklist

import (
	"sync"
	"sync/atomic"
)

// bag holds the chunks of one priority that any worker can take.
type bag[T any] struct {
	lists []list[T] // by group
}

// list is a first-in first-out list of chunks. Nearly all are full: a chunk with fewer
// items enters an empty list only.
type list[T any] struct {
	length      atomic.Int32 // allows a look without the lock
	mu          sync.Mutex
	first, last reference
	_           [64]byte // avoids false sharing
}

func (l *list[T]) isEmpty() bool { return l.length.Load() == 0 }

// put appends a chunk. If it is not full and the list not empty, it has no effect and
// returns false.
func (l *list[T]) put(p *pool[T], c *chunk[T]) bool {
	c.next = 0
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.first == 0:
		l.first = c.self
	case c.tail-c.head < chunkItems:
		return false
	default:
		p.at(l.last).next = c.self
	}
	l.last = c.self
	l.length.Add(1)
	return true
}

// take removes the first chunk, nil if there is none.
func (l *list[T]) take(p *pool[T]) *chunk[T] {
	if l.isEmpty() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == 0 {
		return nil
	}
	c := p.at(l.first)
	l.first = c.next
	l.length.Add(-1)
	return c
}
