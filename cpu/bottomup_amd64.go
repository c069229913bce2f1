//go:build !noasm

package cpu

import "unsafe"

// tryHubs is step 1, see tryHubsGo.
func (b *bottomUp) tryHubs(visited, next []uint64, lo, hi int) (found, n int) {
	if !b.vector {
		return b.tryHubsGo(visited, next, lo, hi)
	}
	a := hubArgs{
		present:  &b.g.Present[lo],
		leaves:   &b.g.Leaves[lo],
		visited:  &visited[lo],
		next:     &next[lo],
		words:    int64(hi - lo),
		first:    unsafe.SliceData(b.g.FirstNeighbor),
		row:      int64(b.g.RowsBefore[lo]),
		parents:  &b.parents[lo<<6],
		hubs:     &b.hubs[0],
		open:     &b.open,
		vertices: uint32(b.g.Info.Vertices),
		last:     uint32(len(b.hubs) - 1),
		base:     uint32(lo) << 6,
	}
	hubs512(&a)
	return int(a.found), int(a.n)
}

// tryRecords is step 2, see tryRecordsGo.
func (b *bottomUp) tryRecords(visited []uint64, n int) (hits, rest int) {
	if !b.vector || n == 0 {
		return b.tryRecordsGo(visited, n)
	}
	a := recordArgs{
		visited:  &visited[0],
		records:  &b.g.NextNeighbors[0],
		open:     &b.open,
		hit:      &b.hit,
		n:        int64(n),
		vertices: uint32(b.g.Info.Vertices),
	}
	records512(&a)
	return int(a.hits), int(a.rest)
}

// hubArgs are the operands of hubs512. The pointers point to the first word or
// label of the chunk. Only first points to the whole array of first neighbours;
// row is the index of the chunk's first row in it.
type hubArgs struct {
	present, leaves      *uint64
	visited, next        *uint64
	words                int64
	first                *uint32
	row                  int64
	parents, hubs        *uint32
	open                 *open
	vertices, last, base uint32
	_                    uint32
	found, n             int64 // results
}

// recordArgs are the operands of records512.
type recordArgs struct {
	visited    *uint64
	records    *[4]uint32
	open       *open
	hit        *hits
	n          int64
	vertices   uint32
	_          uint32
	hits, rest int64 // results
}

// hubs512 is tryHubsGo for 16 labels at a time. It expands the first neighbours
// of the rows to the lanes of their labels. One gather from the hub table then
// yields the parents.
//
//go:noescape
func hubs512(a *hubArgs)

// records512 is tryRecordsGo for 16 vertices at a time.
//
//go:noescape
func records512(a *recordArgs)
