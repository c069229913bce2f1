package graph

import (
	"graph500/engine"
	"graph500/memory"
	"graph500/vector"
)

// fillLists writes the lists of each chunk to the place of its rows in the arena, and fills the
// rest of Records and Hubs.
func (b *hubBuilder) fillLists() error {
	errs := make([]error, len(b.workers))
	err := b.team.For(b.ctx, b.chunks(), 1, func(worker, c, _ int) {
		if err := b.fillChunk(b.workers[worker], c); err != nil {
			errs[worker] = err
		}
	})
	for _, e := range errs {
		if err == nil {
			err = e
		}
	}
	return err
}

// The rows of a chunk are read in the order of their first hubs, and codes at random. So, if a core's
// caches do not hold all codes, the first lines of a row are requested 2*rowsAhead rows before it is
// split, and then the codes of its first mostAhead arcs.
const (
	rowsAhead = 4
	mostAhead = 128
	ownCache  = 1 << 20 // bytes of codes that a core's caches hold
)

func (b *hubBuilder) fillChunk(w *hubWorker, c int) error {
	lo, hi := b.labels(c)
	begin, end := b.listStart(lo), b.listStart(hi)
	if err := w.room(end - begin); err != nil {
		return err
	}
	chunk, next := &b.to.Chunks[c], &b.to.Chunks[c+1]
	chunk.List = begin
	n := uint64(0)
	var rows [2 * rowsAhead][]uint32
	ahead := w.form != vector.Plain && len(b.code)*4 > ownCache
	for i := chunk.Row; i < chunk.Last+2*rowsAhead; i++ {
		place := &rows[i%(2*rowsAhead)]
		if i >= chunk.Row+2*rowsAhead {
			record := &b.to.Records[i-2*rowsAhead]
			w.split(b, *place)
			n += w.writeRow(b, record, n)
		}
		*place = nil
		if i < chunk.Last {
			*place = b.rowOf(engine.Label(lo) + uint32(b.to.Records[i].Place))
		}
		if ahead {
			prefetchRow(*place)
			prefetchCodes(b.code, rows[(i+rowsAhead)%(2*rowsAhead)])
		}
	}
	for _, h := range b.to.ChunkHubs[chunk.Hub:next.Hub] {
		hub := &b.to.Hubs[h.Hub]
		w.split(b, b.rowOf(hub.Label-b.to.FirstLabel))
		hub.All = begin + n
		n += w.writeHub(b, hub, n)
	}
	b.used[c] = n
	copy(b.lists[begin:end], w.lists[:n])
	return nil
}

// rowOf returns the row of own vertex v, numbered from 0, from lists.
func (b *hubBuilder) rowOf(v engine.Label) []uint32 {
	r := b.from.Row(v)
	return b.lists[b.from.Offsets[r]:b.from.Offsets[r+1]]
}

// room makes room for the lists of a chunk, and for a quarter more: the system clears the pages of each
// allocation, at scale 20 95 MiB if each is as long as its chunk.
func (w *hubWorker) room(words uint64) (err error) {
	if uint64(len(w.lists)) < words {
		if err = memory.Free(w.lists); err == nil {
			w.lists, err = memory.Alloc[uint32](int(words + words/4))
		}
	}
	return err
}

// rowMask has the bits of the number of a row in a code.
func (b *hubBuilder) rowMask() uint32 { return 1<<b.rowBits - 1 }

// split splits a row of lists into hubs, rows with their codes, and leaves.
func (w *hubWorker) split(b *hubBuilder, row []uint32) {
	if n := len(row) + blockRanked; cap(w.leaves) < n {
		n += n / 4
		w.hubs, w.rows, w.codes, w.leaves = make([]uint16, n), make([]uint32, n), make([]uint32, n), make([]uint32, n)
	}
	n := len(row) + lanes + 1
	hubs, rows, codes, leaves := w.hubs[:n], w.rows[:n], w.codes[:n], w.leaves[:n]
	nh, others := splitHubs(w.form, hubs, codes, row, engine.None-uint32(len(b.to.Hubs)))
	nr, nl := splitLeaves(w.form, rows, codes, leaves, b.code, b.rowMask(), others)
	w.hubs, w.rows, w.codes, w.leaves = hubs[:nh], rows[:nr], codes[:nr], leaves[:nl]
}

