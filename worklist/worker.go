package worklist

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"
)

// Counts are numbers of events of a run.
type Counts struct {
	Processed int64            // items
	Pushed    int64            // items, including those before the run
	Useful    int64            // counted by the caller in Worker.Useful
	Steals    [distances]int64 // chunks that another worker filled, by its group's distance
}

// Worker is one worker's access to a worklist. Only this worker may use it; before a
// run, one goroutine may use any of them.
type Worker[T any] struct {
	Useful int64 // events that the caller counts; a run sets it to 0 at the end

	worklist *Worklist[T]
	number   int
	group    int
	counts   Counts

	known   []knownBag[T] // the worker's copy of the bag log, in its order
	order   []int         // indices in known by ascending priority
	current int           // index in known of the bag that the worker takes items from
	turns   int           // items that it may still take from it before it looks for an earlier bag
	recent  [2048]recent  // the last bags found, by the last bits of the priority

	cached  reference // list of empty chunks
	caching int       // their number

	_            [64]byte     // the fields below are read by others
	scanStart    atomic.Int64 // no bag below this priority has got items from this worker since its last scan
	pushed, done atomic.Int64 // items pushed and processed, see isDone
	_            [64]byte
}

// knownBag is a bag with the chunks of one worker in it.
type knownBag[T any] struct {
	priority int
	bag      *bag[T]
	in, out  *chunk[T] // being filled and being drained; nil at first
}

// recent is the index in known of the bag for a priority, plus 1: that of the priority itself, or,
// if the log is full, that of the one before.
type recent struct {
	priority int
	index    int32
}

// Number returns the number of the worker in its team.
func (w *Worker[T]) Number() int { return w.number }

// Push adds an item to the worklist. It may be processed before Push returns.
func (w *Worker[T]) Push(priority int, item T) {
	k := w.current
	if w.turns == 0 || w.known[k].priority != priority { // turns > 0: there is a current bag
		k = w.bagOf(priority)
	}
	c := w.known[k].in
	if c == nil || c.tail == chunkItems {
		if c = w.freshIn(k); c == nil {
			return // the run ends with the error
		}
	}
	c.items[c.tail] = item
	c.tail++
	w.counts.Pushed++
}

// bagOf returns the index in known of the bag for a priority.
func (w *Worker[T]) bagOf(priority int) int {
	r := &w.recent[priority&(len(w.recent)-1)]
	if r.index == 0 || r.priority != priority {
		*r = recent{priority, int32(w.findOrAdd(priority) + 1)}
	}
	k := int(r.index - 1)
	if at := w.known[k].priority; int64(at) < w.scanStart.Load() {
		w.scanStart.Store(int64(at))
	}
	if w.known[k].priority < w.known[w.current].priority {
		w.turns = 0
	}
	return k
}

// findOrAdd is bagOf for a bag that may be new. If there is no room for another bag, it
// returns the one before.
func (w *Worker[T]) findOrAdd(priority int) int {
	i, ok := w.find(priority)
	if !ok {
		w.learn()
		if i, ok = w.find(priority); !ok && !w.worklist.log.isFull() {
			w.worklist.log.add(priority, len(w.worklist.topology.sources))
			w.learn()
			i, ok = w.find(priority)
		}
	}
	if !ok {
		i = max(i-1, 0)
	}
	return w.order[i]
}

// find returns the index in order of a priority, or the index where it would be.
func (w *Worker[T]) find(priority int) (i int, ok bool) {
	return slices.BinarySearchFunc(w.order, priority, func(k, priority int) int { return cmp.Compare(w.known[k].priority, priority) })
}

// learn brings known up to date with the log.
func (w *Worker[T]) learn() {
	for n := int(w.worklist.log.version.Load()); len(w.known) < n; {
		e := w.worklist.log.entries[len(w.known)]
		i, _ := w.find(e.priority)
		w.order = slices.Insert(w.order, i, len(w.known))
		w.known = append(w.known, knownBag[T]{priority: e.priority, bag: e.bag})
	}
}

