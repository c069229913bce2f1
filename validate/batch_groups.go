package validate

import (
	"context"
	"iter"
	"math/bits"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// A pass examines every tuple once, for all trees of a batch.
type pass struct {
	most int // tuples at a time, at least piece
	// examine examines tuples. next has the same length and holds tuples to prefetch. It returns false if no
	// tree can be confirmed.
	examine func(w *batchWorker, tuples engine.Tuples, next []engine.Edge) bool
	// finish takes what a worker has found, after at most tupleGrain tuples.
	finish func(w *batchWorker)
}

// run runs the pass. With room for groups, parts of the tuples are taken in the order of the list or in groups: each way
// in turn, then the one that took less time. In a virtual machine whose host has pages of 4 KiB, a tuple of
// scale 26 took 74 ns in order and 37 ns in groups; on a machine with pages of 2 MiB, 8 and 20 ns.
func (p pass) run(ctx context.Context, b *batch, tuples engine.Tuples) error {
	g, n := b.groups, tuples.Len()
	room := g.divide(b.vertices, b.rowBytes(), b.team.Size())
	if room == 0 {
		return p.inOrder(ctx, b, tuples)
	}
	trials := &g.trials[bits.Len(uint(b.rowBytes()))]
	parts := (n + room - 1) / room
	for i := range parts {
		lo, hi := parallel.Split(n, parts, i)
		way, take := trials.choose(), p.inOrder
		if way == inGroups {
			take = p.inGroups
			if err := g.touch(ctx, b.team); err != nil {
				return err
			}
		}
		start := time.Now()
		if err := take(ctx, b, tuples.Slice(lo, hi)); err != nil {
			return err
		}
		if b.unconfirmed() == b.all() {
			return nil
		}
		trials[way].add(time.Since(start).Seconds() / float64(hi-lo))
	}
	return nil
}

// A way to take tuples.
type way int

const (
	inOrder way = iota
	inGroups
)

// fewestTrials is the number of parts in each way before one is chosen. One part may be interrupted by other work.
const fewestTrials = 2

// trials are the parts that have been taken in each way.
type trials [2]trial

// trial has their number and the least time of a tuple, in seconds.
type trial struct {
	parts int
	least float64
}

func (t *trial) add(seconds float64) {
	if t.parts == 0 || seconds < t.least {
		t.least = seconds
	}
	t.parts++
}

// choose returns the way for the next part.
func (t *trials) choose() way {
	order, groups := t[inOrder], t[inGroups]
	tried := min(order.parts, groups.parts) >= fewestTrials
	if tried && groups.least < order.least || !tried && groups.parts < order.parts {
		return inGroups
	}
	return inOrder
}

// inOrder examines tuples in their order.
func (p pass) inOrder(ctx context.Context, b *batch, tuples engine.Tuples) error {
	return b.team.For(ctx, tuples.Len(), tupleGrain, func(number, lo, hi int) {
		w := &b.workers[number]
		edges, first := tuples.View(lo, hi, &w.edges)
		for ; lo < hi; lo += p.most {
			end := min(lo+p.most, hi)
			some := engine.Tuples{Edges: edges[lo-first : end-first], Weights: tuples.Slice(lo, end).Weights}
			next := min(lo-first+prefetchDistance, len(edges)-some.Len())
			if !p.examine(w, some, edges[next:][:some.Len()]) {
				w.unconfirmed = b.all()
				return
			}
		}
		p.finish(w)
	})
}

// inGroups examines tuples in groups.
func (p pass) inGroups(ctx context.Context, b *batch, tuples engine.Tuples) error {
	g := b.groups
	g.reset()
	if err := b.team.For(ctx, tuples.Len(), tupleGrain, func(number, lo, hi int) {
		w := &b.workers[number]
		edges, first := tuples.View(lo, hi, &w.edges)
		some := engine.Tuples{Edges: edges[lo-first : hi-first], Weights: tuples.Slice(lo, hi).Weights}
		if !g.put(number, some, uint64(b.vertices)) {
			w.unconfirmed = b.all()
		}
	}); err != nil || b.unconfirmed() == b.all() {
		return err
	}
	return b.team.For(ctx, g.count, 1, func(number, group, _ int) {
		w, unfinished := &b.workers[number], 0
		for some, next := range g.pieces(group) {
			if !p.examine(w, some, next) {
				w.unconfirmed = b.all()
				return
			}
			if unfinished += piece; unfinished >= tupleGrain {
				p.finish(w)
				unfinished = 0
			}
		}
		p.finish(w)
	})
}

const (
	// windowBytes is the least size of a window. Random accesses to 64 MiB took a fifth of the time of those to 2 GiB,
	// in the virtual machine of pass.run.
	windowBytes = 32 << 20
	// mostWindows is the largest number of windows, a power of two. With more of them, the lists of their
	// groups exceed the first-level cache.
	mostWindows = 32
	leastTable  = 512 << 20 // bytes of a table with groups. With 256 MiB, they gained nothing.
)

// groups holds tuples, grouped by where the rows of their ends are: a group has those with ends in the same two
// windows, which are parts of the table. Rows in two windows are in less memory than the translation
// buffers and caches of a core need.
type groups struct {
	least  int // size of a table with groups, in bytes
	window int // least size, in bytes

	edges   []engine.Edge // pages of piece tuples. The first page is not used.
	weights []float32     // of edges; nil for BFS
	next    []uint32      // by page: the next one of its list, 0 after the last
	used    atomic.Uint32 // pages
	lists   [][]pageList  // by worker and group
	touched bool
	trials  [8]trials // by the number of bits of the length of a row

	shift uint                              // from a label to its window
	count int                               // groups
	of    [mostWindows * mostWindows]uint16 // by the windows of both ends, in both orders: their group
}

// pageList is a list of pages with tuples from first to before end.
type pageList struct{ first, end uint32 }

// arrays declares the memory of the groups of a table, with room for half as many tuples as vertices.
func (g *groups) arrays(name string, vertices, rowBytes int, weighted bool) (arrays []memory.Declared) {
	if vertices*rowBytes < leastTable {
		return nil
	}
	room := uint64(vertices / 2)
	arrays = append(arrays, memory.Of(&g.edges, name, room), memory.Of(&g.next, name, room/piece))
	if weighted {
		arrays = append(arrays, memory.Of(&g.weights, name, room))
	}
	return arrays
}

// divide divides a table into windows. It returns the number of tuples for which there is room, 0 if there are no groups.
func (g *groups) divide(vertices, rowBytes, workers int) (tuples int) {
	pages := len(g.next)
	if pages == 0 || vertices*rowBytes < g.least {
		return 0
	}
	for windows := min(mostWindows, vertices*rowBytes/g.window); windows > 1; windows /= 2 {
		g.count = windows * (windows + 1) / 2
		if unfilled := 1 + workers*g.count; unfilled <= pages/4 {
			g.number(windows, vertices)
			g.lists = make([][]pageList, workers)
			for i := range g.lists {
				g.lists[i] = make([]pageList, g.count)
			}
			return (pages - unfilled) * piece
		}
	}
	return 0
}

// number numbers the groups of a number of windows.
func (g *groups) number(windows, vertices int) {
	for g.shift = 0; (vertices-1)>>g.shift >= windows; {
		g.shift++
	}
	group := uint16(0)
	for u := range windows {
		for v := range u + 1 {
			g.of[u*mostWindows+v], g.of[v*mostWindows+u] = group, group
			group++
		}
	}
}

// touch makes the system provide the memory before the first part is measured.
func (g *groups) touch(ctx context.Context, team *parallel.Team) error {
	if g.touched {
		return nil
	}
	page := memory.PageOf[engine.Edge]()
	err := team.For(ctx, (len(g.edges)+page-1)/page, 1, func(_, i, _ int) {
		lo, hi := i*page, min((i+1)*page, len(g.edges))
		memory.Touch(g.edges[lo:hi])
		if g.weights != nil {
			memory.Touch(g.weights[lo:hi])
		}
	})
	g.touched = err == nil
	return err
}

// reset discards the tuples.
func (g *groups) reset() {
	g.used.Store(1)
	for _, lists := range g.lists {
		clear(lists)
	}
}

// put adds tuples to the lists of a worker. It returns false if an end is out of range.
func (g *groups) put(worker int, tuples engine.Tuples, vertices uint64) bool {
	lists, shift := g.lists[worker], g.shift&31 // the mask, and the modulus below, replace tests of the range
	for i, e := range tuples.Edges {
		if uint64(max(e.U, e.V)) >= vertices {
			return false
		}
		l := &lists[g.of[(e.U>>shift*mostWindows+e.V>>shift)%uint32(len(g.of))]]
		if l.end%piece == 0 {
			g.addPage(l)
		}
		g.edges[l.end] = e
		if tuples.Weights != nil {
			g.weights[l.end] = tuples.Weights[i]
		}
		l.end++
	}
	return true
}

// addPage adds a page to a list whose pages are full.
func (g *groups) addPage(l *pageList) {
	page := g.used.Add(1) - 1
	if l.end == 0 {
		l.first = page * piece
	} else {
		g.next[l.end/piece-1] = page
	}
	g.next[page] = 0
	l.end = page * piece
}

// pieces returns the tuples of a group, piece by piece, and as many of those that follow, to prefetch.
func (g *groups) pieces(group int) iter.Seq2[engine.Tuples, []engine.Edge] {
	all := engine.Tuples{Edges: g.edges, Weights: g.weights}
	return func(yield func(engine.Tuples, []engine.Edge) bool) {
		for _, lists := range g.lists {
			l := lists[group]
			for page := l.first / piece; page != 0; page = g.next[page] {
				first, n := page*piece, uint32(piece)
				if g.next[page] == 0 {
					n = l.end - first
				}
				if !yield(all.Slice(int(first), int(first+n)), g.edges[g.next[page]*piece:][:n]) {
					return
				}
			}
		}
	}
}
