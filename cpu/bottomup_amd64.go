//go:build !noasm

package cpu

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// vectorUnit names the vector instructions that the vector forms use, or is
// empty where they cannot run.
func vectorUnit() string {
	if cpu.X86.HasAVX512F && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT {
		return "AVX-512"
	}
	return ""
}

// tryHubs is hubsOf.
func (b *bottomUp) tryHubs(visited, next []uint64, lo, hi int) (found, n int) {
	if !b.vector {
		return b.hubsOf(visited, next, lo, hi)
	}
	a := hubArgs{
		present:  &b.g.Present[lo],
		leaves:   &b.g.Leaves[lo],
		visited:  &visited[lo],
		next:     &next[lo],
		words:    int64(hi - lo),
		first:    unsafe.SliceData(b.g.First),
		row:      int64(b.g.Rank[lo]),
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

// tryRecords is recordsOf.
func (b *bottomUp) tryRecords(visited []uint64, n int) (hits, rest int) {
	if !b.vector || n == 0 {
		return b.recordsOf(visited, n)
	}
	a := recordArgs{
		visited:  &visited[0],
		records:  &b.g.Next[0],
		open:     &b.open,
		hit:      &b.hit,
		n:        int64(n),
		vertices: uint32(b.g.Info.Vertices),
	}
	records512(&a)
	return int(a.hits), int(a.rest)
}

// hubArgs are the operands of hubs512. The pointers are to the first word or
// label of the chunk, but first is to the whole array, in which row is the
// number of the chunk's first row.
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

// hubs512 works on 16 labels at a time: their rows' first neighbours are
// expanded to the lanes of their labels, and one gather from the table of hubs
// gives the parents.
//
//go:noescape
func hubs512(a *hubArgs)

// records512 works on 16 open vertices at a time.
//
//go:noescape
func records512(a *recordArgs)
