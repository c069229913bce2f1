package cpu

import (
	"context"
	"encoding/binary"
	"math/bits"
	"unsafe"

	"graph500/engine"
	"graph500/graph"
)

// lanes is the number of lanes of 32 bits of the longest vectors; lists are padded by so many.
const lanes = 16

// A rowList has numbers of rows.
type rowList [hubChunk + lanes]uint32

// denseLists are the rows of a chunk that a step of the dense pass leaves to the next one.
type denseLists struct {
	failing rowList // rows whose first hub is not in the frontier
	open    rowList // rows without a hub in the frontier among the first five
	row     rowList // rows with a neighbour among four rows, and
	parent  rowList // this neighbour

	touched uint32 // the prefetched words, so that the compiler does not remove the loads
}

// A rowSet has those rows of the whole graph whose bits in a bitmap differ from those of flip, which
// is 0 or all ones.
type rowSet struct {
	bitmap []uint64
	flip   uint64
}

// hubPass looks for a parent of every unvisited hub, and completes the sets before and after.
func (s *byHubs) hubPass(ctx context.Context) error {
	words := s.hubWords()
	s.next.Store(0)
	s.reserved.Store(0)
	s.team.Run(func(worker int) {
		const grain = 16
		var hits [grain]uint64
		w := s.workers[worker]
		for {
			lo := int(s.next.Add(grain)) - grain
			if lo >= words {
				break
			}
			n := min(grain, words-lo)
			s.hubHits(hits[:n], s.hubFirsts[lo<<6:])
			for i, m := range hits[:n] {
				s.before.set(lo+i, s.hubsBefore[lo+i])
				s.findHubs(w, lo+i, s.ownHubs[lo+i]&^(s.hubsBefore[lo+i]|m))
			}
		}
		s.flush(w, s.remaining)
	})
	left, err := s.sum(ctx, s.remaining[:s.reserved.Load()], nil)
	if err != nil {
		return err
	}
	s.leave(left)
	if err := s.findHubsByRows(ctx); err != nil {
		return err
	}
	s.reserved.Store(0)
	return nil
}

// hubWords returns the number of words of a bitmap of hubs that are in use.
func (s *byHubs) hubWords() int { return (len(s.g.Hubs) + 63) / 64 }

// hubHitsGo sets hits, 64 bits a word, to whether each of the hubs is in the frontier or before it.
func (s *byHubs) hubHitsGo(hits []uint64, hubs []uint16) {
	for i := range hits {
		m := uint64(0)
		for k, h := range hubs[i<<6:][:64] {
			m |= s.hubsBefore[h>>6] >> (h & 63) & 1 << k
		}
		hits[i] = m
	}
}

// leave makes the given hubs the ones that are left by the hub pass. All others are in after.
func (s *byHubs) leave(left []uint32) {
	for _, id := range s.leftHubs { // of the call before
		h := id &^ graph.HubBit
		s.hubsAfter[h>>6] |= 1 << (h & 63)
		s.after[h] = 1
	}
	s.leftHubs = append(s.leftHubs[:0], left...)
	for _, id := range s.leftHubs {
		h := id &^ graph.HubBit
		s.hubsAfter[h>>6] &^= 1 << (h & 63)
		s.after[h] = 0
	}
}

// set sets the bytes of the hubs of one word of a bitmap.
func (b *hubBytes) set(word int, m uint64) {
	to := b[word<<6:][:64]
	for i := 0; i < 64; i += 8 {
		binary.LittleEndian.PutUint64(to[i:], bytesOf(m>>i&0xff))
	}
}

// bytesOf returns eight bytes: byte k is bit k of m.
func bytesOf(m uint64) uint64 {
	const ones = 0x0101010101010101
	bits := m * ones & 0x8040201008040201 // byte k keeps bit k
	return (bits + 0x7f*ones) >> 7 & ones
}

// findHubs looks for parents of the hubs of a word whose bits are set, which have a parent other than
// their first hub. It lists those that have none.
func (s *byHubs) findHubs(w *hubWorker, word int, unvisited uint64) {
	for m := unvisited; m != 0; m &= m - 1 {
		h := word<<6 + bits.TrailingZeros64(m)
		if s.findHub(h) {
			continue
		}
		w.ids = append(w.ids, graph.HubBit|uint32(h))
		if len(w.ids) >= longRow {
			s.flush(w, s.remaining)
		}
	}
}

