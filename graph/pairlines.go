package graph

import (
	"slices"

	"graph500/engine"
	"graph500/vector"
)

// linePairs is the number of pairs in a cache line, of 64 bytes.
const linePairs = 8

// blockTuples is the number of tuples whose arcs are collected together, in the first-level cache.
const blockTuples = 512

// pairLines are the arcs of one worker on their way to the windows of a group. It collects a cache
// line for each window and stores it as a whole, past the caches if it can: a line has no other use
// before all arcs of its window are there.
type pairLines struct {
	shift    uint   // of windows
	first    uint32 // window of the group
	oneWay   bool   // tuples are arcs, see scatter
	isVector bool

	pairs []uint64            // of the group
	next  []uint64            // by window: index of the next arc
	begin []uint64            // by window: index of the worker's first arc
	lines [][linePairs]uint64 // by window: arcs of the line of next
	block [2*blockTuples + 1]uint64
}

// pairLines returns the lines of a worker for windows from..to-1.
func (b *builder) pairLines(worker, from, to int, pairs []uint64) *pairLines {
	next := b.count[worker][from:to]
	return &pairLines{
		shift: b.shift, first: uint32(from), oneWay: b.of.isPart(), isVector: vector.Chosen() != vector.Plain,
		pairs: pairs, next: next, begin: slices.Clone(next), lines: make([][linePairs]uint64, to-from),
	}
}

// add adds the arcs of tuples whose source is in a window of the group.
func (l *pairLines) add(edges []engine.Edge) {
	for block := range slices.Chunk(edges, blockTuples) {
		l.put(l.collect(block))
	}
}

// collect returns the arcs of at most blockTuples tuples in the group. It has no branches on the
// tuples, of which a pass for one of several groups takes a part that cannot be predicted.
func (l *pairLines) collect(edges []engine.Edge) []uint64 {
	shift, from, end := l.shift&31, uint64(l.first), uint64(l.first)+uint64(len(l.next))
	loops, reverse := uint64(0), uint64(1) // 1 if self loops are arcs, and if tuples have a second arc
	if l.oneWay {
		loops, reverse = 1, 0
	}
	n := uint64(0)
	for _, e := range edges {
		u, v := uint64(e.U), uint64(e.V)
		isArc := ((u^v)+1<<63-1)>>63 | loops // 1 if the ends differ
		l.block[n] = u<<32 | v
		n += isArc & isBetween(u>>shift, from, end)
		l.block[n] = v<<32 | u
		n += isArc & isBetween(v>>shift, from, end) & reverse
	}
	return l.block[:n]
}

// isBetween returns 1 if from <= x < end, else 0. All are less than 2^63.
func isBetween(x, from, end uint64) uint64 { return ((x - end) &^ (x - from)) >> 63 }

// put adds arcs of the group.
func (l *pairLines) put(arcs []uint64) {
	shift, first, next, lines := l.shift&31, l.first, l.next, l.lines
	for _, x := range arcs {
		w := uint32(x>>32)>>shift - first
		p := next[w]
		next[w] = p + 1
		lines[w][p%linePairs] = x
		if p%linePairs == linePairs-1 {
			l.store(w, p+1)
		}
	}
}

// store stores the line of a window that ends before an index.
func (l *pairLines) store(window uint32, end uint64) {
	at := (end - 1) / linePairs * linePairs
	line := &l.lines[window]
	if begin := l.begin[window]; at < begin || end < at+linePairs {
		at = max(at, begin)
		copy(l.pairs[at:end], line[at%linePairs:])
		return
	}
	to := (*[linePairs]uint64)(l.pairs[at:end])
	if l.isVector {
		storeLine(to, line)
	} else {
		*to = *line
	}
}

// flush stores the lines that are not whole, after which other workers can read all of them.
func (l *pairLines) flush() {
	for w, next := range l.next {
		if next%linePairs != 0 && next > l.begin[w] {
			l.store(uint32(w), next)
		}
	}
	if l.isVector {
		finishLines()
	}
}
