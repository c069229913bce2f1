//go:build cuda

package hostrows

import (
	"context"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"

	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/parallel"
)

const (
	// gatherSlots is the number of buffers that parts of the listed sectors pass
	// through: some are gathered while others are copied to the device and examined.
	gatherSlots = 4

	// gatherPiece is the number of sectors that a thread gathers at a time: 64 KiB.
	gatherPiece = 1 << 11

	// longRun is the least number of sectors side by side in the tails, of one row or of
	// several, whose whole pieces are not gathered but copied to the device from where they
	// are. A copy takes the host about 3 µs, in which the bus moves 150 KB.
	longRun = 4 * gatherPiece

	// fewSectors is the number of sectors up to which one thread gathers: to wake the
	// others takes longer than they save.
	fewSectors = 1 << 14
)

// gatherer copies the sectors of a list of rows from the tails of a graph to buffers, part
// by part. Part i passes through buffer i modulo the number of buffers. No thread waits for
// the others at the end of a part: threads take pieces in ascending order, and that which
// gathers the last one of a part sends it.
type gatherer struct {
	team  *parallel.Team
	few   uint64 // fewSectors
	long  uint64 // longRun
	size  uint64 // sectors per part
	slots []gatherSlot

	// await waits until the buffer of a slot may be written. send follows when the part in
	// it is complete. Calls of send do not overlap.
	await func(slot int) error
	send  func(p gathered) error

	// Of the current list:
	list    []Place // with the entry behind the last
	tails   []engine.Label
	sectors uint64
	sending sync.Mutex
	failed  atomic.Bool
	err     error // of failed, guarded by sending
}

// gatherSlot is a buffer and the part in it. Parts are numbered from 1 on.
type gatherSlot struct {
	buffer []engine.Label
	direct []sectorRange // by piece of the part: where it is in the tails; of no length if it is in the buffer
	left   atomic.Int64  // pieces of the part that are not there yet
	open   atomic.Uint64 // last part that may be written
	sent   atomic.Uint64 // last part that was sent
	_      [64]byte      // avoids false sharing
}

// sectorRange is a range of sectors of the tails.
type sectorRange struct{ first, count uint64 }

// newGatherer returns a gatherer of parts of size sectors. The buffers have room for them.
func newGatherer(team *parallel.Team, size uint64, buffers [][]engine.Label) *gatherer {
	g := &gatherer{team: team, few: fewSectors, long: longRun, size: size, slots: make([]gatherSlot, len(buffers))}
	for i := range g.slots {
		g.slots[i].buffer, g.slots[i].direct = buffers[i], make([]sectorRange, g.piecesOf(size))
	}
	return g
}

// piece returns the number of sectors of a piece.
func (g *gatherer) piece() uint64 { return min(gatherPiece, g.size) }

// piecesOf returns the number of pieces of sectors of a part.
func (g *gatherer) piecesOf(sectors uint64) uint64 { return (sectors + g.piece() - 1) / g.piece() }

// run gathers and sends all sectors of the list. After an error, parts may be missing.
func (g *gatherer) run(ctx context.Context, list []Place, tails []engine.Label) error {
	g.list, g.tails, g.sectors = list, tails, uint64(list[len(list)-1].Offset)
	g.err = nil
	g.failed.Store(false)
	for i := range g.slots {
		g.slots[i].open.Store(0)
		g.slots[i].sent.Store(0)
	}
	pieces := int(g.sectors/g.size*g.piecesOf(g.size) + g.piecesOf(g.sectors%g.size))
	if g.sectors > g.few {
		if err := g.team.For(ctx, pieces, 1, func(_, n, _ int) { g.work(ctx, uint64(n)) }); err != nil {
			return err
		}
		return g.err
	}
	for n := range pieces {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if g.work(ctx, uint64(n)); g.err != nil {
			return g.err
		}
	}
	return nil
}

