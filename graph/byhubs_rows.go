package graph

import (
	"cmp"
	"math/bits"
	"slices"

	"graph500/engine"
	"graph500/vector"
)

// A hubWorker is the state of one worker.
type hubWorker struct {
	form         vector.Form
	keys, sorted []uint64 // of the rows of a chunk: class, first hub, place

	hubs   []uint16 // among the neighbours of one vertex
	rows   []uint32
	codes  []uint32 // of rows; before, labels of rows and leaves
	leaves []uint32
	lists  []uint32 // of a chunk

	ranks [mostRanked]uint16 // of hubs
	byLow [MostHubs]uint16   // hubs sorted by the low digits
}

func newHubWorker() *hubWorker {
	return &hubWorker{form: vector.Chosen(), keys: make([]uint64, 0, 1<<mostChunkBits), sorted: make([]uint64, 1<<mostChunkBits)}
}

// Keys of rows: the class from bit 32, the first hub from bit 16, the place in the chunk.
const (
	severalClass = 0 << 32
	singleClass  = 1 << 32
	otherClass   = 2 << 32
)

// orderRows fills First, ChunkOf, ChunkHubs and, of Records, Hub and Place, and gives each row
// its number.
func (b *hubBuilder) orderRows() error {
	return b.team.For(b.ctx, b.chunks(), 1, func(worker, c, _ int) {
		w := b.workers[worker]
		b.findFirst(w, c)
		w.sortKeys()
		b.numberRows(w, c)
	})
}

// findFirst finds the first neighbour of each vertex of a chunk, and the keys of its rows. It replaces
// the hubs among the neighbours by their numbers, so that the lists need no look-up for them.
func (b *hubBuilder) findFirst(w *hubWorker, c int) {
	g, neighbors, numbers, code := b.from, b.neighbors(), &b.hubs, b.ownPart(b.code)
	priority, ownNumbers := b.priority[b.of.First:], b.hubs.byLabel[b.of.First:]
	lo, hi := b.labels(c)
	hub := b.to.Chunks[c].Hub
	w.keys = w.keys[:0]
	at := b.listStart(lo)
	r := uint64(0)
	if lo < hi {
		r = uint64(g.Row(engine.Label(lo)))
	}
	for v := lo; v < hi; v++ {
		if priority[v] == 0 {
			b.to.First[v] = engine.None
			continue
		}
		r++
		end := g.Offsets[r]
		row := neighbors[at:end]
		list := b.lists[at:end][:len(row)]
		at = end
		best, hubs := numberHubs(w.form, list, row, numbers)
		first := NoHub - best
		if best != 0 {
			b.to.First[v] = b.to.Hubs[first].Label
		} else {
			b.to.First[v] = slices.MaxFunc(row, func(x, y engine.Label) int { return cmp.Compare(b.priority[x], b.priority[y]) })
		}
		place := uint64(v - lo)
		switch own := NoHub - ownNumbers[v]; {
		case own != NoHub:
			h := &b.to.Hubs[own]
			h.First, h.Hub = b.to.First[v], first
			b.to.ChunkHubs[hub] = PlacedHub{own, uint16(place)}
			hub++
		case code[v] == leafCode:
		default:
			class := uint64(otherClass)
			if hubs > 1 {
				class = severalClass
			} else if hubs == 1 {
				class = singleClass
			}
			w.keys = append(w.keys, class|uint64(first)<<16|place)
		}
	}
}

// hubNumbers has the numbers of the hubs.
type hubNumbers struct {
	byLabel []uint16 // NoHub less the number, 0 of others; and an entry that vectors may read
	// slots are for vectors, which look at them before byLabel: they stay in the second-level (L2) cache,
	// and then numbers take half the time at scale 26. Each has the first of the hubs with the same
	// low bits of the label: the entry of byLabel in the low half and the upper bits of the label above it.
	slots [1 << slotBits]uint32
}

const (
	slotBits = 18
	moreHubs = 1 << 31 // bit of a slot: there are other hubs with the low bits
)

// setSlots sets the slots for these hubs, in the order of their numbers.
func (n *hubNumbers) setSlots(hubs []engine.Label) {
	for h, v := range hubs {
		if slot := &n.slots[v%(1<<slotBits)]; *slot != 0 {
			*slot |= moreHubs
		} else {
			*slot = v>>slotBits<<16 | uint32(NoHub-h)
		}
	}
}

