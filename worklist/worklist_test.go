package worklist

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"graph500/parallel"
	"graph500/processors"
)

// machine returns places of a made-up machine, one processor per place.
func machine(sockets, caches int) (places []processors.Place) {
	for i := range sockets * caches {
		places = append(places, processors.Place{Socket: i / caches, Cache: i})
	}
	return places
}

// open returns a worklist with its own team.
func open[T any](t interface {
	Helper()
	Fatal(...any)
}, places []processors.Place, workers, items, priorities int) (l *Worklist[T], shut func()) {
	t.Helper()
	team := parallel.NewTeam(workers)
	l, err := New[T](team, newTopology(places, workers), items, priorities)
	if err != nil {
		t.Fatal(err)
	}
	return l, func() {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		team.Close()
	}
}

// node is an item of a random tree. Its children have the numbers first..first+fan-1
// where fan follows from the number.
type node struct{ number int32 }

// tree is a random tree of items.
type tree struct {
	first    []int32 // of the children; one more entry than nodes
	priority []int
}

func drawTree(t *rapid.T) tree {
	n := rapid.IntRange(1, 1<<rapid.SampledFrom([]int{0, 1, 3, 6, 10, 12, 14}).Draw(t, "log2 items")).Draw(t, "items")
	r := rapid.SampledFrom([]int{1, 2, 5, 300, 20000}).Draw(t, "largest fan")
	spread := rapid.SampledFrom([]int{1, 3, 50}).Draw(t, "priorities of the items")
	seed := rapid.Uint64().Draw(t, "seed")
	random := func(n int) int {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed >> 33 % uint64(n))
	}
	all := tree{first: []int32{1}, priority: make([]int, n)}
	for i := range n {
		end := min(n, int(all.first[i])+random(r+1))
		if end == i+1 && end < n { // every node has a parent
			end++
		}
		all.first = append(all.first, int32(end))
		all.priority[i] = random(spread) - spread/2
	}
	return all
}

// TestEachItemOnce runs random trees of items on random machines. Each item is
// processed once, in several runs of the same worklist. The first item waits until all
// other workers look for items; without that, one worker is mostly done before the
// others begin.
func TestEachItemOnce(t *testing.T) {
	var large, spread int // runs of many items with several workers, and those with steals
	rapid.Check(t, func(t *rapid.T) {
		workers := rapid.IntRange(1, 16).Draw(t, "workers")
		places := machine(rapid.IntRange(1, 2).Draw(t, "sockets"), rapid.IntRange(1, 4).Draw(t, "caches"))
		l, shut := open[node](t, places, workers, rapid.IntRange(0, 1000).Draw(t, "room"), rapid.IntRange(1, 60).Draw(t, "bags"))
		defer shut()
		most := 0 // items of a run
		for range 2 {
			all := drawTree(t)
			seen := make([]atomic.Int32, len(all.priority))
			root := rapid.IntRange(0, workers-1).Draw(t, "worker of the root")
			l.Worker(root).Push(all.priority[0], node{0})
			if err := l.Run(t.Context(), func(w *Worker[node], item node) {
				seen[item.number].Add(1)
				w.Useful += 2
				for item.number == 0 && int(l.idle.Load()) < workers-1 {
					runtime.Gosched()
				}
				if item.number%16 == 0 {
					runtime.Gosched()
				}
				for i := all.first[item.number]; i < all.first[item.number+1]; i++ {
					w.Push(all.priority[i], node{i})
				}
			}); err != nil {
				t.Fatal(err)
			}
			for i := range seen {
				if n := seen[i].Load(); n != 1 {
					t.Fatalf("item %d was processed %d times", i, n)
				}
			}
			n := int64(len(seen))
			if c := l.Counts(); c.Processed != n || c.Pushed != n || c.Useful != 2*n {
				t.Fatalf("%+v of %d items", c, n)
			}
			if workers > 1 && n > 1000 {
				large++
				if l.Counts().Steals != [distances]int64{} {
					spread++
				}
			}
			most = max(most, int(n)) // chunks of the earlier run are used again
			bags, groups := len(l.log.entries), len(l.topology.sources)
			// Full chunks; empty ones that a worker keeps, and one that it is about to
			// fill; its two of each bag; one of each list that is not full.
			if limit := most/chunkItems + workers*(cachedChunks+1) + bags*(2*workers+groups); l.pool.provided > limit {
				t.Fatalf("%d chunks for %d items, want at most %d", l.pool.provided, most, limit)
			}
		}
	})
	t.Logf("%d of %d large runs have steals", spread, large)
	if large > 4 && spread == 0 {
		t.Error("no run has steals: the test shows little")
	}
}

