package cpu

import (
	"math/bits"

	"graph500/engine"
)

// pausedRow is a row whose arcs from position on wait until the bound exceeds next.
type pausedRow struct {
	next     uint32 // bits of a distance: no waiting arc leads to less
	distance uint32 // bits of the vertex's distance when the row was paused
	vertex   engine.Local
	position uint32 // in the row
}

// rowQueue is a priority queue of paused rows by next: a radix heap (Ahuja et al. 1990).
// It compares bits, so it needs no width, and a wide range costs no empty buckets.
type rowQueue struct {
	base uint32 // no row of the queue has a smaller next
	// Rows in bins[i] have a next whose highest bit that differs from base is bit i-1.
	bins [33][]pausedRow
	size int
}

// reset empties the queue.
func (q *rowQueue) reset() {
	for i := range q.bins {
		q.bins[i] = q.bins[i][:0]
	}
	q.base, q.size = 0, 0
}

// push adds a row whose next is at least the bound of the last takeBelow.
func (q *rowQueue) push(p pausedRow) {
	bin := &q.bins[bits.Len32(p.next^q.base)]
	*bin = append(*bin, p)
	q.size++
}

// least returns the least next, or engine.UnreachedBits if the queue is empty.
func (q *rowQueue) least() uint32 {
	for _, bin := range q.bins {
		if len(bin) == 0 {
			continue
		}
		least := bin[0].next
		for _, p := range bin {
			least = min(least, p.next)
		}
		return least
	}
	return engine.UnreachedBits
}

// takeBelow moves the rows whose next is below bound to the end of list. The bound must
// not fall from call to call.
func (q *rowQueue) takeBelow(bound uint32, list []pausedRow) []pausedRow {
	split := bits.Len32(bound ^ q.base)
	q.base = bound
	before := len(list)
	for i, bin := range q.bins[:split] {
		list = append(list, bin...)
		q.bins[i] = bin[:0]
	}
	bin := q.bins[split]
	q.bins[split] = bin[:0]
	for _, p := range bin { // a row that stays goes to a bin before this one, or stays where it is
		if p.next < bound {
			list = append(list, p)
		} else {
			to := &q.bins[bits.Len32(p.next^bound)]
			*to = append(*to, p)
		}
	}
	q.size -= len(list) - before
	return list
}