// splitHubsGo splits a row of lists into the numbers of hubs, which are above lastHub, and labels of
// others. It returns how many there are of both. Like splitLeavesGo, it has no branches on the data,
// which would be unpredictable, and writes an entry more.
func splitHubsGo(hubs []uint16, others, row []uint32, lastHub uint32) (nh, no int) {
	for _, v := range row {
		hubs[nh], others[no] = uint16(^v), v
		oneOther := int((uint64(v) - uint64(lastHub) - 1) >> 63) // 1 if it is one
		no += oneOther
		nh += 1 - oneOther
	}
	return nh, no
}

// splitLeavesGo splits labels from..n-1 into rows, with the numbers in their codes, the codes, in the
// memory of the labels, and labels of leaves, behind the first nr and nl of them. It returns how many
// there are of both then.
func splitLeavesGo(rows, codes, leaves, code []uint32, mask uint32, from, n, nr, nl int) (allRows, allLeaves int) {
	for _, v := range codes[from:n] {
		c := code[v]
		rows[nr], codes[nr], leaves[nl] = c&mask, c, v
		oneLeaf := int(c >> 31)
		nr += 1 - oneLeaf
		nl += oneLeaf
	}
	return nr, nl
}

// writeRow writes the list of a row from word n on and completes its record. It returns the
// length of the list.
func (w *hubWorker) writeRow(b *hubBuilder, r *Record, n uint64) uint64 {
	to := w.lists[n:]
	at := 0
	rows, leaves := uint32(len(w.rows)), uint32(len(w.leaves))
	r.List = uint32(n)
	if len(w.hubs) < 2 {
		r.Next = uint64(leaves)<<32 | uint64(rows)
	} else {
		r.List |= SeveralHubs
		to[0], to[1] = rows, leaves
		at = 2
	}
	w.bestRows(b.rowMask())
	at += copy(to[at:], w.rows)
	at += copy(to[at:], w.leaves)
	if r.List&SeveralHubs != 0 {
		var first [5]uint16
		first, at = w.firstHubs(to, at)
		r.Next = nextHubs(first[1:])
		if len(w.hubs) > len(first) {
			r.List |= FurtherHubs | MoreNeighbors
		}
	}
	if rows > 0 {
		r.List |= MoreNeighbors
	}
	if leaves > 0 {
		r.List |= HasLeaves
	}
	return uint64(at)
}

// nextHubs packs up to four numbers of hubs.
func nextHubs(hubs []uint16) uint64 {
	next := ^uint64(0)
	for i, h := range hubs[:min(4, len(hubs))] {
		next ^= uint64(h^NoHub) << (16 * i)
	}
	return next
}

// firstHubs returns the five lowest numbers among the hubs, NoHub if there are fewer, and writes
// the others, after their number, to word at. It returns the place behind them. The others are the hubs
// behind the first five then: a hub that enters these leaves its place to the one that it displaces.
func (w *hubWorker) firstHubs(to []uint32, at int) (first [5]uint16, end int) {
	first = [5]uint16{NoHub, NoHub, NoHub, NoHub, NoHub}
	hubs := w.hubs
	for i, h := range hubs {
		if h >= first[4] {
			continue
		}
		hubs[i] = first[4]
		k := 4
		for ; k > 0 && first[k-1] > h; k-- {
			first[k] = first[k-1]
		}
		first[k] = h
	}
	if len(hubs) <= len(first) {
		return first, at
	}
	others := hubs[len(first):]
	further := halves(to[at:], len(others)+1)
	further[0] = uint16(len(others))
	copy(further[1:], others)
	return first, at + (len(others)+2)/2
}

