package cpu

import (
	"math/bits"

	"graph500/engine"
)

// pausedRow is a row whose arcs from position on wait until the bound exceeds next.
type pausedRow[D distance] struct {
	next     D // no waiting arc leads to a smaller distance
	distance D // of the vertex when the row was paused
	vertex   engine.Label
	position uint32 // in the row
}

// rowQueue is a priority queue of paused rows by next: a radix heap (Ahuja et al. 1990).
// It compares bits, so it needs no width, and a wide range costs no empty buckets.
type rowQueue[D distance] struct {
	// fresh holds the rows pushed since the last takeBelow, in no order: many are taken by the
	// next one, and those of the last bound of a search are never looked at again.
	fresh []pausedRow[D]
	base  D // no row of the queue has a smaller next
	// Rows in bins[i] have a next whose highest bit that differs from base is bit i-1.
	bins [65][]pausedRow[D]
}

// reset empties the queue.
func (q *rowQueue[D]) reset() {
	for i := range q.bins {
		q.bins[i] = q.bins[i][:0]
	}
	q.fresh, q.base = q.fresh[:0], 0
}

// push adds a row whose next is at least the bound of the last takeBelow.
func (q *rowQueue[D]) push(p pausedRow[D]) { q.fresh = append(q.fresh, p) }

// least returns the least next, or the largest number if the queue is empty.
func (q *rowQueue[D]) least() D {
	least := leastNext(q.fresh)
	for _, bin := range q.bins {
		if len(bin) > 0 { // later bins have larger ones
			return min(least, leastNext(bin))
		}
	}
	return least
}

// leastNext returns the least next of the rows, or the largest number if there is none.
func leastNext[D distance](rows []pausedRow[D]) D {
	least := ^D(0)
	for i := range rows {
		least = min(least, rows[i].next)
	}
	return least
}

// takeBelow moves the rows whose next is below bound to the end of list. The bound must
// not fall from call to call.
func (q *rowQueue[D]) takeBelow(bound D, list []pausedRow[D]) []pausedRow[D] {
	split := bits.Len64(uint64(bound ^ q.base))
	q.base = bound
	for i, bin := range q.bins[:split] {
		list = append(list, bin...)
		q.bins[i] = bin[:0]
	}
	bin := q.bins[split]
	q.bins[split] = bin[:0] // a row that stays goes to a bin before this one, or stays where it is
	list = q.divide(bin, list)
	list = q.divide(q.fresh, list)
	q.fresh = q.fresh[:0]
	return list
}

// divide moves the rows whose next is below base to the end of list, the others to their bins.
func (q *rowQueue[D]) divide(rows, list []pausedRow[D]) []pausedRow[D] {
	for _, p := range rows {
		to := &list
		if p.next >= q.base {
			to = &q.bins[bits.Len64(uint64(p.next^q.base))]
		}
		*to = append(*to, p)
	}
	return list
}