// TestManySources starts with items at every worker.
func TestManySources(t *testing.T) {
	for workers := 1; workers <= 16; workers++ {
		l, shut := open[uint32](t, machine(2, 2), workers, 0, 4)
		const items = 1000
		seen := make([]atomic.Int32, items)
		for i := range uint32(items) {
			l.Worker(int(i)%workers).Push(int(i)%7, i)
		}
		if err := l.Run(t.Context(), func(_ *Worker[uint32], item uint32) { seen[item].Add(1) }); err != nil {
			t.Fatal(err)
		}
		for i := range seen {
			if seen[i].Load() != 1 {
				t.Fatalf("%d workers: item %d was processed %d times", workers, i, seen[i].Load())
			}
		}
		shut()
	}
}

// TestOneWorkerKeepsTheOrder checks the order of a single worker: by priority, and
// first in, first out in a bag.
func TestOneWorkerKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type item struct{ priority, number int32 }
		l, shut := open[item](t, nil, 1, 10, 100)
		defer shut()
		priorities := rapid.SliceOfN(rapid.Int32Range(-20, 20), 1, 1000).Draw(t, "priorities")
		var want, got []item
		for i, p := range priorities {
			want = append(want, item{p, int32(i)})
			l.Worker(0).Push(int(p), want[i])
		}
		slices.SortStableFunc(want, func(a, b item) int { return int(a.priority - b.priority) })
		if err := l.Run(t.Context(), func(_ *Worker[item], i item) { got = append(got, i) }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestEarlierItemComesNext pushes earlier items while later ones wait.
func TestEarlierItemComesNext(t *testing.T) {
	l, shut := open[int32](t, nil, 1, 10, 100)
	defer shut()
	for range 3 {
		l.Worker(0).Push(50, 50)
	}
	var got []int32
	if err := l.Run(t.Context(), func(w *Worker[int32], item int32) {
		if got = append(got, item); item > 10 && len(got) < 9 {
			w.Push(int(item)-20, item-20)
			w.Push(int(item)+20, item+20)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if want := []int32{50, 30, 10, 50, 30, 10, 50, 30, 10}; !slices.Equal(got[:9], want) {
		t.Fatalf("%v, want %v", got, want)
	}
}

// TestAnotherWorkerSeesEarlierItems gives one worker later items and another one an
// earlier chunk. The first finds the earlier chunk when it takes its next one.
func TestAnotherWorkerSeesEarlierItems(t *testing.T) {
	l, shut := open[int32](t, machine(1, 2), 2, 10, 100)
	defer shut()
	first, second := l.Worker(0), l.Worker(1)
	for range 3 * chunkItems {
		first.Push(7, 7)
	}
	if item, ok := first.pop(); !ok || item != 7 {
		t.Fatal(item, ok)
	}
	for range 2*chunkItems + 1 { // the last one is private
		second.Push(3, 3)
	}
	for i := range 2 * chunkItems {
		want := int32(7)
		if i >= chunkItems-1 {
			want = 3
		}
		if item, ok := first.pop(); !ok || item != want {
			t.Fatalf("pop %d: %d, %t, want %d", i, item, ok, want)
		}
	}
}

// TestPrioritiesBeyondTheBags uses more priorities than there can be bags.
// Priorities come in another order in each run, so that their bags have other places.
func TestOrderInEachRun(t *testing.T) {
	l, shut := open[int32](t, nil, 1, 1000, 1000)
	defer shut()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var want, got, ahead []int32
		for range 500 {
			p := r.Int32N(700) // more than the worker remembers the places of
			l.Worker(0).Push(int(p), p)
			want = append(want, p)
		}
		if err := l.Run(t.Context(), func(w *Worker[int32], item int32) {
			if got = append(got, item); len(ahead) > 0 && ahead[0] != item {
				t.Errorf("%d comes next, not %d", item, ahead[0])
			}
			ahead = slices.Clone(w.Ahead())
		}); err != nil {
			t.Fatal(err)
		}
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

func TestPrioritiesBeyondTheBags(t *testing.T) {
	l, shut := open[int32](t, nil, 1, 10, 2)
	defer shut()
	for _, p := range []int32{5, 9, 7, 1, 20, 6} {
		l.Worker(0).Push(int(p), p)
	}
	var got []int32
	if err := l.Run(t.Context(), func(_ *Worker[int32], item int32) { got = append(got, item) }); err != nil {
		t.Fatal(err)
	}
	if want := []int32{5, 7, 1, 6, 9, 20}; !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
}

// TestSteals lists one chunk in each group. A worker takes them in the order of their
// distance, and its own ones are not counted.
func TestSteals(t *testing.T) {
	l, shut := open[int32](t, machine(2, 2), 8, 10, 1)
	defer shut()
	for worker := range 8 { // worker i is in group i % 4
		for range chunkItems + 1 { // one full chunk and a private one
			l.Worker(worker).Push(0, int32(worker))
		}
	}
	w := l.Worker(2) // its socket has groups 2 and 3
	var order []int32
	for {
		item, ok := w.pop()
		if !ok {
			break
		}
		order = append(order, item)
	}
	if order = slices.Compact(order); !slices.Equal(order, []int32{2, 6, 2, 3, 7, 0, 4, 1, 5}) {
		t.Errorf("order of the chunks: %v", order)
	}
	if want := [distances]int64{1, 2, 4}; w.counts.Steals != want {
		t.Errorf("steals %v, want %v", w.counts.Steals, want)
	}
}

// TestWaitingWorkersGetHalf has one worker with few items. Some of them are processed
// until the other worker gets one.
func TestWaitingWorkersGetHalf(t *testing.T) {
	l, shut := open[int32](t, machine(2, 1), 2, 10, 1)
	defer shut()
	for i := range int32(8) {
		l.Worker(0).Push(0, i)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var other atomic.Bool
	wait := func(end func() bool) {
		for !end() && ctx.Err() == nil {
			runtime.Gosched()
		}
	}
	if err := l.Run(ctx, func(w *Worker[int32], item int32) {
		switch {
		case w.Number() == 1:
			other.Store(true)
		case item == 0:
			wait(func() bool { return other.Load() || w.worklist.idle.Load() > 0 })
			w.Push(0, 8)
			w.Push(0, 9)
		case item > 7:
			wait(other.Load)
		}
	}); err != nil || !other.Load() {
		t.Fatalf("the other worker had an item: %t, %v", other.Load(), err)
	}
}

// TestEmptyRun runs worklists without items.
func TestEmptyRun(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		l, shut := open[int32](t, nil, workers, 0, 1)
		for range 100 {
			if err := l.Run(t.Context(), func(*Worker[int32], int32) { t.Error("an item") }); err != nil {
				t.Fatal(err)
			}
		}
		shut()
	}
}

// TestOneLongChain passes a single item on while all other workers wait.
func TestOneLongChain(t *testing.T) {
	for _, workers := range []int{1, 2, 16} {
		l, shut := open[int32](t, machine(2, 2), workers, 0, 1<<12)
		n := 0 // only one worker has the item
		l.Worker(workers-1).Push(0, 0)
		if err := l.Run(t.Context(), func(w *Worker[int32], item int32) {
			if n++; item < 1999 {
				w.Push(int(item+1), item+1)
			}
		}); err != nil || n != 2000 {
			t.Fatalf("%d workers: %d items, %v", workers, n, err)
		}
		if l.pool.provided > workers+2 {
			t.Fatalf("%d workers: %d chunks for one item", workers, l.pool.provided)
		}
		shut()
	}
}

// TestRunEndsWithItsContext ends runs that would never end, and runs the worklist
// again.
func TestRunEndsWithItsContext(t *testing.T) {
	stop := errors.New("stop")
	for _, workers := range []int{1, 2, 7} {
		l, shut := open[int32](t, machine(2, 2), workers, 0, 10)
		for round := range 30 {
			ctx, cancel := context.WithCancelCause(t.Context())
			if round == 0 {
				cancel(stop)
			}
			for i := range int32(1 + 40*round) {
				l.Worker(0).Push(int(i), i)
			}
			var n atomic.Int32
			if err := l.Run(ctx, func(w *Worker[int32], item int32) {
				if w.Push(int(item), item); n.Add(1) == 200 {
					cancel(stop)
				}
			}); !errors.Is(err, stop) {
				t.Fatalf("err = %v", err)
			}
			if round == 0 && n.Load() != 0 {
				t.Fatalf("%d items after the end", n.Load())
			}
			cancel(nil)
		}
		l.Worker(0).Push(3, 3)
		if err := l.Run(t.Context(), func(*Worker[int32], int32) {}); err != nil || l.Counts().Processed != 1 {
			t.Fatalf("%v, %+v", err, l.Counts())
		}
		shut()
	}
}

// TestRunEndsWithARefusedAllocation replaces the allocation of chunks.
func TestRunEndsWithARefusedAllocation(t *testing.T) {
	refused := errors.New("refused")
	for _, workers := range []int{1, 3} {
		l, shut := open[int32](t, nil, workers, 0, 1)
		alloc := l.pool.alloc
		l.pool.alloc = func(n int) ([]chunk[int32], error) {
			if n > 8 {
				return nil, refused
			}
			return alloc(n)
		}
		l.Worker(0).Push(0, 0)
		if err := l.Run(t.Context(), func(w *Worker[int32], item int32) {
			w.Push(0, item)
			w.Push(0, item)
		}); !errors.Is(err, refused) {
			t.Fatalf("err = %v", err)
		}
		shut()
	}
}

func TestNewRefusesWrongSizes(t *testing.T) {
	team := parallel.NewTeam(2)
	defer team.Close()
	for _, c := range []struct{ workers, items, priorities int }{{3, 1, 1}, {2, -1, 1}, {2, 1, 0}} {
		if _, err := New[int32](team, newTopology(nil, c.workers), c.items, c.priorities); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

// TestPoolNumbersItsChunks takes more chunks than the first slab has.
func TestPoolNumbersItsChunks(t *testing.T) {
	for _, first := range []int{1, 3, 8} {
		p, err := newPool[int32](first)
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[*chunk[int32]]bool)
		for i := range 100 {
			c, err := p.take()
			if err != nil || seen[c] || p.at(c.self) != c || int(c.self) != i+1 {
				t.Fatalf("first slab of %d: chunk %d is %p, %v", first, i, c, err)
			}
			seen[c] = true
		}
		if err := p.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRunsAllocateNothingPerItem counts the allocations of a run after a first one.
func TestRunsAllocateNothingPerItem(t *testing.T) {
	l, shut := open[uint32](t, machine(1, 2), 2, 1<<16, 20)
	defer shut()
	run := func() {
		l.Worker(0).Push(0, 0)
		if err := l.Run(t.Context(), func(w *Worker[uint32], item uint32) {
			for child := 2*item + 1; child <= 2*item+2 && child < 1<<16-1; child++ {
				w.Push(int(child>>12), child)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if allocations := testing.AllocsPerRun(5, run); allocations > 100 {
		t.Errorf("%.0f allocations for %d items", allocations, 1<<16)
	}
	if got := len(l.pool.slabs[0]) * int(unsafe.Sizeof(chunk[uint32]{})); uint64(got) != Bytes[uint32](1<<16) {
		t.Errorf("%d bytes, want %d", got, Bytes[uint32](1<<16))
	}
}

// BenchmarkRun processes a binary tree of a million items. With one bag the time is
// that of chunks and lists.
func BenchmarkRun(b *testing.B) {
	for _, workers := range []int{1, 2} {
		for _, bags := range []int{1, 20} {
			b.Run(fmt.Sprintf("workers=%d/bags=%d", workers, bags), func(b *testing.B) {
				l, shut := open[uint32](b, nil, workers, 1<<20, bags)
				defer shut()
				for b.Loop() {
					l.Worker(0).Push(0, 0)
					if err := l.Run(b.Context(), func(w *Worker[uint32], item uint32) {
						for child := 2*item + 1; child <= 2*item+2 && child < 1<<20-1; child++ {
							w.Push(int(child>>16), child)
						}
					}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