// numberHubsGo copies labels, hubs as engine.None less their number. It returns NoHub less the lowest
// of these, 0 without hubs, and how many hubs there are.
func numberHubsGo(to, from []uint32, numbers *hubNumbers) (best uint16, hubs int) {
	for i, x := range from { // without branches on the data
		h := uint32(numbers.byLabel[x])
		best = max(best, uint16(h))
		one := (h + NoHub) >> 16 // 1 if it is a hub
		hubs += int(one)
		to[i] = x ^ (x^(engine.None-NoHub+h))&-one
	}
	return best, hubs
}

// sortKeys sorts the keys, which are in the order of their places, by class and first hub.
func (w *hubWorker) sortKeys() {
	const digit = 9 // two of them cover class and first hub
	from, to := w.keys, w.sorted[:len(w.keys)]
	for _, shift := range []uint{16, 16 + digit} {
		var start [1 << digit]uint32
		for _, x := range from {
			start[x>>shift&(1<<digit-1)]++
		}
		sum := uint32(0)
		for i, n := range start {
			start[i] = sum
			sum += n
		}
		for _, x := range from {
			k := x >> shift & (1<<digit - 1)
			to[start[k]] = x
			start[k]++
		}
		from, to = to, from
	}
}

// rowCode returns the code of a row: its number in the low rowBits bits, and above, as far as the 31
// bits below leafCode allow, a class that does not fall with the degree.
func (b *hubBuilder) rowCode(row, degree uint32) uint32 {
	return degreeClass(degree, leafCodeBit-b.rowBits)<<b.rowBits | row
}

// degreeClass returns a number of so many bits that does not fall with the degree: like a
// floating-point number, with an exponent of five bits.
func degreeClass(degree uint32, size int) uint32 {
	const exponent = 5
	mantissa := max(size-exponent, 0)
	shift := max(bits.Len32(degree)-1-mantissa, 0)
	class := min(degree>>shift+uint32(shift)<<mantissa, 1<<(mantissa+exponent)-1)
	return class >> (mantissa + exponent - min(size, mantissa+exponent))
}

// numberRows gives the rows of a chunk their numbers, in the order of the keys.
func (b *hubBuilder) numberRows(w *hubWorker, c int) {
	chunk, code, degrees := &b.to.Chunks[c], b.ownPart(b.code), b.priority[b.of.First:]
	lo, _ := b.labels(c)
	runs := make([]Run, 0, 1<<10)
	several, single := 0, 0 // rows of these classes
	last := ^uint64(0)
	for i, k := range w.keys {
		class, hub, place := k>>32<<32, uint16(k>>16), uint16(k)
		b.to.Records[chunk.Row+uint32(i)] = Record{Hub: hub, Place: place}
		v := lo + uint64(place)
		code[v] = b.rowCode(b.to.FirstRow+chunk.Row+uint32(i), degrees[v])
		if class == otherClass {
			continue
		}
		if class == severalClass {
			several = i + 1
		}
		single = i + 1
		if k>>16 != last {
			if class == singleClass && last>>16 != singleClass>>32 {
				chunk.SingleRun = uint32(len(runs))
			}
			last = k >> 16
			runs = append(runs, Run{Hub: hub})
		}
		runs[len(runs)-1].Last = uint16(i)
	}
	if several == single {
		chunk.SingleRun = uint32(len(runs))
	}
	chunk.Several, chunk.Single = chunk.Row+uint32(several), chunk.Row+uint32(max(several, single))
	b.runs[c] = slices.Clone(runs)
	for r := chunk.Row >> 6; r < b.to.Chunks[c+1].Row>>6; r++ {
		b.to.ChunkOf[r] = uint32(c)
	}
}

// joinRuns fills Runs.
func (b *hubBuilder) joinRuns() error {
	n := uint32(0)
	for c := range b.runs {
		chunk := &b.to.Chunks[c]
		chunk.Run, chunk.SingleRun = n, chunk.SingleRun+n
		n += uint32(len(b.runs[c]))
	}
	end := &b.to.Chunks[len(b.runs)]
	end.Run, end.SingleRun = n, n
	if err := b.to.held.Take(b.to.runs(uint64(n))); err != nil {
		return err
	}
	for c, runs := range b.runs {
		copy(b.to.Runs[b.to.Chunks[c].Run:], runs)
	}
	b.runs = nil
	return nil
}
