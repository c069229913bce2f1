package graph

import (
	"context"
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

const (
	// windowArcs is the number of arcs a window should hold: with its copy
	// for sorting it then fits the second-level cache of one core.
	windowArcs = 32 << 10
	// leastScratch is the room for a copy of a window that a worker has at least.
	leastScratch = 2 * windowArcs
	// maxWindows bounds the output streams that the scatter has open.
	maxWindows = 8192
	// small is the number of bytes below which memory is not worth saving: the
	// scatter then takes one pass over the tuples.
	small = 1 << 30
	// radixBits is the largest digit of the sort within a window.
	radixBits = 11
	// block is the number of tuples between two looks at the context.
	block = 1 << 17
)

// builder is the state of one construction. Arcs are the two directions of
// the tuples without self loops. A window is a range of 2^shift source
// labels; windows are the unit of sorting, groups of consecutive windows the
// unit of a pass over the tuples.
type builder struct {
	ctx      context.Context
	team     *parallel.Team
	vertices uint64
	tuples   []engine.Edge
	arena    func(arcs uint64) uint64 // arenaWords, but in tests
	g        *CSR

	shift   uint
	windows int
	count   [][]uint64 // by worker and window: arcs; then the place of the next one
	size    []uint64   // by window: arcs, then distinct arcs
	degree  []uint32   // by label: distinct neighbours, then the rank among neighbours (see rank)
	loops   int64
}

// Build makes the graph of the given tuples (kernel 1). Self loops, repeated
// edges and vertices without edges are dropped. Vertex numbers must be below
// vertices. The tuples are only read.
//
// The method is a counting sort by source window, in as many passes over the
// tuples as the memory bound asks for, then a radix sort of each window in
// cache. No arc is compared with another, and the result does not depend on
// the number of workers.
func Build(ctx context.Context, team *parallel.Team, vertices uint64, tuples []engine.Edge) (*CSR, error) {
	return newBuilder(ctx, team, vertices, tuples).build()
}

func newBuilder(ctx context.Context, team *parallel.Team, vertices uint64, tuples []engine.Edge) *builder {
	return &builder{ctx: ctx, team: team, vertices: vertices, tuples: tuples, arena: arenaWords, g: &CSR{}}
}

func (b *builder) build() (*CSR, error) {
	steps := []func() error{b.allocate, b.countWindows, b.sortArcs, b.indexRows, b.chooseHubs, b.pickFirst}
	for _, step := range steps {
		err := step()
		if err == nil {
			err = context.Cause(b.ctx)
		}
		if err != nil {
			_ = memory.Free(b.degree)
			_ = b.g.Close()
			return nil, err
		}
	}
	if err := memory.Free(b.degree); err != nil {
		_ = b.g.Close()
		return nil, err
	}
	return b.g, nil
}

// Plan lists the memory that Build takes for the given numbers of vertices, rows,
// tuples and workers, assuming no self loop, no repetition and windows that are
// alike: a vertex with a large part of all tuples makes it take more. What it
// takes after it gave back the sorting space counts to the phase of searching.
func Plan(vertices, rows, tuples uint64, workers int) []engine.Allocation {
	arcs := 2 * tuples
	// Where there are few windows, each holds much, and needs room in the arena;
	// every worker that sorts one has a copy of its size.
	_, windows := windowsOf(vertices, arcs)
	largest := arcs / uint64(max(windows, 1))
	words := max(arenaWords(arcs), arcs+2*largest)
	copies := uint64(min(windows, workers)) * max(largest, leastScratch)
	return []engine.Allocation{
		{Name: "neighbours", Bytes: 4 * arcs},
		{Name: "sorting space", Bytes: 4*(words-arcs) + 8*copies, Phase: engine.Construction},
		{Name: "degrees", Bytes: 4 * vertices, Phase: engine.Construction},
		{Name: "row index", Bytes: vertices/8 + vertices/8 + vertices/16},
		{Name: "row offsets", Bytes: 8 * rows, Phase: engine.Searching},
		{Name: "first neighbours", Bytes: (4 + 16) * rows, Phase: engine.Searching},
	}
}

// arenaWords returns the number of 32-bit words that hold the finished rows in
// front and the arcs of a pass, as pairs, behind. For a large graph that is
// three passes over the tuples and, with the tuples and the row index, less
// than 20 bytes a tuple.
func arenaWords(arcs uint64) uint64 {
	if 12*arcs <= small {
		return 3 * arcs
	}
	return arcs + arcs*7/16
}

func (b *builder) allocate() (err error) {
	words := int((b.vertices + 63) / 64)
	if b.g.Present, err = memory.Alloc[uint64](words); err != nil {
		return err
	}
	if b.g.Leaves, err = memory.Alloc[uint64](words); err != nil {
		return err
	}
	if b.g.Rank, err = memory.Alloc[uint32](words); err != nil {
		return err
	}
	b.degree, err = memory.Alloc[uint32](words * 64)
	return err
}

// windowsOf returns the number of windows and the shift from a label to its
// window.
func windowsOf(vertices, arcs uint64) (shift uint, windows int) {
	shift = 6 // whole words of Present
	if vertices == 0 {
		return shift, 0
	}
	want := min(max(arcs/windowArcs, 1), maxWindows)
	for shift < 31 && (vertices-1)>>shift+1 > want { // labels are shifted as 32-bit numbers
		shift++
	}
	return shift, int((vertices-1)>>shift) + 1
}

// countWindows counts the arcs of every window.
func (b *builder) countWindows() error {
	b.shift, b.windows = windowsOf(b.vertices, 2*uint64(len(b.tuples)))
	workers := b.team.Size()
	b.count = make([][]uint64, workers)
	loops := make([]int64, workers)
	var bad atomic.Bool
	b.team.Run(func(worker int) {
		count := make([]uint64, b.windows+1)
		b.count[worker] = count
		shift := b.shift & 31
		b.share(worker, func(tuples []engine.Edge) {
			for _, e := range tuples {
				if uint64(max(e.U, e.V)) >= b.vertices {
					bad.Store(true)
					return
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
		return b.outOfRange()
	}
	b.size = make([]uint64, b.windows)
	for worker, count := range b.count {
		b.loops += loops[worker]
		for w := range b.size {
			b.size[w] += count[w]
		}
	}
	return nil
}

func (b *builder) outOfRange() error {
	for i, e := range b.tuples {
		if uint64(max(e.U, e.V)) >= b.vertices {
			return fmt.Errorf("graph: tuple %d (%d, %d) names a vertex beyond the last one, %d", i, e.U, e.V, int64(b.vertices)-1)
		}
	}
	return nil
}

// share calls f with the worker's tuples, block by block, until the context ends.
func (b *builder) share(worker int, f func([]engine.Edge)) {
	lo, hi := parallel.Split(len(b.tuples), b.team.Size(), worker)
	for ; lo < hi && b.ctx.Err() == nil; lo += block {
		f(b.tuples[lo:min(lo+block, hi)])
	}
}

// sortArcs fills the rows. Each pass takes as many windows as fit: their arcs
// as pairs of 8 bytes at the end of the arena, and their rows of 4 bytes an
// arc behind those finished before.
func (b *builder) sortArcs() error {
	arcs := uint64(len(b.tuples)-int(b.loops)) * 2
	arena, err := memory.Alloc[uint32](even(b.arena(arcs)))
	if err != nil {
		return err
	}
	b.g.arena = arena
	var finished uint64
	scratch := make([][]uint64, b.team.Size())
	defer func() {
		for _, s := range scratch {
			_ = memory.Free(s)
		}
	}()
	for from := 0; from < b.windows; {
		to, group := from, uint64(0)
		room := uint64(len(arena)) - finished
		for to < b.windows && 3*(group+b.size[to]) <= room {
			group += b.size[to]
			to++
		}
		if to == from { // a window of its own size: a hub with a large part of all arcs
			group = b.size[from]
			to = from + 1
			if group > 1<<32-1 {
				return fmt.Errorf("graph: %d arcs from %d vertices are more than the sort can count", group, 1<<b.shift)
			}
			if b.g.arena, err = regrow(arena, finished, 3*group); err != nil {
				return err
			}
			arena = b.g.arena
		}
		if group > 0 {
			tail := arena[uint64(len(arena))-2*group:]
			pairs := unsafe.Slice((*uint64)(unsafe.Pointer(&tail[0])), group)
			if err := b.sortGroup(from, to, pairs, arena[finished:], scratch); err != nil {
				return err
			}
		}
		for w := from; w < to; w++ {
			finished += b.size[w]
		}
		from = to
	}
	b.g.Neighbors = arena[:finished:finished]
	b.g.Info = engine.Graph{
		Vertices:   int64(b.vertices),
		Tuples:     int64(len(b.tuples)),
		SelfLoops:  b.loops,
		Duplicates: int64(arcs-finished) / 2,
		Arcs:       int64(finished),
	}
	return memory.Release(arena, int(finished))
}

// even rounds up, so that pairs at the end of the arena are aligned.
func even(words uint64) int { return int(words+1) &^ 1 }

// regrow returns an arena with room for more words behind the finished ones.
func regrow(arena []uint32, finished, more uint64) ([]uint32, error) {
	grown, err := memory.Alloc[uint32](even(finished + more))
	if err != nil {
		return arena, err
	}
	copy(grown, arena[:finished])
	return grown, memory.Free(arena)
}

// sortGroup scatters the arcs of windows from..to-1 into pairs, sorts each
// window, drops repeated arcs and puts the rows at the beginning of rows. It
// sets size to the number of distinct arcs.
func (b *builder) sortGroup(from, to int, pairs []uint64, rows []uint32, scratch [][]uint64) error {
	start := make([]uint64, to-from+1)
	var place uint64
	for w := from; w < to; w++ {
		start[w-from] = place
		for _, count := range b.count {
			place, count[w] = place+count[w], place
		}
	}
	start[to-from] = place

	first, windows := uint32(from), uint32(to-from)
	b.team.Run(func(worker int) {
		next := b.count[worker][from:to]
		shift := b.shift & 31
		b.share(worker, func(tuples []engine.Edge) {
			for _, e := range tuples {
				if e.U == e.V {
					continue
				}
				if w := e.U>>shift - first; w < windows {
					p := next[w]
					next[w] = p + 1
					pairs[p] = uint64(e.U)<<32 | uint64(e.V)
				}
				if w := e.V>>shift - first; w < windows {
					p := next[w]
					next[w] = p + 1
					pairs[p] = uint64(e.V)<<32 | uint64(e.U)
				}
			}
		})
	})
	if err := context.Cause(b.ctx); err != nil {
		return err
	}

	digits := plan(bits.Len64(b.vertices-1), int(b.shift))
	errs := make([]error, b.team.Size())
	err := b.team.For(b.ctx, to-from, 1, func(worker, lo, hi int) {
		for w := lo; w < hi; w++ {
			arcs := pairs[start[w]:start[w+1]]
			if len(arcs) > len(scratch[worker]) {
				_ = memory.Free(scratch[worker])
				var err error
				if scratch[worker], err = memory.Alloc[uint64](max(len(arcs), leastScratch)); err != nil {
					errs[worker] = err
					return
				}
			}
			b.size[from+w] = b.sortWindow(arcs, scratch[worker][:len(arcs)], digits)
		}
	})
	if err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}

	target := make([]uint64, to-from+1)
	for w := from; w < to; w++ {
		target[w-from+1] = target[w-from] + b.size[w]
	}
	return b.team.For(b.ctx, to-from, 8, func(_, lo, hi int) {
		for w := lo; w < hi; w++ {
			copy(rows[target[w]:target[w+1]], halves(pairs[start[w]:start[w+1]]))
		}
	})
}

// halves shows the same memory as 32-bit words.
func halves(pairs []uint64) []uint32 {
	if len(pairs) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&pairs[0])), 2*len(pairs))
}

// digit is a field of a pair, source in the upper half and neighbour in the
// lower, by which a window is sorted.
type digit struct{ shift, bits uint }

// plan splits the bits of a neighbour's label and the low bits of the
// source's label into digits of at most radixBits, least significant first.
func plan(labelBits, sourceBits int) []digit {
	var digits []digit
	split := func(low, width int) {
		parts := (width + radixBits - 1) / radixBits
		for i := range parts {
			lo, hi := parallel.Split(width, parts, i)
			digits = append(digits, digit{uint(low + lo), uint(hi - lo)})
		}
	}
	split(0, labelBits)
	split(32, sourceBits)
	return digits
}

// sortWindow sorts the arcs of a window by source and neighbour, leaves the
// distinct neighbours in the halves of arcs, packed, notes presence and
// degree of each source and returns the number of distinct arcs.
func (b *builder) sortWindow(arcs, scratch []uint64, digits []digit) uint64 {
	from, to := arcs, scratch
	var count [1 << radixBits]uint32
	for _, d := range digits {
		mask := uint64(1)<<d.bits - 1
		shift := d.shift & 63
		used := count[:mask+1]
		clear(used)
		for _, x := range from {
			used[x>>shift&mask]++
		}
		var sum uint32
		for i, c := range used {
			used[i] = sum
			sum += c
		}
		for _, x := range from {
			k := x >> shift & mask
			p := used[k]
			used[k] = p + 1
			to[p] = x
		}
		from, to = to, from
	}
	rows := halves(arcs)
	var n uint64
	last := ^uint64(0)
	for _, x := range from {
		if x == last {
			continue
		}
		last = x
		rows[n] = uint32(x)
		n++
		source := x >> 32
		b.degree[source]++
		b.g.Present[source>>6] |= 1 << (source & 63)
	}
	return n
}
