package graph

import (
	"math/bits"
	"unsafe"

	"graph500/engine"
	"graph500/memory"
)

// Digits of the sort of a window, by the neighbour's label. The third one is of labels of more
// than two.
const (
	digitBits  = 12
	digitMask  = 1<<digitBits - 1
	mostDigits = 3
)

// digitPlaces has, by digit, the number of arcs with it, then the place of the next one.
type digitPlaces [1 << digitBits]uint32

// packedArc is an arc of a window: the source, numbered from the first one of the window, above the bits
// of the neighbour's label.
type packedArc interface{ uint32 | uint64 }

// arcForm is how arcs are packed for the sort.
type arcForm struct {
	words     int  // 32-bit words of an arc
	labelBits uint // of the neighbour
}

// There are more windows than windowsOf returns only if arcs fit into one word then: at most mostStreams,
// of leastArcs arcs on average.
const (
	mostStreams = 1 << 14
	leastArcs   = 1 << 12
)

// arcFormOf returns the form for a share of a graph with a number of arcs in it: arcs of one word if
// windows for these are not too many. Ranks with unequal numbers can get different forms.
func arcFormOf(of Share, arcs uint64) arcForm {
	f := arcForm{1, uint(max(1, bits.Len64(max(of.Vertices, 1)-1)))}
	shift, windows := f.windowsOf(of.Owned, arcs)
	_, usual := windowsOf(of.Owned, arcs)
	if shift+f.labelBits <= 32 && (windows <= usual || windows <= mostStreams && arcs >= leastArcs*uint64(windows)) {
		return f
	}
	return arcForm{2, 32}
}

// windowsOf is the function of this name with windows in which an arc fits into its words, if they have
// 64 labels or more.
func (f arcForm) windowsOf(vertices, arcs uint64) (shift uint, windows int) {
	shift, windows = windowsOf(vertices, arcs)
	if most := max(32*uint(f.words)-f.labelBits, 6); shift > most && vertices > 0 {
		return most, int((vertices-1)>>most) + 1
	}
	return shift, windows
}

// windowBuffers are the buffers of one worker for the sort of a window.
type windowBuffers struct {
	arcs   []uint32 // words of packed arcs
	places [mostDigits]digitPlaces
}

// asWords returns the same memory as 32-bit words.
func asWords[A packedArc](arcs []A) []uint32 {
	if len(arcs) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&arcs[0])), len(arcs)*int(unsafe.Sizeof(arcs[0])/4))
}

// sortWindow sorts the arcs of a window, whose first label is given, by source and neighbour. It
// packs the distinct neighbours as 32-bit words at the beginning of arcs, sets the bit in
// Present and the degree of each source, and returns the number of distinct arcs.
func sortWindow[A packedArc](b *builder, u *windowBuffers, arcs []A, first uint64) (kept uint64, err error) {
	if words := len(asWords(arcs)); words > len(u.arcs) {
		_ = memory.Free(u.arcs)
		if u.arcs, err = memory.Alloc[uint32](max(words, minScratch*b.packing.words)); err != nil {
			return 0, err
		}
	}
	degree := b.degree[first:min(first+1<<b.shift, uint64(len(b.degree)))]
	labelBits := b.packing.labelBits
	digits := max(1, (bits.Len64(b.of.Vertices-1)+digitBits-1)/digitBits)
	countDigits(u, arcs, degree, labelBits, digits)
	from, to := arcs, wordsAs[A](u.arcs)[:len(arcs)]
	for i := range digits {
		beginsOf(u.places[i][:])
		moveByDigit(&u.places[i], from, to, uint(i*digitBits), labelBits)
		from, to = to, from
	}
	b.g.begin(degree, first)
	rows := asWords(to)[:len(from)]
	storeRows(from, rows, degree, labelBits)
	return dropRepeated(rows, asWords(arcs)[:len(arcs)], degree), nil
}

// countDigits counts the arcs of each digit and of each source.
func countDigits[A packedArc](u *windowBuffers, arcs []A, degree []uint32, labelBits uint, digits int) {
	for i := range digits {
		clear(u.places[i][:])
	}
	label, labelBits := A(1)<<labelBits-1, labelBits&63
	low, middle, high := &u.places[0], &u.places[1], &u.places[2]
	if digits < mostDigits {
		for _, x := range arcs {
			v := x & label
			low[v&digitMask]++
			middle[v>>digitBits&digitMask]++
			degree[x>>labelBits]++
		}
		return
	}
	for _, x := range arcs {
		v := x & label
		low[v&digitMask]++
		middle[v>>digitBits&digitMask]++
		high[v>>(2*digitBits)&digitMask]++
		degree[x>>labelBits]++
	}
}

// beginsOf turns counters into the sums of those before them.
func beginsOf(counts []uint32) {
	var sum uint32
	for i, c := range counts {
		counts[i] = sum
		sum += c
	}
}

// moveByDigit moves arcs to the next place of their digit of the label, which begins at a bit.
func moveByDigit[A packedArc](p *digitPlaces, from, to []A, bit, labelBits uint) {
	mask := (A(1)<<labelBits - 1) >> bit & digitMask
	bit &= 31
	for _, x := range from {
		k := x >> bit & mask & digitMask
		at := p[k]
		p[k] = at + 1
		to[at] = x
	}
}

// storeRows stores the neighbours by source. next has the place of the next one of each source.
func storeRows[A packedArc](arcs []A, rows, next []uint32, labelBits uint) {
	label, labelBits := A(1)<<labelBits-1, labelBits&63
	for _, x := range arcs {
		k := x >> labelBits
		p := next[k]
		next[k] = p + 1
		rows[p] = uint32(x & label)
	}
}

// dropRepeated packs the distinct labels of sorted rows. ends holds the end of each row, then its
// number of distinct labels. The rows may begin where they are packed. It returns the number of
// labels of all rows.
func dropRepeated(rows, packed, ends []uint32) uint64 {
	var start, n uint32
	for i, end := range ends {
		begin, last := n, engine.None
		for _, v := range rows[start:end] {
			packed[n] = v
			if v != last {
				n++
			}
			last = v
		}
		start = end
		ends[i] = n - begin
	}
	return uint64(n)
}
