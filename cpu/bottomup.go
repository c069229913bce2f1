package cpu

import (
	"math/bits"

	"graph500/engine"
	"graph500/graph"
	"graph500/vector"
)

const (
	// chunkWords is the largest number of bitmap words in one chunk of a
	// bottom-up level. Long chunks benefit from the hardware prefetcher:
	// 256 words were 10 to 20 % faster than 32.
	chunkWords = 256
	chunk      = chunkWords * 64 // vertices
	lanes      = 16              // 32-bit lanes of an AVX-512 register; lists are padded by one register
)

// A bottomUp is the state of one worker in bottom-up levels. It searches a
// parent for every unvisited vertex of a chunk in three steps. Each step
// handles all vertices that the previous step left open, so that many
// independent loads are in flight and few branches are mispredicted:
//
//  1. Test the neighbour of highest degree, which is a hub for nearly all
//     vertices, by one look-up in the hub table.
//  2. Test the next four neighbours, which are packed in one record, and the
//     first neighbour if it is not a hub.
//  3. Scan the whole row.
//
// Steps 1 and 2 have vector forms with the same results.
type bottomUp struct {
	g       *graph.CSR
	parents []engine.Label
	hubs    []engine.Label // by hub: its label if visited before this level, else None; a None follows the last hub
	vector  bool           // use the vector forms

	open  open  // vertices without a parent after step 1, then after step 2
	hit   hits  // results of step 2
	found int64 // vertices found in this level
	extra int64 // neighbours examined after the first of each row

	touched engine.Label // stores the prefetched words, so that the compiler does not remove the loads
	_       [64]byte
}

// open lists vertices without a parent, their rows and their first neighbours.
type open struct {
	v, row, first [chunk + lanes]uint32
}

// hits lists vertices and their new parents.
type hits struct {
	v, parent [chunk + lanes]uint32
}

func newBottomUp(g *graph.CSR, parents, hubs []engine.Label) *bottomUp {
	return &bottomUp{g: g, parents: parents, hubs: hubs, vector: vector.Chosen() == vector.AVX512}
}

// processChunk searches parents for the vertices of bitmap words lo..hi-1, at
// most chunkWords, of the graph's rows. It reads visited, the bitmap of all labels
// before the level, and own, its words for the rows, and writes next, the words after
// the level.
func (b *bottomUp) processChunk(visited, own, next []uint64, lo, hi int) {
	found, n := b.tryHubs(own, next, lo, hi)
	hits, rest := b.tryRecords(visited, n)
	for i, v := range b.hit.v[:hits] {
		b.parents[v] = b.hit.parent[i]
		next[v>>6] |= 1 << (v & 63)
	}
	b.found += int64(found + hits)
	b.extra += 4 * int64(n)
	b.tryRows(visited, next, rest)
}

// tryHubsGo is tryHubs in Go (step 1). If the first neighbour of a vertex is a
// visited hub, it stores this parent and sets the bit in next. It lists the
// other vertices in open, except leaves whose only neighbour is an unvisited
// hub. It returns the numbers of vertices found and listed.
func (b *bottomUp) tryHubsGo(visited, next []uint64, lo, hi int) (found, n int) {
	present, first, parents, hubs, open := b.g.Present, b.g.FirstNeighbor, b.parents, b.hubs, &b.open
	vertices, last := uint32(b.g.Info.Vertices), uint32(len(hubs)-1)
	for w := lo; w < hi; w++ {
		all, old := present[w], visited[w]
		left := all &^ old
		if left == 0 {
			next[w] = old
			continue
		}
		var hit uint64
		row, base, leaves := b.g.RowsBefore[w], uint32(w)<<6, b.g.Leaves[w]
		for m := left; m != 0; m &= m - 1 {
			bit := bits.TrailingZeros64(m)
			r := row + uint32(bits.OnesCount64(all&(1<<bit-1)))
			p := hubs[min(first[r]-vertices, last)]
			parents[base+uint32(bit)] = p                         // was None; a miss stores None again
			hit |= (uint64(p) - uint64(engine.None)) >> 63 << bit // sets the bit if p is not None
		}
		for m := left &^ hit; m != 0; m &= m - 1 {
			bit := bits.TrailingZeros64(m)
			r := row + uint32(bits.OnesCount64(all&(1<<bit-1)))
			f := first[r]
			open.v[n&(chunk-1)], open.row[n&(chunk-1)], open.first[n&(chunk-1)] = base+uint32(bit), r, f
			notHub := (uint64(f) - uint64(vertices)) >> 63
			n += int(notHub | ^leaves>>bit&1)
		}
		found += bits.OnesCount64(hit)
		next[w] = old | hit
	}
	return found, n
}

// tryRecordsGo is tryRecords in Go (step 2). It tests the first n entries of
// open. A vertex goes to hit if its first neighbour is visited and not a hub,
// or if its second, third, fourth or fifth neighbour is visited. Otherwise, a
// vertex with more neighbours moves to the front of open. The results are the
// lengths of both lists.
func (b *bottomUp) tryRecordsGo(visited []uint64, n int) (hits, rest int) {
	vertices, open, hit, records := uint32(b.g.Info.Vertices), &b.open, &b.hit, b.g.NextNeighbors
	// Conditions are numbers 0 and 1: as branches they would be unpredictable.
	for i, v := range open.v[:n] {
		row, first := open.row[i], open.first[i]
		u := &records[row]
		s0 := uint32(visited[u[0]>>6]>>(u[0]&63)) & 1
		s1 := uint32(visited[u[1]>>6]>>(u[1]&63)) & 1
		s2 := uint32(visited[u[2]>>6]>>(u[2]&63)) & 1
		s3 := uint32(visited[u[3]>>6]>>(u[3]&63)) & 1
		notHub := uint32((uint64(first) - uint64(vertices)) >> 63)
		f := min(first, vertices-1)
		s := uint32(visited[f>>6]>>(f&63)) & notHub
		p := engine.None
		p ^= (p ^ u[3]) & -s3
		p ^= (p ^ u[2]) & -s2
		p ^= (p ^ u[1]) & -s1
		p ^= (p ^ u[0]) & -s0
		p ^= (p ^ f) & -s
		found := s | s0 | s1 | s2 | s3
		hit.v[hits&(chunk-1)], hit.parent[hits&(chunk-1)] = v, p
		hits += int(found)
		open.v[rest&(chunk-1)], open.row[rest&(chunk-1)] = v, row
		more := uint32((uint64(u[2]^u[3])-1)>>63) ^ 1
		rest += int(more &^ found)
	}
	return hits, rest
}

// tryRows scans the whole rows of the first n entries of open (step 3). It
// works in batches, so that the cache misses of a batch overlap.
func (b *bottomUp) tryRows(visited, next []uint64, n int) {
	const batch = 32
	g := b.g
	var begin, end [batch]uint64
	for lo := 0; lo < n; lo += batch {
		rows := b.open.row[lo:min(lo+batch, n)]
		for i, r := range rows {
			begin[i], end[i] = g.Offsets[r], g.Offsets[r+1]
		}
		var touch engine.Label
		for i := range rows {
			touch ^= g.Neighbors[begin[i]]
		}
		b.touched = touch
		for i := range rows {
			v := b.open.v[lo+i]
			row := g.Neighbors[begin[i]:end[i]]
			for i, u := range row {
				if visited[u>>6]>>(u&63)&1 != 0 {
					b.parents[v] = u
					next[v>>6] |= 1 << (v & 63)
					b.found++
					row = row[:i+1]
					break
				}
			}
			b.extra += int64(len(row))
		}
	}
}
