package graph

import (
	"math/bits"
	"slices"
	"unsafe"

	"graph500/memory"
)

// A window is sorted by the highest bits of the neighbour's label, then by source. The rows are nearly in
// order then: there are at most groupArcs arcs of the window for each value of those bits on the mean, unless
// that takes more than mostTopBits.
const (
	groupArcs   = 4
	mostTopBits = 16
)

// packedArc is an arc of a window: the source, numbered from the first one of the window, above the bits
// of the neighbour's label. Sorted by the highest bits of the label, arcs have one word in any case: a
// word has room for the source and the low bits, and the arcs with each value of the high bits lie together.
// Loops over arcs widen them to 64 bits: code for both types tests each shift of 32 bits for more than 31.
type packedArc interface{ uint32 | uint64 }

// arcForm is how arcs are packed for the sort.
type arcForm struct {
	words     int  // 32-bit words of an arc
	labelBits uint // of the neighbour
}

// sourceBit returns the lowest bit of the source in an arc.
func (f arcForm) sourceBit() uint {
	if f.words == 1 {
		return f.labelBits
	}
	return 32
}

// There are more windows than windowsOf returns if arcs fit into one word then: at most mostStreams, of
// leastArcs arcs on average. Labels of 31 bits and more need 2^14 windows or more in any case.
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
	return arcForm{2, f.labelBits}
}

// windowsOf is the function of this name with windows in which an arc fits into its words, and of at most
// mostTopBits high bits of the label beside a word, if they have 64 labels or more.
func (f arcForm) windowsOf(vertices, arcs uint64) (shift uint, windows int) {
	shift, windows = windowsOf(vertices, arcs)
	if most := max(32+mostTopBits*uint(f.words-1)-f.labelBits, 6); shift > most && vertices > 0 {
		return most, int((vertices-1)>>most) + 1
	}
	return shift, windows
}

// windowBuffers are the buffers of one worker for the lines of windows, then for the sort of one.
type windowBuffers struct {
	words  []uint32                 // lines; arcs in the order of the highest bits of the label
	places [1 << mostTopBits]uint32 // by these bits: arcs, then the place of the next one
}

// room returns a number of words of any values, in the place of what it returned before. It makes room for a
// quarter more, because the system clears the pages of each allocation.
func (u *windowBuffers) room(words int) (_ []uint32, err error) {
	if words > len(u.words) {
		_ = memory.Free(u.words)
		u.words, err = memory.Alloc[uint32](max(words+words/4, minScratch))
	}
	return u.words[:min(words, len(u.words))], err
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
	if len(arcs) == 0 {
		return 0, nil
	}
	byTop, err := u.room(len(arcs))
	if err != nil {
		return 0, err
	}
	degree := b.degree[first:min(first+1<<b.shift, uint64(len(b.degree)))]
	labelBits := b.packing.labelBits
	low := min(labelBits, 32-b.shift) // bits of the label beside the source in a word
	top := max(labelBits-low, min(labelBits, mostTopBits, uint(bits.Len(uint(len(arcs)/groupArcs)))))
	places := u.places[:1<<top]
	clear(places)
	countArcs(arcs, places, degree, labelBits-top, b.packing.sourceBit())
	beginsOf(places)
	moveByTop(arcs, byTop, places, labelBits-top, low)
	b.g.begin(degree, first)
	rows := asWords(arcs)[:len(arcs)]
	begin := uint32(0)
	for high := range 1 << (labelBits - low) {
		end := places[(high+1)<<(top+low-labelBits)-1]
		if begin == end { // most of the 2^16 in a window of few arcs with labels of 32 bits
			continue
		}
		storeRows(byTop[begin:end], rows, degree, low, uint32(high)<<low)
		begin = end
	}
	return finishRows(rows, degree), nil
}

// countArcs counts the arcs by the bits of the label from shift on, of which there are a power of two, and
// by source. Like the next loops over arcs it is not inlined: in sortWindow their registers were in memory.
//
//go:noinline
func countArcs[A packedArc](arcs []A, places, degree []uint32, shift, sourceBit uint) {
	mask := uint64(len(places) - 1)
	for _, x := range arcs {
		places[uint64(x)>>(shift&63)&mask]++
		degree[uint64(x)>>(sourceBit&63)]++
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

// moveByTop moves arcs to the next place of the bits of their label from shift on, as words with the source
// above so many low bits of the label; arcs of one word are that already. The places are random: at scale 26
// those of a window exceeded the second-level (L2) cache with arcs of 64 bits, and a move took 1.4 times as long.
//
//go:noinline
func moveByTop[A packedArc](from []A, to, places []uint32, shift, low uint) {
	mask, keep := uint64(len(places)-1), ^uint32(0)
	if unsafe.Sizeof(from[0]) > 4 {
		keep = 1<<(low&31) - 1
	}
	for _, x := range from {
		k := uint64(x) >> (shift & 63) & mask
		p := places[k]
		places[k] = p + 1
		to[p] = uint32(uint64(x)>>32)<<(low&31) | uint32(x)&keep
	}
}

// storeRows stores the neighbours by source, with the high bits of their labels. next has the place of the
// next one of each source.
//
//go:noinline
func storeRows(arcs, rows, next []uint32, low uint, high uint32) {
	label := uint32(1)<<(low&31) - 1
	for _, x := range arcs {
		k := x >> (low & 31)
		p := next[k]
		next[k] = p + 1
		rows[p] = x&label | high
	}
}

// finishRows sorts the rows, drops repeated labels and moves the rows together. ends holds the end of each
// row, then its number of distinct labels. It returns the number of labels of all rows.
func finishRows(rows, ends []uint32) uint64 {
	start, n := 0, 0
	for i, end := range ends {
		kept := finishRow(rows[start:end], rows[n:])
		start = int(end)
		ends[i] = uint32(kept)
		n += kept
	}
	return uint64(n)
}

// mostShifts is the number of labels of a row, for each of its labels, that are passed by others before the
// row is sorted in another way.
const mostShifts = 8

// finishRow moves the distinct labels of a row in order to the begin of to, which may overlap the row, and
// returns their number. It inserts one after the other: in official graphs few have to move.
func finishRow(row, to []uint32) (n int) {
	shifts := mostShifts * len(row)
	last := int64(-1)
	for k, v := range row {
		if int64(v) > last {
			to[n] = v
			n++
			last = int64(v)
			continue
		}
		if int64(v) == last {
			continue
		}
		at := n - 1 // of the first label that is not lower
		for at > 0 && to[at-1] >= v {
			at--
		}
		if shifts -= n - at; shifts < 0 {
			n += copy(to[n:], row[k:])
			slices.Sort(to[:n])
			return len(slices.Compact(to[:n]))
		}
		if to[at] == v {
			continue
		}
		copy(to[at+1:n+1], to[at:n])
		to[at] = v
		n++
	}
	return n
}
