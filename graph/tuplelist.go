package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"graph500/engine"
	"graph500/memory"
)

// tupleList is a list of tuples outside the Go heap. All tuples have a weight, or
// none has.
type tupleList struct {
	edges   segmentList[engine.Edge]
	weights segmentList[float32]
	limit   memory.Limit
}

// check returns an error if n tuples need more memory than the limit.
func (l *tupleList) check(n uint64, weighted bool) error {
	size := uint64(8) // bytes per tuple
	if weighted {
		size += 4
	}
	if n <= l.limit.Bytes/size {
		return nil
	}
	high, needed := bits.Mul64(n, size)
	if high != 0 {
		needed = math.MaxUint64
	}
	return fmt.Errorf("%d edges need %s of memory, %s are available (%s)", n, memory.Size(needed), memory.Size(l.limit.Bytes), l.limit.Source)
}

// add appends tuples.
func (l *tupleList) add(t engine.Tuples) error {
	if err := l.check(l.edges.n+uint64(len(t.Edges)), t.Weights != nil); err != nil {
		return err
	}
	if err := l.edges.add(t.Edges); err != nil {
		return err
	}
	return l.weights.add(t.Weights)
}

// join returns all tuples in one array each and empties the list.
func (l *tupleList) join(ctx context.Context) (t engine.Tuples, err error) {
	if t.Edges, err = l.edges.join(ctx); err != nil {
		return engine.Tuples{}, err
	}
	if t.Weights, err = l.weights.join(ctx); err != nil {
		return engine.Tuples{}, errors.Join(err, FreeTuples(t))
	}
	return t, nil
}

// free frees the list.
func (l *tupleList) free() error { return errors.Join(l.edges.free(), l.weights.free()) }

// segmentList is a list of segments outside the Go heap. It grows without copies
// and without twice the memory.
type segmentList[T any] struct {
	segments [][]T  // all full except the last
	used     int    // elements in the last segment
	n        uint64 // elements in all segments
}

// segmentLength is the number of elements in a segment: 32 MiB of edges.
const segmentLength = 1 << 22

// add appends elements.
func (l *segmentList[T]) add(elements []T) error {
	for len(elements) > 0 {
		if len(l.segments) == 0 || l.used == segmentLength {
			p, err := memory.Alloc[T](segmentLength)
			if err != nil {
				return err
			}
			l.segments = append(l.segments, p)
			l.used = 0
		}
		k := copy(l.segments[len(l.segments)-1][l.used:], elements)
		elements = elements[k:]
		l.used += k
		l.n += uint64(k)
	}
	return nil
}

// join returns all elements in one array and empties the list. It frees each
// segment after copying it.
func (l *segmentList[T]) join(ctx context.Context) ([]T, error) {
	all, err := memory.Alloc[T](int(l.n))
	if err != nil {
		return nil, err
	}
	at := 0
	for len(l.segments) > 0 {
		if ctx.Err() != nil {
			return nil, errors.Join(context.Cause(ctx), memory.Free(all))
		}
		at += copy(all[at:], l.segments[0])
		p := l.segments[0]
		l.segments = l.segments[1:]
		if err := memory.Free(p); err != nil {
			return nil, errors.Join(err, memory.Free(all))
		}
	}
	l.n = 0
	return all, nil
}

// free frees all segments.
func (l *segmentList[T]) free() error {
	var err error
	for _, p := range l.segments {
		err = errors.Join(err, memory.Free(p))
	}
	l.segments = nil
	return err
}