// freshIn puts the full chunk of bag k, if there is one, on the list of the group. It
// returns an empty chunk to fill, nil on an error.
func (w *Worker[T]) freshIn(k int) *chunk[T] {
	b := &w.known[k]
	if b.in != nil {
		w.list(b, b.in)
	}
	b.in = w.takeEmpty()
	return b.in
}

// list puts a chunk on the list of the worker's group. It returns false if the list
// does not take it.
func (w *Worker[T]) list(b *knownBag[T], c *chunk[T]) bool {
	c.filler = int32(w.number)
	w.pushed.Store(w.counts.Pushed) // before another worker can process them
	return b.bag.lists[w.group].put(w.worklist.pool, c)
}

// Ahead returns the items that the worker takes next from the current bag, for an item that it
// processes, as far as it knows them.
func (w *Worker[T]) Ahead() []T {
	c := w.known[w.current].out
	return c.items[c.head:c.tail]
}

// pop removes the next item of the current bag, and of another one when it is time.
func (w *Worker[T]) pop() (item T, ok bool) {
	for !w.worklist.stopped.Load() {
		if w.turns > 0 {
			if c := w.known[w.current].out; !c.isEmpty() {
				w.turns--
				c.head++
				return c.items[c.head-1], true
			}
		}
		if !w.next() {
			break
		}
	}
	return item, false
}

// next makes the first bag that has a chunk for this worker the current one. It
// returns false if it finds none.
func (w *Worker[T]) next() bool {
	w.learn()
	start := int64(math.MaxInt64)
	for i := range w.worklist.workers {
		start = min(start, w.worklist.workers[i].scanStart.Load())
	}
	first := 0
	if start < math.MaxInt64 {
		first, _ = w.find(int(start))
	}
	for i := range w.order { // the bags before start come last: a chunk may have been missed there
		k := w.order[(first+i)%len(w.order)]
		if b := &w.known[k]; w.obtain(b) {
			w.current, w.turns = k, chunkItems
			w.scanStart.Store(int64(b.priority))
			return true
		}
	}
	w.scanStart.Store(math.MaxInt64)
	return false
}

// obtain gets a chunk with items to drain from a bag, the oldest and nearest first.
func (w *Worker[T]) obtain(b *knownBag[T]) bool {
	if !b.out.isEmpty() {
		return true
	}
	w.giveEmpty(b.out)
	b.out = nil
	for i, s := range w.worklist.topology.sources[w.group] {
		if b.out = b.bag.lists[s.group].take(w.worklist.pool); b.out != nil {
			if b.out.filler != int32(w.number) {
				w.counts.Steals[s.distance]++
			}
			return true
		}
		if i == 0 && !b.in.isEmpty() {
			w.share(b)
			b.in, b.out = nil, b.in
			return true
		}
	}
	return false
}

// share puts half of a chunk that is not full on the list, if workers wait for items
// and the list is empty.
func (w *Worker[T]) share(b *knownBag[T]) {
	n := b.in.tail - b.in.head
	if n < 2 || w.worklist.idle.Load() == 0 || !b.bag.lists[w.group].isEmpty() {
		return
	}
	half := w.takeEmpty()
	if half == nil {
		return
	}
	half.tail = uint32(copy(half.items[:], b.in.items[b.in.tail-n/2:b.in.tail]))
	if w.list(b, half) {
		b.in.tail -= n / 2
	} else {
		w.giveEmpty(half)
	}
}

// takeEmpty returns an empty chunk, nil on an error, which ends the run.
func (w *Worker[T]) takeEmpty() *chunk[T] {
	if w.cached != 0 {
		c := w.worklist.pool.at(w.cached)
		w.cached = c.next
		w.caching--
		return c
	}
	c, err := w.worklist.pool.take()
	if err != nil {
		w.worklist.fail(err)
		return nil
	}
	return c
}

// giveEmpty takes back a chunk that the worker does not need any more. c may be nil.
func (w *Worker[T]) giveEmpty(c *chunk[T]) {
	if c == nil {
		return
	}
	c.head, c.tail = 0, 0
	if w.caching == cachedChunks {
		w.worklist.pool.give(c.self, c)
		return
	}
	c.next, w.cached = w.cached, c.self
	w.caching++
}
