package cpu

import (
	"math/bits"

	"graph500/engine"
	"graph500/graph"
)

const (
	// chunkWords is the number of bitmap words that a worker takes at a time
	// in a bottom-up level: 4096 labels, some microseconds of work.
	chunkWords = 64
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
	parents []engine.Vertex
	hubs    []engine.Vertex // by hub: its label if visited before this level, else None; one None behind
	vector  bool            // use the vector forms

	open  open // vertices that step 1 left open, then those that step 2 did
	hit   hits // what step 2 found
	found int64
	extra int64 // neighbours looked at beyond the first

	touched engine.Vertex // keeps the loads that fill the cache from being optimised away
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

func newBottomUp(g *graph.CSR, parents, hubs []engine.Vertex) *bottomUp {
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
			parents[base+uint32(bit)] = p // None before this, and a miss stores None
			var yes uint64
			if p != engine.None {
				yes = 1
			}
			hit |= yes << bit
		}
		for m := left &^ hit; m != 0; m &= m - 1 {
			bit := bits.TrailingZeros64(m)
			r := row + uint32(bits.OnesCount64(all&(1<<bit-1)))
			f := first[r]
			open.v[n], open.row[n], open.first[n] = base+uint32(bit), r, f
			if f < vertices || leaves>>bit&1 == 0 {
				n++
			}
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
	vertices, open, hit := uint32(b.g.Info.Vertices), &b.open, &b.hit
	for i, v := range open.v[:n] {
		row, first := open.row[i], open.first[i]
		record := &b.g.Next[row]
		p := engine.None
		for k := 3; k >= 0; k-- {
			u := record[k]
			seen := -uint32(visited[u>>6] >> (u & 63) & 1)
			p ^= (p ^ u) & seen // p = u if seen, without a branch
		}
		if first < vertices && visited[first>>6]>>(first&63)&1 != 0 {
			p = first
		}
		hit.v[hits], hit.parent[hits] = v, p
		open.v[rest], open.row[rest] = v, row
		if p != engine.None {
			hits++
		} else if record[2] != record[3] {
			rest++
		}
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
		var touch engine.Vertex
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