// findHub looks for a parent of an own hub among the hubs of the frontier, from the second one on.
func (s *byHubs) findHub(h int) bool {
	before, n := &s.hubsBefore, s.hubNexts[h]
	var hits uint32
	for k := range 4 {
		x := uint16(n >> (16 * k))
		hits |= uint32(before[x>>6]>>(x&63)&1) << k
	}
	if hits != 0 {
		s.hubParents[h] = s.hubLabels[uint16(n>>(16*bits.TrailingZeros32(hits)))]
		return true
	}
	hub := &s.g.Hubs[h]
	if hub.AllHubs > 5 {
		for _, x := range s.g.AllHubsOf(hub)[5:] {
			if before[x>>6]>>(x&63)&1 != 0 {
				s.hubParents[h] = s.hubLabels[x]
				return true
			}
		}
	}
	return false
}

// findHubsByRows looks for parents of the hubs that are left among the own rows of the frontier.
func (s *byHubs) findHubsByRows(ctx context.Context) error {
	if len(s.leftHubs) == 0 { // on all ranks
		return nil
	}
	s.parallelFor(len(s.leftHubs), func(w *hubWorker, lo, hi int) {
		for _, id := range s.leftHubs[lo:hi] {
			for _, r := range s.g.RowsOf(&s.g.Hubs[id&^graph.HubBit]) {
				if rowBit(s.visited, r) {
					s.foundByRow(w, id, s.g.LabelOfAny(r))
					break
				}
			}
		}
	})
	if err := s.exchangeClaims(ctx, s.foundByRow); err != nil {
		return err
	}
	still := s.remaining[:0]
	for _, id := range s.leftHubs {
		h := id &^ graph.HubBit
		if s.isOwnHub(h) && s.hubsAfter[h>>6]>>(h&63)&1 == 0 {
			still = append(still, id)
		}
	}
	left, err := s.sum(ctx, still, nil)
	if err == nil {
		s.leave(left)
	}
	return err
}

// foundByRow stores the parent of a hub that was left and has a row of the frontier beside it.
func (s *byHubs) foundByRow(w *hubWorker, id uint32, parent engine.Label) {
	h := id &^ graph.HubBit
	if !s.sendHub(w, h, parent) && claimBit(&s.hubsAfter[h>>6], 1<<(h&63)) {
		s.hubParents[h] = parent
	}
}

// densePass writes the parents of all vertices that are not left for later, and makes unvisited the rows
// that are neither found in its first level nor before.
func (s *byHubs) densePass(ctx context.Context) error {
	chunks := len(s.g.Chunks) - 1
	s.resetParts()
	for _, w := range s.workers {
		w.examined = 0
	}
	grain := max(1, min(1<<14>>s.g.ChunkBits, chunks/(16*len(s.workers))))
	s.team.Run(func(worker int) {
		w := s.workers[worker]
		s.eachPart(worker, chunks, grain, func(lo, hi int) {
			for c := lo; c < hi && ctx.Err() == nil; c++ {
				s.denseChunk(w, c)
			}
		})
		s.flush(w, s.remaining)
	})
	examined := int64(0)
	for _, w := range s.workers {
		examined += w.examined
	}
	s.dense = len(s.steps)
	s.record(engine.BottomUp, examined)
	return context.Cause(ctx)
}

// denseChunk is the dense pass of one chunk.
func (s *byHubs) denseChunk(w *hubWorker, c int) {
	g := s.g
	chunk, next := &g.Chunks[c], &g.Chunks[c+1]
	lo := c << g.ChunkBits
	first := g.First[lo:min(lo+1<<g.ChunkBits, len(g.First))]
	parents := w.parents
	if s.wide == nil {
		parents = s.parents[lo:]
	}
	parents = parents[:len(first)]
	copy(parents, first)
	hubParents := (*[1 << 16]engine.Label)(s.hubParents)
	for _, h := range g.ChunkHubs[chunk.Hub:next.Hub] {
		parents[h.Place] = hubParents[h.Hub]
	}
	clear(s.found[chunk.Row>>6 : next.Row>>6])
	clear(s.left[chunk.Row>>6 : next.Row>>6])

	l := &w.lists
	failing := s.failingRows(&l.failing, g.Runs[chunk.Run:chunk.SingleRun], chunk.Row, chunk.Row, 0)
	several := s.tryNext(l, failing, parents)
	open := s.failingRows(&l.open, g.Runs[chunk.SingleRun:next.Run], chunk.Row, chunk.Several, several)
	for row := chunk.Single; row < chunk.Last; row++ {
		if !rowBit(s.ownVisited, row) {
			l.open[open] = row
			open++
		}
	}
	unvisited := s.unvisited[g.FirstRow>>6:]
	clear(unvisited[chunk.Row>>6 : next.Row>>6])
	markRows(unvisited, l.failing[:failing])
	markRows(unvisited, l.open[several:open])
	lists := g.Lists[chunk.List:]
	hits, rest := s.tryRows(l, open, lists, rowSet{bitmap: s.visited})
	for i, r := range l.row[:hits] {
		const ahead = 8
		s.prefetchLabel(l.parent[min(i+ahead, hits-1)])
		parents[g.Records[r].Place] = g.LabelOfAny(l.parent[i])
		s.found[r>>6] |= 1 << (r & 63)
	}
	hits, rows := s.tryFurther(l, rest, lists)
	for i, r := range l.row[:hits] {
		parents[g.Records[r].Place] = s.hubLabels[l.parent[i]]
		s.found[r>>6] |= 1 << (r & 63)
	}
	w.examined += int64(chunk.Last-chunk.Row) + 4*int64(failing) + triedRows*int64(open) + triedHubs*int64(rest-rows)
	rest = rows
	for i, r := range l.open[:rest] {
		const ahead = 6
		s.prefetchFurther(l.open[min(i+ahead, rest-1)])
		s.tryAll(w, r, parents)
	}
	visited := 0
	for i := chunk.Row >> 6; i < next.Row>>6; i++ {
		unvisited[i] &^= s.found[i] | s.ownVisited[i]
		s.found[i] = ^(unvisited[i] | s.ownVisited[i])
		for m := s.ownVisited[i]; m != 0; m &= m - 1 {
			l.row[visited] = i<<6 | uint32(bits.TrailingZeros64(m))
			visited++
		}
	}
	records, rowParents := g.Records, s.rowParents
	for _, r := range l.row[:visited] { // apart from the loop over bits, so that their cache misses overlap
		parents[records[r].Place] = rowParents[r]
	}
	if s.wide != nil {
		widenParents(s.wide[lo:], parents)
	}
}

