package graph

import (
	"context"
	"fmt"
	"sync/atomic"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

const (
	// windowArcs is the target number of arcs in a window. A window and its
	// sorting buffer then fit in the second-level (L2) cache of one core.
	windowArcs = 32 << 10
	// minScratch is the smallest sorting buffer of a worker, in arcs.
	minScratch = 2 * windowArcs
	// maxWindows is the largest number of output streams of the scatter, usually.
	maxWindows = 8192
	// block is the number of tuples between two tests of the context.
	block = 1 << 17
)

// scatter splits the arcs of a graph by their source. Arcs are the two directions of
// the tuples without self loops; of one-way tuples only the direction from U to V. A window is a range of 2^shift source labels. Each
// window is sorted on its own. Each pass over the tuples scatters the arcs of a group
// of consecutive windows.
type scatter struct {
	ctx    context.Context
	team   *parallel.Team
	of     Share         // its own vertices are the sources of arcs
	tuples engine.Tuples // of a part of a graph its arcs, which are one-way

	windowsOf func(vertices, arcs uint64) (shift uint, windows int)
	shift     uint
	windows   int
	count     [][]uint64 // by worker and window: number of arcs, then index of the next arc
	size      []uint64   // by window: number of arcs, then of stored arcs
	loops     int64
}

func newScatter(ctx context.Context, team *parallel.Team, of Share, tuples engine.Tuples) scatter {
	return scatter{ctx: ctx, team: team, of: of, tuples: tuples, windowsOf: windowsOf}
}

// run runs steps until one fails or the context ends.
func (s *scatter) run(steps []func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
		if err := context.Cause(s.ctx); err != nil {
			return err
		}
	}
	return nil
}

// windowsOf returns the number of windows and the shift from a label to its
// window.
func windowsOf(vertices, arcs uint64) (shift uint, windows int) {
	shift = 6 // a window is at least one word of Present
	if vertices == 0 {
		return shift, 0
	}
	want := min(max(arcs/windowArcs, 1), maxWindows)
	for shift < 31 && (vertices-1)>>shift+1 > want { // labels have 32 bits
		shift++
	}
	return shift, int((vertices-1)>>shift) + 1
}

// countWindows counts the arcs of every window and the self loops. It returns an
// error if a label is out of range.
func (s *scatter) countWindows() error {
	s.shift, s.windows = s.windowsOf(s.of.Owned, s.arcs())
	workers := s.team.Size()
	s.count = make([][]uint64, workers)
	loops := make([]int64, workers)
	var bad atomic.Bool
	s.team.Run(func(worker int) {
		count := make([]uint64, s.windows+1)
		s.count[worker] = count
		shift, oneWay := s.shift&31, s.of.isPart()
		s.workerEdges(worker, func(edges []engine.Edge, _ int) {
			for _, e := range edges {
				if uint64(e.U) >= s.of.Owned || uint64(e.V) >= s.of.Vertices {
					bad.Store(true)
					return
				}
				if oneWay {
					count[e.U>>shift]++
					continue
				}
				if e.U == e.V {
					loops[worker]++
					continue
				}
				count[e.U>>shift]++
				count[e.V>>shift]++
			}
		})
	})
	if bad.Load() {
		return s.outOfRange()
	}
	s.size = make([]uint64, s.windows)
	for worker, count := range s.count {
		s.loops += loops[worker]
		for w := range s.size {
			s.size[w] += count[w]
		}
	}
	return nil
}

// directions returns the number of arcs of a tuple.
func (s *scatter) directions() uint64 {
	if s.of.isPart() {
		return 1
	}
	return 2
}

// arcs returns the number of arcs of the tuples, with those of self loops.
func (s *scatter) arcs() uint64 { return s.directions() * uint64(s.tuples.Len()) }

// outOfRange returns the error for the first tuple with a label out of range.
func (s *scatter) outOfRange() error {
	for i := range s.tuples.Len() {
		e := s.tuples.At(i)
		if uint64(e.U) >= s.of.Owned || uint64(e.V) >= s.of.Vertices {
			return fmt.Errorf("graph: tuple %d (%d, %d) names a vertex beyond the last one, %d", i, e.U, e.V, int64(s.of.Owned)-1)
		}
	}
	return nil
}

// workerEdges calls f with the tuples of a worker and the index of the first, block by
// block, until the context ends.
func (s *scatter) workerEdges(worker int, f func(edges []engine.Edge, first int)) {
	lo, hi := parallel.Split(s.tuples.Len(), s.team.Size(), worker)
	var buffer []engine.Edge
	for ; lo < hi && s.ctx.Err() == nil; lo += block {
		end := min(lo+block, hi)
		edges, first := s.tuples.View(lo, end, &buffer)
		f(edges[lo-first:end-first], lo)
	}
}