// work gathers a piece, and sends its part if it is the last one of it.
func (g *gatherer) work(ctx context.Context, n uint64) {
	perPart := g.piecesOf(g.size)
	number, inPart := n/perPart, n%perPart
	slot := &g.slots[number%uint64(len(g.slots))]
	lo := number * g.size
	hi := min(lo+g.size, g.sectors)
	if inPart == 0 && !g.open(ctx, number, g.piecesOf(hi-lo)) || !g.spin(ctx, &slot.open, number+1) {
		return
	}
	begin := lo + inPart*g.piece()
	slot.direct[inPart] = g.gather(begin, min(begin+g.piece(), hi), lo, slot.buffer)
	if slot.left.Add(-1) > 0 {
		return
	}
	g.sending.Lock()
	defer g.sending.Unlock()
	g.note(g.send(gathered{int(number % uint64(len(g.slots))), lo, hi, g.piece(), slot.direct}))
	slot.sent.Store(number + 1)
}

// open opens the slot of a part of that many pieces. It returns whether the search goes on.
func (g *gatherer) open(ctx context.Context, number, pieces uint64) bool {
	i := number % uint64(len(g.slots))
	slot := &g.slots[i]
	if number >= uint64(len(g.slots)) && !g.spin(ctx, &slot.sent, number+1-uint64(len(g.slots))) {
		return false
	}
	if err := g.await(int(i)); err != nil {
		g.sending.Lock()
		defer g.sending.Unlock()
		g.note(err)
		return false
	}
	slot.left.Store(int64(pieces))
	slot.open.Store(number + 1)
	return true
}

// spin waits until a counter has at least a value. It returns false if the search ends before.
func (g *gatherer) spin(ctx context.Context, counter *atomic.Uint64, value uint64) bool {
	for counter.Load() < value {
		if g.failed.Load() || ctx.Err() != nil {
			return false
		}
		runtime.Gosched()
	}
	return !g.failed.Load()
}

// note keeps the first error. g.sending must be locked.
func (g *gatherer) note(err error) {
	if err != nil && g.err == nil {
		g.err = err
		g.failed.Store(true)
	}
}

// gather copies the sectors begin to end-1 of the list, of the part that begins at lo, to a
// buffer. It copies nothing, and returns where they are, if they are a piece of a long run.
func (g *gatherer) gather(begin, end, lo uint64, buffer []engine.Label) (direct sectorRange) {
	list := g.list
	i := sort.Search(len(list)-2, func(i int) bool { return uint64(list[i+1].Offset) > begin })
	if end-begin == g.piece() && g.inLongRun(i, begin, end) {
		return sectorRange{uint64(list[i].Sector) + begin - uint64(list[i].Offset), end - begin}
	}
	to := buffer[construct.SectorArcs*(begin-lo) : construct.SectorArcs*(end-lo)]
	for at := uint32(begin); len(to) > 0; {
		next := g.runEnd(i, end)
		shift, stop := list[i].shift(), min(list[next].Offset, uint32(end))
		to = to[copy(to, g.tails[construct.TailAt(at+shift):construct.TailAt(stop+shift)]):]
		i, at = next, stop
	}
	return sectorRange{}
}

// runEnd returns the first row behind row i that does not follow the one before it in the
// tails, too, or that begins at sector end of the list or later.
func (g *gatherer) runEnd(i int, end uint64) int {
	shift := g.list[i].shift()
	for i++; uint64(g.list[i].Offset) < end && g.list[i].shift() == shift; i++ {
	}
	return i
}

// inLongRun reports whether the sectors begin to end-1 of the list, of row i on, are in a run of
// at least g.long sectors.
func (g *gatherer) inLongRun(i int, begin, end uint64) bool {
	last := g.runEnd(i, end)
	if uint64(g.list[last].Offset) < end {
		return false
	}
	shift := g.list[i].shift()
	if far := min(begin+g.long, g.sectors); uint64(g.list[last].Offset) < far && g.list[last].shift() == shift {
		last = g.runEnd(last, far)
	}
	for ; i > 0 && g.list[i-1].shift() == shift && uint64(g.list[last].Offset-g.list[i].Offset) < g.long; i-- {
	}
	return uint64(g.list[last].Offset-g.list[i].Offset) >= g.long
}