// markRows sets the bits of rows, which rise. Words behind that of the first row must be 0.
func markRows(words []uint64, rows []uint32) {
	if len(rows) == 0 {
		return
	}
	at := rows[0] >> 6
	m := words[at]
	for _, r := range rows { // without branches, and no word is read again
		before := m
		if r>>6 != at {
			before = 0
		}
		at, m = r>>6, before|1<<(r&63)
		words[at] = m
	}
}

// failingRowsGo appends to a list of n rows the rows of runs whose hub is not in the frontier or
// before it. The ends of the runs are counted from row first, and the first one begins at row. It
// returns the length of the list.
func (s *byHubs) failingRowsGo(list *rowList, runs []graph.Run, first, row uint32, n int) int {
	for _, run := range runs {
		end := first + uint32(run.Last) + 1
		if s.before[run.Hub] == 0 {
			for ; row < end; row++ {
				list[n&(hubChunk-1)] = row
				n++
			}
		}
		row = end
	}
	return n
}

// tryNextGo looks for the second to fifth hub of the first n failing rows in the frontier. If one
// is there, it becomes the parent. Otherwise the row goes to l.open if it has further neighbours
// that could be in the frontier, or if its first hub was not found by the hub pass. It returns
// the number of these.
func (s *byHubs) tryNextGo(l *denseLists, n int, parents []engine.Label) (open int) {
	records, before, after, labels, found := s.g.Records, &s.before, &s.after, s.hubLabels, s.found
	for _, r := range l.failing[:n] {
		x := &records[r]
		next := x.Next
		hits := uint32(before[uint16(next)]) | uint32(before[uint16(next>>16)])<<1 | uint32(before[uint16(next>>32)])<<2 | uint32(before[uint16(next>>48)])<<3
		hit := (hits + 15) >> 4 // 1 if there is one
		h := uint16(next >> (uint(bits.TrailingZeros32(hits|8)) * 16 & 63))
		at := &parents[x.Place]
		*at ^= (*at ^ labels[h]) & -hit
		found[r>>6] |= uint64(hit) << (r & 63)
		l.open[open&(hubChunk-1)] = r
		open += int((hit ^ 1) & (x.List>>31 | uint32(after[x.Hub]^1)))
	}
	return open
}

// triedRows is the number of rows in a list that tryRows looks for.
const triedRows = 4

