package cpu

import (
	"math/bits"

	"graph500/engine"
	"graph500/graph"
)

const (
	// chunkWords is the largest number of bitmap words that a worker takes at
	// a time in a bottom-up level. Longer runs let the processor's own
	// prefetching work: 256 words were 10 to 20 % faster than 32.
	chunkWords = 256
	chunk      = chunkWords * 64
	lanes      = 16 // 32-bit lanes of the widest vector; lists have room for one more
)

// A bottomUp is one worker's share of the bottom-up levels. It looks for a
// parent of every unvisited vertex of its chunk in three steps, each for all
// vertices that the step before left open, so that the processor always has
// many independent loads in flight and few branches to guess:
//
//  1. the neighbour of highest degree, a hub for nearly all, by one look into
//     the table of hubs;
//  2. the next four neighbours, from their packed record, and a first
//     neighbour that is no hub;
//  3. the whole row.
//
// The first two have vector forms with the same results.
type bottomUp struct {
	g       *graph.CSR
	parents []engine.Local
	hubs    []engine.Local // by hub: its label if visited before this level, else None; one None behind
	vector  bool           // use the vector forms

	open  open // vertices that step 1 left open, then those that step 2 did
	hit   hits // what step 2 found
	found int64
	extra int64 // neighbours looked at beyond the first

	touched engine.Local // keeps the loads that fill the cache from being optimised away
	_       [64]byte
}

// open lists vertices still without a parent, with their rows and First.
type open struct {
	v, row, first [chunk + lanes]uint32
}

// hits lists vertices and the parents found for them.
type hits struct {
	v, parent [chunk + lanes]uint32
}

func newBottomUp(g *graph.CSR, parents, hubs []engine.Local) *bottomUp {
	return &bottomUp{g: g, parents: parents, hubs: hubs, vector: vectorUnit() != ""}
}

// words works off the words lo..hi-1, at most chunkWords. visited is the state
// before the level and is only read; next, which is only written, gets the
// state after it.
func (b *bottomUp) words(visited, next []uint64, lo, hi int) {
	found, n := b.tryHubs(visited, next, lo, hi)
	hits, rest := b.tryRecords(visited, n)
	for i, v := range b.hit.v[:hits] {
		b.parents[v] = b.hit.parent[i]
		next[v>>6] |= 1 << (v & 63)
	}
	b.found += int64(found + hits)
	b.extra += 4 * int64(n)
	b.tryRows(visited, next, rest)
}

// hubsOf is the plain form of tryHubs: it stores the parent and notes the
// visit of every vertex whose first neighbour is a visited hub, and lists the
// others in open, but for leaves with nothing left to try. It returns how many
// it found and listed.
func (b *bottomUp) hubsOf(visited, next []uint64, lo, hi int) (found, n int) {
	present, first, parents, hubs, open := b.g.Present, b.g.First, b.parents, b.hubs, &b.open
	vertices, last := uint32(b.g.Info.Vertices), uint32(len(hubs)-1)
	for w := lo; w < hi; w++ {
		all, old := present[w], visited[w]
		left := all &^ old
		if left == 0 {
			next[w] = old
			continue
		}
		var hit uint64
		row, base, leaves := b.g.Rank[w], uint32(w)<<6, b.g.Leaves[w]
		for m := left; m != 0; m &= m - 1 {
			bit := bits.TrailingZeros64(m)
			r := row + uint32(bits.OnesCount64(all&(1<<bit-1)))
			p := hubs[min(first[r]-vertices, last)]
			parents[base+uint32(bit)] = p                         // None before this, and a miss stores None
			hit |= (uint64(p) - uint64(engine.None)) >> 63 << bit // a bit if p is not None
		}
		for m := left &^ hit; m != 0; m &= m - 1 {
			bit := bits.TrailingZeros64(m)
			r := row + uint32(bits.OnesCount64(all&(1<<bit-1)))
			f := first[r]
			open.v[n&(chunk-1)], open.row[n&(chunk-1)], open.first[n&(chunk-1)] = base+uint32(bit), r, f
			plain := (uint64(f) - uint64(vertices)) >> 63 // no hub
			n += int(plain | ^leaves>>bit&1)
		}
		found += bits.OnesCount64(hit)
		next[w] = old | hit
	}
	return found, n
}

// recordsOf is the plain form of tryRecords: it works off the first n entries
// of open, lists in hit those with a visited vertex among their second to
// fifth neighbours or with a visited first neighbour that is no hub, keeps
// those of the others that have more neighbours in front of open, and returns
// how many there are of each.
func (b *bottomUp) recordsOf(visited []uint64, n int) (hits, rest int) {
	vertices, open, hit, records := uint32(b.g.Info.Vertices), &b.open, &b.hit, b.g.Next
	// Conditions are numbers 0 and 1 here, because none can be predicted.
	for i, v := range open.v[:n] {
		row, first := open.row[i], open.first[i]
		u := &records[row]
		s0 := uint32(visited[u[0]>>6]>>(u[0]&63)) & 1
		s1 := uint32(visited[u[1]>>6]>>(u[1]&63)) & 1
		s2 := uint32(visited[u[2]>>6]>>(u[2]&63)) & 1
		s3 := uint32(visited[u[3]>>6]>>(u[3]&63)) & 1
		plain := uint32((uint64(first) - uint64(vertices)) >> 63) // no hub
		f := min(first, vertices-1)
		s := uint32(visited[f>>6]>>(f&63)) & plain
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

// tryRows searches the whole rows of the first n entries of open, in batches
// whose cache misses it takes together.
func (b *bottomUp) tryRows(visited, next []uint64, n int) {
	const batch = 32
	g := b.g
	var begin, end [batch]uint64
	for lo := 0; lo < n; lo += batch {
		rows := b.open.row[lo:min(lo+batch, n)]
		for i, r := range rows {
			begin[i], end[i] = g.Offsets[r], g.Offsets[r+1]
		}
		var touch engine.Local
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
