package worklist

import (
	"errors"
	"sync"
	"unsafe"

	"graph500/memory"
)

const (
	// chunkItems is the number of items of a full chunk. A smaller chunk spreads work
	// earlier and locks lists more often.
	chunkItems = 64
	// cachedChunks is the number of empty chunks that a worker keeps.
	cachedChunks = 8
	// maxSlabs doublings exceed the range of a reference.
	maxSlabs = 33
)

// chunk is a queue of items. Its items are items[head:tail].
type chunk[T any] struct {
	items      [chunkItems]T
	head, tail uint32
	filler     int32     // worker that put it on a list
	self, next reference // next: in the list of chunks that it is on
}

// reference is the number of a chunk in its pool plus 1; 0 means none. Chunks are in
// memory that may hold no pointers.
type reference uint32

func (c *chunk[T]) isEmpty() bool { return c == nil || c.head == c.tail }

// pool provides chunks and takes them back. It grows by slabs, each as large as all
// before it, so that a chunk never moves.
type pool[T any] struct {
	first int // chunks of the first slab
	slabs [maxSlabs][]chunk[T]
	alloc func(chunks int) ([]chunk[T], error) // memory.Alloc; tests replace it

	mu       sync.Mutex
	provided int       // chunks that have been in use
	spare    reference // list of chunks given back
}

// newPool allocates a pool for the given number of chunks, at least 1.
func newPool[T any](chunks int) (*pool[T], error) {
	p := &pool[T]{first: chunks, alloc: memory.Alloc[chunk[T]]}
	var err error
	p.slabs[0], err = p.alloc(chunks)
	return p, err
}

// at returns a chunk of the pool.
func (p *pool[T]) at(r reference) *chunk[T] {
	slab, i := p.locate(int(r) - 1)
	return &p.slabs[slab][i]
}

// locate returns the slab of chunk i and the chunk's index in it.
func (p *pool[T]) locate(i int) (slab, index int) {
	begin, end := 0, p.first
	for i >= end {
		begin, end, slab = end, 2*end, slab+1
	}
	return slab, i - begin
}

// take returns an empty chunk.
func (p *pool[T]) take() (*chunk[T], error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spare != 0 {
		c := p.at(p.spare)
		p.spare = c.next
		return c, nil
	}
	slab, i := p.locate(p.provided)
	if p.provided == int(^reference(0)) {
		return nil, errors.New("worklist: too many chunks")
	}
	if p.slabs[slab] == nil {
		var err error
		if p.slabs[slab], err = p.alloc(p.first << (slab - 1)); err != nil {
			return nil, err
		}
	}
	p.provided++
	c := &p.slabs[slab][i]
	c.self = reference(p.provided)
	return c, nil
}

// give takes back a list of chunks that ends with last.
func (p *pool[T]) give(first reference, last *chunk[T]) {
	p.mu.Lock()
	last.next, p.spare = p.spare, first
	p.mu.Unlock()
}

func (p *pool[T]) close() error {
	var errs []error
	for _, slab := range p.slabs {
		errs = append(errs, memory.Free(slab))
	}
	return errors.Join(errs...)
}

// Bytes returns the memory of a worklist that holds at most the given number of items
// at a time, without the chunks in the hands of its workers: up to ten per worker and
// three per worker and priority.
func Bytes[T any](items uint64) uint64 {
	return (items/chunkItems + 1) * uint64(unsafe.Sizeof(chunk[T]{}))
}
