package graph

import (
	"math"

	"graph500/memory"
)

// radixBits is the size of a digit, in bits, of the sort of a window by weight.
const radixBits = 11

// weightedBuffers are the buffers of one worker for the sort of a window.
type weightedBuffers struct {
	records []arcRecord
	digits  [weightDigits][1 << radixBits]uint32
}

// The bits of a weight of 0 or more ascend with the weight. The sign is never set, so
// three digits cover them.
const weightDigits = 3

// sortWindow sorts the records of a window, whose first label is given, by source and
// weight. It stores the arcs without their source at the beginning of the records and
// sets the bit in Present and the degree of each source.
func (b *weightedBuilder) sortWindow(worker int, records []arcRecord, first uint32) (err error) {
	buffers := &b.buffers[worker]
	if len(records) > len(buffers.records) {
		_ = memory.Free(buffers.records)
		if buffers.records, err = memory.Alloc[arcRecord](max(len(records), minScratch)); err != nil {
			return err
		}
	}
	degree := b.degree[first:min(uint64(first)+1<<b.shift, uint64(len(b.degree)))]
	buffers.count(records, degree, first)
	from, to := records, buffers.records[:len(records)]
	for d := range buffers.digits {
		next := &buffers.digits[d]
		shift := uint(d * radixBits)
		for _, x := range from {
			k := math.Float32bits(x.arc.Weight) >> shift % (1 << radixBits)
			p := next[k]
			next[k] = p + 1
			to[p] = x
		}
		from, to = to, from
	}
	b.storeRows(degree, from, sortedArcs(to), first)
	return nil
}

// count fills the buffers with the index of the first record of each digit, and counts
// the arcs of each source in degree.
func (u *weightedBuffers) count(records []arcRecord, degree []uint32, first uint32) {
	for d := range u.digits {
		clear(u.digits[d][:])
	}
	low, middle, high := &u.digits[0], &u.digits[1], &u.digits[2]
	for _, x := range records {
		w := math.Float32bits(x.arc.Weight)
		low[w%(1<<radixBits)]++
		middle[w>>radixBits%(1<<radixBits)]++
		high[w>>(2*radixBits)%(1<<radixBits)]++
		degree[x.source-first]++
	}
	for d := range u.digits {
		var sum uint32
		for k, c := range u.digits[d] {
			u.digits[d][k] = sum
			sum += c
		}
	}
}

// storeRows sorts the arcs of the records, which are in the order of the weights, by
// source, and sets the bits in Present. While it sorts, degree holds the index of the
// next arc of each source.
func (b *weightedBuilder) storeRows(degree []uint32, records []arcRecord, arcs []Arc, first uint32) {
	b.g.begin(degree, uint64(first))
	for _, x := range records {
		p := degree[x.source-first]
		degree[x.source-first] = p + 1
		arcs[p] = x.arc
	}
	var start uint32
	for i, end := range degree {
		degree[i] = end - start
		start = end
	}
}