// tryRowsGo looks for the first triedRows rows in the lists of the first n open rows, in a set. If
// one is there, the row and this neighbour go to l.row and l.parent. Otherwise the row moves to the
// front of l.open if it has further neighbours, or if its first hub was not found by the hub pass.
// The lists are those of the chunk. It returns the lengths of both.
func (s *byHubs) tryRowsGo(l *denseLists, n int, lists []uint32, set rowSet) (hits, rest int) {
	const batch = 16
	records := s.g.Records
	var touched uint32
	for lo := 0; lo < n; lo += batch {
		rows := l.open[lo:min(lo+batch, n)]
		for _, r := range rows { // so that the cache misses of a batch overlap
			touched ^= lists[min(int(records[r].List&listPlace), len(lists)-1)]
		}
		for _, r := range rows {
			x := &records[r]
			count, at := uint32(x.Next), uint64(x.List&listPlace)
			if x.List&graph.SeveralHubs != 0 {
				count, at = lists[at], at+2
			}
			hit := uint32(0)
			if count > 0 {
				last := uint64(count - 1)
				q0, q1, q2, q3 := lists[at], lists[at+min(1, last)], lists[at+min(2, last)], lists[at+min(3, last)]
				b0, b1, b2, b3 := set.bit(q0), set.bit(q1), set.bit(q2), set.bit(q3)
				p := q3
				p ^= (p ^ q2) & -b2
				p ^= (p ^ q1) & -b1
				p ^= (p ^ q0) & -b0
				hit = b0 | b1 | b2 | b3
				l.row[hits&(hubChunk-1)], l.parent[hits&(hubChunk-1)] = r, p
				hits += int(hit)
			}
			l.open[rest&(hubChunk-1)] = r
			further := x.List >> 29 & 1
			more := uint32((4 - uint64(count)) >> 63)
			rest += int((hit ^ 1) & (further | more | uint32(s.after[x.Hub]^1)))
		}
	}
	l.touched = touched
	return hits, rest
}

// bit returns 1 for a row of the set.
func (s rowSet) bit(row uint32) uint32 { return uint32((s.bitmap[row>>6]^s.flip)>>(row&63)) & 1 }

const (
	// triedHubs is the number of further hubs in a list that tryFurther looks for.
	triedHubs = 8
	// furtherHubs is graph.FurtherHubs, under a name that the assembly knows.
	furtherHubs = graph.FurtherHubs
)

// tryFurtherGo looks for the first triedHubs further hubs of the first n open rows in the frontier. If
// one is there, the row and this hub go to l.row and l.parent. Otherwise the row moves to the front of
// l.open unless it has no more neighbours to look for and its first hub was found by the hub pass. The
// lists are those of the chunk. It returns the lengths of both.
func (s *byHubs) tryFurtherGo(l *denseLists, n int, lists []uint32) (hits, rest int) {
next:
	for _, r := range l.open[:n] {
		x := &s.g.Records[r]
		more := x.List&furtherHubs == 0 // then there are more rows than tryRows has tried, or the row is left
		if !more {
			list := lists[x.List&listPlace:]
			further := s.g.FurtherHubsOf(r)
			for _, h := range further[:min(triedHubs, len(further))] {
				if s.before[h] != 0 {
					l.row[hits], l.parent[hits] = r, uint32(h)
					hits++
					continue next
				}
			}
			more = list[0] > triedRows || len(further) > triedHubs
		}
		if more || s.after[x.Hub] == 0 {
			l.open[rest] = r
			rest++
		}
	}
	return hits, rest
}

// prefetchFurther begins to load the further hubs of a row.
func (s *byHubs) prefetchFurther(row uint32) {
	if further := s.g.FurtherHubsOf(row); len(further) > triedHubs {
		prefetch(unsafe.Pointer(&further[triedHubs]))
		prefetch(unsafe.Add(unsafe.Pointer(&further[triedHubs]), 64))
	}
}

// tryAll looks for the neighbours of a row that are not tried yet in the frontier. If there is none, and its
// first hub was not found by the hub pass, the row is left for later.
func (s *byHubs) tryAll(w *hubWorker, row uint32, parents []engine.Label) {
	x := &s.g.Records[row]
	if x.List&graph.SeveralHubs != 0 || uint32(x.Next) > triedRows { // else there are none
		if parent, ok := s.tryList(w, s.g.ListOf(row)); ok {
			parents[x.Place] = parent
			s.found[row>>6] |= 1 << (row & 63)
			return
		}
	}
	if s.after[x.Hub] != 0 || rowBit(s.ownVisited, row) {
		return
	}
	w.ids = append(w.ids, row)
	if len(w.ids) >= longRow {
		s.flush(w, s.remaining)
	}
}

// tryList returns the label of a neighbour in the frontier, if there is one among the further hubs
// of a row and the rows that tryFurther and tryRows have not tried.
func (s *byHubs) tryList(w *hubWorker, list graph.RowList) (parent engine.Label, ok bool) {
	w.examined += int64(len(list.Further))
	for _, h := range list.Further[min(triedHubs, len(list.Further)):] {
		if s.before[h] != 0 {
			return s.hubLabels[h], true
		}
	}
	w.examined += int64(len(list.Rows))
	for _, q := range list.Rows[min(triedRows, len(list.Rows)):] {
		if rowBit(s.visited, q) {
			return s.g.LabelOfAny(q), true
		}
	}
	return 0, false
}