// groups sorts all windows, group by group. An arena of 32-bit words holds the
// finished rows at its beginning, and behind them the records of one group. sort sorts windows
// from..to-1: it gets the memory of their records, of which window w has those from start[w-from] on,
// stores the rows of each window at the begin of its records, and sets size to the number of stored
// arcs. The rows are then moved to the others. A group has as many windows as fit, at least one. groups
// returns the arena and the number of stored arcs.
func (s *scatter) groups(form sortForm, sort func(from, to int, start []uint64, records []uint32) error) (arena []uint32, finished uint64, err error) {
	var arcs, largest uint64
	for _, n := range s.size {
		arcs, largest = arcs+n, max(largest, n)
	}
	if largest > 1<<32-1 {
		return nil, 0, fmt.Errorf("graph: %d arcs from %d vertices are more than the sort can count", largest, 1<<s.shift)
	}
	if arena, err = memory.Alloc[uint32](wholeLines(form.words(arcs, largest))); err != nil {
		return nil, 0, err
	}
	if err := s.touch(arena); err != nil {
		return arena, 0, err
	}
	rowWords, recordWords := form.rowWords, form.recordWords
	for from := 0; from < s.windows; {
		to, group := from, uint64(0) // windows from..to-1 have group arcs
		records := (rowWords*finished + lineWords - 1) / lineWords * lineWords
		for to < s.windows && records+recordWords*(group+s.size[to]) <= uint64(len(arena)) {
			group += s.size[to]
			to++
		}
		if group > 0 {
			start := s.cursors(from, to)
			if err := sort(from, to, start, arena[records:][:recordWords*group]); err != nil {
				return arena, finished, err
			}
			moves := make([]blockMove, to-from)
			for i := range moves {
				n := s.size[from+i]
				moves[i] = blockMove{records + recordWords*start[i], rowWords * finished, rowWords * n}
				finished += n
			}
			if err := moveForward(s.ctx, s.team, arena, moves); err != nil {
				return arena, finished, err
			}
		}
		from = to
	}
	return arena, finished, nil
}

// touch makes the system provide the memory of the arena. The first block of tuples would do it, page by page
// in one piece: the other workers would wait for a garbage collection that begins then (scale 20, memory that
// the machine has not used before: 0.1 to 0.2 s).
func (s *scatter) touch(arena []uint32) error {
	page := memory.PageOf[uint32]()
	return s.team.For(s.ctx, (len(arena)+page-1)/page, 1, func(_, i, _ int) {
		memory.Touch(arena[i*page : min((i+1)*page, len(arena))])
	})
}

// blockMove says from which index to which one a block of words is moved.
type blockMove struct{ from, to, words uint64 }

// moveForward moves blocks, which are in order, closer together. No block moves backward.
func moveForward(ctx context.Context, team *parallel.Team, words []uint32, blocks []blockMove) error {
	for len(blocks) > 0 {
		n := 1 // blocks whose new places end before the first of them are moved together
		for n < len(blocks) && blocks[n].to+blocks[n].words <= blocks[0].from {
			n++
		}
		if err := team.For(ctx, n, 1, func(_, i, _ int) {
			b := &blocks[i]
			copy(words[b.to:], words[b.from:][:b.words])
		}); err != nil {
			return err
		}
		blocks = blocks[n:]
	}
	return nil
}

// cursors returns the index of the first record of each of windows from..to-1 and of
// the end, and turns count into the index of each worker's next record.
func (s *scatter) cursors(from, to int) []uint64 {
	start := make([]uint64, to-from+1)
	var next uint64
	for w := from; w < to; w++ {
		start[w-from] = next
		for _, count := range s.count {
			next, count[w] = next+count[w], next
		}
	}
	start[to-from] = next
	return start
}

// info returns the facts of a graph with the given number of stored arcs.
func (s *scatter) info(arcs uint64) engine.Graph {
	return engine.Graph{
		Vertices:   int64(s.of.Vertices),
		Tuples:     int64(s.tuples.Len()),
		SelfLoops:  s.loops,
		Duplicates: int64(2*uint64(s.tuples.Len()-int(s.loops))-arcs) / 2,
		Arcs:       int64(arcs),
	}
}

// lineWords is the number of 32-bit words in a line: two cache lines. Most stores of a line need the
// translation of another page: stores of one cache line took 1.3 times as long. With four, the lines of
// maxWindows windows exceed the second-level (L2) cache.
const lineWords = 32

// wholeLines returns a number of whole lines with room for words, and for one line more, so that
// the records of a group can begin with one.
func wholeLines(words uint64) int { return int((words+lineWords)/lineWords+1) * lineWords }
