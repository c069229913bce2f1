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

// windowBuffers are the buffers of one worker for the sort of a window.
type windowBuffers struct {
	pairs  []uint64
	places [mostDigits]digitPlaces
}

// words32 returns the same memory as 32-bit words.
func words32(pairs []uint64) []uint32 {
	if len(pairs) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&pairs[0])), 2*len(pairs))
}

// sortWindow sorts the arcs of a window, whose first label is given, by source and neighbour. An arc
// is a pair with the source in its upper half and the neighbour in its lower half. sortWindow
// packs the distinct neighbours as 32-bit words at the beginning of arcs, sets the bit in
// Present and the degree of each source, and returns the number of distinct arcs.
func (b *builder) sortWindow(u *windowBuffers, arcs []uint64, first uint64) (kept uint64, err error) {
	if len(arcs) > len(u.pairs) {
		_ = memory.Free(u.pairs)
		if u.pairs, err = memory.Alloc[uint64](max(len(arcs), minScratch)); err != nil {
			return 0, err
		}
	}
	degree := b.degree[first:min(first+1<<b.shift, uint64(len(b.degree)))]
	digits := (bits.Len64(b.of.Vertices-1) + digitBits - 1) / digitBits
	u.count(arcs, degree, uint32(first), digits)
	from, to := arcs, u.pairs[:len(arcs)]
	for i := range digits {
		beginsOf(u.places[i][:])
		u.places[i].move(from, to, uint(i*digitBits))
		from, to = to, from
	}
	b.g.begin(degree, first)
	rows := words32(to)[:len(from)]
	storeRows(from, rows, degree, uint32(first))
	return dropRepeated(rows, words32(arcs)[:len(arcs)], degree), nil
}

// count counts the arcs of each digit and of each source.
func (u *windowBuffers) count(arcs []uint64, degree []uint32, first uint32, digits int) {
	for i := range digits {
		clear(u.places[i][:])
	}
	low, middle, high := &u.places[0], &u.places[1], &u.places[2]
	if digits < mostDigits {
		for _, x := range arcs {
			low[x&digitMask]++
			middle[x>>digitBits&digitMask]++
			degree[uint32(x>>32)-first]++
		}
		return
	}
	for _, x := range arcs {
		low[x&digitMask]++
		middle[x>>digitBits&digitMask]++
		high[uint32(x)>>(2*digitBits)]++
		degree[uint32(x>>32)-first]++
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

// move moves pairs to the next place of their digit, which begins at a bit.
func (p *digitPlaces) move(from, to []uint64, bit uint) {
	for _, x := range from {
		k := uint32(x) >> (bit & 31) & digitMask
		at := p[k]
		p[k] = at + 1
		to[at] = x
	}
}

// storeRows stores the neighbours by source. next has the place of the next one of each source.
func storeRows(arcs []uint64, rows, next []uint32, first uint32) {
	for _, x := range arcs {
		k := uint32(x>>32) - first
		p := next[k]
		next[k] = p + 1
		rows[p] = uint32(x)
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
