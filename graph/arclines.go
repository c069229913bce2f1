package graph

import (
	"slices"
	"unsafe"

	"graph500/engine"
	"graph500/vector"
)

// blockTuples is the number of tuples whose arcs are collected together, in the first-level cache.
const blockTuples = 512

// arcBlock has their arcs, the source in the upper half, and one more that is written but is none.
type arcBlock [2*blockTuples + 1]uint64

// arcLines are the arcs of one worker on their way to the windows of a group. It collects a
// line (see lineWords) for each window and stores it as a whole, past the caches if it can: a line has no other use
// before all arcs of its window are there.
type arcLines[A packedArc] struct {
	arcForm
	shift  uint   // of windows
	first  uint32 // window of the group
	oneWay bool   // tuples are arcs, see scatter
	form   vector.Form

	arcs  []A      // of the group
	next  []uint64 // by window: index of the next arc
	begin []uint64 // by window: index of the worker's first arc
	lines []A      // by window: arcs of the line of next
	block arcBlock
}

// linesOf returns the lines of a worker for windows from..to-1, in the given memory.
func linesOf[A packedArc](b *builder, worker, from, to int, arcs, lines []A) *arcLines[A] {
	next := b.count[worker][from:to]
	return &arcLines[A]{
		arcForm: b.packing, shift: b.shift, first: uint32(from), oneWay: b.of.isPart(), form: vector.Chosen(),
		arcs: arcs, next: next, begin: slices.Clone(next), lines: lines,
	}
}

// lineArcs returns the number of arcs in a line.
func lineArcs[A packedArc]() uint64 {
	var a A
	return 4 * lineWords / uint64(unsafe.Sizeof(a))
}

// add adds the arcs of tuples whose source is in a window of the group.
func (l *arcLines[A]) add(edges []engine.Edge) {
	for block := range slices.Chunk(edges, blockTuples) {
		l.put(l.collect(block))
	}
}

// collect returns the arcs of at most blockTuples tuples in the group, in almost the same order.
func (l *arcLines[A]) collect(edges []engine.Edge) []uint64 {
	a := collectArgs{
		block: &l.block, shift: uint64(l.shift), from: uint64(l.first), end: uint64(l.first) + uint64(len(l.next)),
		dropLoops: ^uint64(0), reverse: ^uint64(0),
	}
	if l.oneWay {
		a.dropLoops, a.reverse = 0, 0
	}
	whole := collectVectors(l.form, &a, edges)
	collectGo(&a, edges[whole:])
	return l.block[:a.n]
}

// collectArgs are the operands of collectGo and collect256.
type collectArgs struct {
	tuples *engine.Edge // of collect256
	count  int64        // of these, a multiple of the tuples that it takes at a time
	block  *arcBlock
	shift  uint64 // of windows
	from   uint64 // first window of the group
	end    uint64 // first one behind it
	// All ones if self loops are no arcs, and if tuples have a second arc, else 0.
	dropLoops, reverse uint64
	n                  uint64 // arcs in the block
}

// collectGo appends the arcs of tuples. It has no branches on the tuples, of which a pass for one of
// several groups takes a part that cannot be predicted.
func collectGo(a *collectArgs, edges []engine.Edge) {
	block, shift, from, end, loops, reverse, n := a.block, a.shift&31, a.from, a.end, ^a.dropLoops&1, a.reverse, a.n
	for _, e := range edges {
		u, v := uint64(e.U), uint64(e.V)
		isArc := ((u^v)+1<<63-1)>>63 | loops // 1 if the ends differ
		block[n] = u<<32 | v
		n += isArc & isBetween(u>>shift, from, end)
		block[n] = v<<32 | u
		n += isArc & isBetween(v>>shift, from, end) & reverse
	}
	a.n = n
}

// isBetween returns 1 if from <= x < end, else 0. All are less than 2^63.
func isBetween(x, from, end uint64) uint64 { return ((x - end) &^ (x - from)) >> 63 }

// put adds arcs of the group.
func (l *arcLines[A]) put(arcs []uint64) {
	arcs = arcs[putVectors(l, arcs):]
	next, lines, first, perLine := l.next, l.lines, uint64(l.first), lineArcs[A]()
	shift, sourceBit, inWindow := l.shift, l.sourceBit(), uint64(1)<<l.shift-1
	for _, x := range arcs {
		source := x >> 32
		w := source>>(shift&63) - first
		p := next[w]
		next[w] = p + 1
		at := p & (perLine - 1)
		lines[w*perLine+at] = A(source&inWindow<<(sourceBit&63) | uint64(uint32(x)))
		if at == perLine-1 {
			l.store(uint32(w), p+1)
		}
	}
}

// store stores the line of a window that ends before an index, from the worker's first arc on.
func (l *arcLines[A]) store(window uint32, end uint64) {
	perLine := lineArcs[A]()
	at := (end - 1) / perLine * perLine
	line := l.lines[uint64(window)*perLine:][:perLine]
	at = max(at, l.begin[window])
	copy(l.arcs[at:end], line[at%perLine:])
}

// flush stores the lines that are not whole, after which other workers can read all of them.
func (l *arcLines[A]) flush() {
	perLine := lineArcs[A]()
	for w, next := range l.next {
		if next%perLine != 0 && next > l.begin[w] {
			l.store(uint32(w), next)
		}
	}
	if l.form != vector.Plain {
		finishLines()
	}
}