// bestRows brings the four rows of highest degree, by their codes, to the begin, if there are more, like
// firstHubs. A code of 0, of row 0, is among the best from the beginning.
func (w *hubWorker) bestRows(mask uint32) {
	var best [4]uint32
	rows := w.rows
	if len(rows) <= len(best) {
		return
	}
	for i, c := range w.codes[:len(rows)] {
		if c <= best[len(best)-1] {
			continue
		}
		rows[i] = best[len(best)-1] & mask
		k := len(best) - 1
		for ; k > 0 && best[k-1] < c; k-- {
			best[k] = best[k-1]
		}
		best[k] = c
	}
	for i, c := range best {
		rows[i] = c & mask
	}
}

// writeHub writes the list of an own hub from word n on and completes its record. It returns the
// length of the list, which holds rows and leaves only if there are no other shares.
func (w *hubWorker) writeHub(b *hubBuilder, h *HubRecord, n uint64) uint64 {
	h.AllHubs, h.AllLeaves = uint32(len(w.hubs)), uint32(len(w.leaves))
	to := w.lists[n:]
	at := 0
	if len(w.hubs) > 0 {
		sorted := halves(to, len(w.hubs))
		w.sortHubs(sorted)
		h.Next = nextHubs(sorted[1:])
		at = (len(w.hubs) + 1) / 2
	}
	if b.of.isPart() {
		return uint64(at)
	}
	h.Hubs, h.Rows, h.Leaves = h.AllHubs, uint32(len(w.rows)), h.AllLeaves
	at += copy(to[at:], w.rows)
	at += copy(to[at:], w.leaves)
	return uint64(at)
}

// mostRanked is the largest number of hubs of a list that are sorted by their ranks, in blocks of
// blockRanked: the work is that of a square.
const (
	mostRanked  = 256
	blockRanked = 64
)

// sortHubs writes the hubs, of which there are some, by rising number: to their ranks, or by their low digits and
// then by the high ones. Setting a bit for each and reading the bits in order takes a third longer.
func (w *hubWorker) sortHubs(to []uint16) {
	if len(w.hubs) <= mostRanked && rankHubs(w.form, &w.ranks, w.hubs) {
		for i, h := range w.hubs {
			to[w.ranks[i]] = h
		}
		return
	}
	const digits = 1 << 8
	var low, high [digits]uint32 // numbers of hubs, then the place of the next one
	for _, h := range w.hubs {
		low[h%digits]++
		high[h/digits]++
	}
	nextLow, nextHigh := uint32(0), uint32(0)
	for d := range digits {
		low[d], nextLow = nextLow, nextLow+low[d]
		high[d], nextHigh = nextHigh, nextHigh+high[d]
	}
	byLow := w.byLow[:len(w.hubs)]
	for _, h := range w.hubs {
		at := &low[h%digits]
		byLow[*at] = h
		*at++
	}
	for _, h := range byLow {
		at := &high[h/digits]
		to[*at] = h
		*at++
	}
}

// joinLists moves the lists of all chunks together and frees the rest of their memory.
func (b *hubBuilder) joinLists() error {
	g := b.to
	n := uint64(0)
	moves := make([]blockMove, len(b.used))
	for c, used := range b.used {
		chunk := &g.Chunks[c]
		moves[c] = blockMove{chunk.List, n, used}
		for _, h := range g.ChunkHubs[chunk.Hub:g.Chunks[c+1].Hub] {
			g.Hubs[h.Hub].All -= chunk.List - n
		}
		chunk.List = n
		n += used
	}
	if err := moveForward(b.ctx, b.team, b.lists, moves); err != nil {
		return err
	}
	g.Chunks[len(b.used)].List = n
	g.Lists = g.list[:n:n]
	return memory.Release(g.list, int(n))
}
