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
	// maxWindows is the largest number of output streams of the scatter.
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

	shift   uint
	windows int
	count   [][]uint64 // by worker and window: number of arcs, then index of the next arc
	size    []uint64   // by window: number of arcs, then of stored arcs
	loops   int64
}

func newScatter(ctx context.Context, team *parallel.Team, of Share, tuples engine.Tuples) scatter {
	return scatter{ctx: ctx, team: team, of: of, tuples: tuples}
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
	s.shift, s.windows = windowsOf(s.of.Owned, s.directions()*uint64(s.tuples.Len()))
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
// finished rows at its beginning, and the records of one group at its end. sort sorts windows from..to-1: it gets room for their
// records and the words after the finished rows, and sets size to the number of stored
// arcs. A group has as many windows as fit, at least one. groups returns the arena and the number of
// stored arcs.
func (s *scatter) groups(form sortForm, sort func(from, to int, records, rows []uint32) error) (arena []uint32, finished uint64, err error) {
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
	rowWords, recordWords := form.rowWords, form.recordWords
	for from := 0; from < s.windows; {
		to, group := from, uint64(0) // windows from..to-1 have group arcs
		free := uint64(len(arena)) - rowWords*finished - lineWords
		for to < s.windows && (rowWords+recordWords)*(group+s.size[to]) <= free {
			group += s.size[to]
			to++
		}
		if group > 0 {
			records := (uint64(len(arena)) - recordWords*group) / lineWords * lineWords
			if err := sort(from, to, arena[records:], arena[rowWords*finished:]); err != nil {
				return arena, finished, err
			}
		}
		for w := from; w < to; w++ {
			finished += s.size[w]
		}
		from = to
	}
	return arena, finished, nil
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

// targets returns the index of the first stored arc of each of windows from..to-1 and
// of the end.
func (s *scatter) targets(from, to int) []uint64 {
	target := make([]uint64, to-from+1)
	for w := from; w < to; w++ {
		target[w-from+1] = target[w-from] + s.size[w]
	}
	return target
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

// lineWords is the number of 32-bit words in a cache line.
const lineWords = 2 * linePairs

// wholeLines returns a number of whole cache lines with room for words, and for one line more, so that
// the records of a group can begin with one.
func wholeLines(words uint64) int { return int((words+lineWords)/lineWords+1) * lineWords }
