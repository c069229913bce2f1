package cpu

import (
	"context"
	"sync/atomic"

	"graph500/engine"
	"graph500/parallel"
)

// tentative holds the best path found so far to each vertex of a label-correcting
// search: its length (a depth, or the bits of a distance, 31 bits), whether the vertex
// is in the worklist (1 bit), and the parent (32 bits). A parent changes only together
// with a strictly smaller length. The lengths of a vertex and its parent therefore fit
// at the end, when no path can become shorter. Parents form no cycle, even where an
// edge adds nothing to the length: a parent of equal length had its final length before
// the child did.
type tentative []uint64

const (
	lengthShift = 33
	listed      = uint64(1) << engine.LabelBits // the vertex is in the worklist

	// farthest is the length of an unreached vertex. It is larger than every depth and
	// than the bits of every distance.
	farthest = 1<<31 - 1
)

// clear sets all vertices to unreached, with the parent engine.None.
func (t tentative) clear(ctx context.Context, team *parallel.Team) error {
	return team.For(ctx, len(t), 1<<16, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			t[v] = ^listed
		}
	})
}

// lower sets the length and parent of v and marks v as listed, if the length becomes
// smaller. It returns the entry of v before, and whether it did.
func (t tentative) lower(v engine.Label, length uint32, parent engine.Label) (before uint64, lowered bool) {
	word := &t[v]
	for {
		before = atomic.LoadUint64(word)
		if length >= lengthOf(before) {
			return before, false
		}
		if atomic.CompareAndSwapUint64(word, before, uint64(length)<<lengthShift|listed|uint64(parent)) {
			return before, true
		}
	}
}

// unlist marks v as taken from the worklist. It returns the length of v, and whether v
// was listed. If the length becomes smaller afterwards, v must be listed again.
func (t tentative) unlist(v engine.Label) (length uint32, wasListed bool) {
	before := atomic.AndUint64(&t[v], ^listed)
	return lengthOf(before), isListed(before)
}

func lengthOf(entry uint64) uint32 { return uint32(entry >> lengthShift) }

func isListed(entry uint64) bool { return entry&listed != 0 }

func parentOf(entry uint64) engine.Label { return engine.Label(entry) }
