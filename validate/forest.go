package validate

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
	"graph500/vector"
)

// A Forest keeps the parents of several trees of one graph until they are validated, of any results,
// right or wrong. Trees from different roots mostly give a vertex the same parents, so it keeps the
// first forestSlots different ones of each vertex, for each tree two bits that tell which it is, and
// the other parents, one after the other. In official graphs those are 2 to 3 % of 64 trees: a vertex
// takes 38 bytes instead of 256.
type Forest struct {
	team     *parallel.Team
	form     vector.Form
	vertices int
	trees    int // that are kept
	room     int // for trees, if there is room for their others

	slots  []forestBlock  // by block of vertices
	codes  []forestCodes  // by block, then tree: look-ups mostly want a vertex in several trees
	others []engine.Label // parents in no slot, by vertex in each block
	used   atomic.Int64   // length of others that is in use

	unpacked []engine.Label // of one tree
	buffers  []forestBuffer // by worker
}

// forestBuffer is what a worker adds of a tree.
type forestBuffer struct {
	codes  [forestGrain]forestCodes
	others [vertexGrain]engine.Label
}

const (
	forestSlots = 3
	// emptySlot marks an empty slot. A parent with this value is among the others.
	emptySlot = engine.Beyond
	// forestGrain is the number of blocks that a worker takes at a time.
	forestGrain = vertexGrain / fillBlock
	// forestOthers is the share of parents, 1/forestOthers, for which others has room, beyond one parent
	// of each vertex in graphs of up to forestSmall vertices.
	forestOthers = 16
	forestSmall  = 1 << 16
)

// forestBlock holds the first different parents of the vertices of a block, emptySlot after the last.
type forestBlock [forestSlots][fillBlock]engine.Label

// forestCodes has two bits for each vertex of a block: the slot of its parent, or forestSlots if it
// is among the others, of which the first one has the place first. A struct of 20 bytes.
type forestCodes struct {
	low, high [2]uint32
	first     uint32
}

// isOther returns a bit set of the vertices whose parent is among the others.
func (c *forestCodes) isOther() uint64 {
	return uint64(c.low[0]&c.high[0]) | uint64(c.low[1]&c.high[1])<<32
}

// slotOf returns the slot of the parent of vertex i.
func (c *forestCodes) slotOf(i engine.Label) uint8 {
	word, bit := i/32&1, i%32
	return uint8(c.low[word]>>bit&1 | c.high[word]>>bit&1<<1)
}

// otherOf returns the place among the others of the parent of vertex i, if it is one of them.
func (c *forestCodes) otherOf(i engine.Label) uint32 {
	return c.first + uint32(bits.OnesCount64(c.isOther()&(1<<i-1)))
}

// arrays declares the memory for a number of vertices and trees.
func (f *Forest) arrays(vertices uint64, trees int) memory.Group {
	const name = "searches validated together"
	blocks, n := (vertices+fillBlock-1)/fillBlock, uint64(trees)
	others := n/forestOthers*vertices + n%forestOthers*vertices/forestOthers + min(vertices, forestSmall)
	return memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{
		memory.Of(&f.slots, name, blocks), memory.Of(&f.codes, name, n*blocks),
		memory.Of(&f.others, name, min(others, math.MaxUint32)), memory.Of(&f.unpacked, name, vertices),
	}}
}

// ForestPlan lists the memory of a Forest.
func ForestPlan(vertices uint64, trees int) []engine.Allocation {
	return new(Forest).arrays(vertices, trees).Plan()
}

// NewForest returns a Forest that has room for a number of trees, or for fewer if vertices have many
// different parents.
func NewForest(team *parallel.Team, vertices uint64, trees int) (*Forest, error) {
	f := &Forest{team: team, form: vector.Chosen(), vertices: int(vertices), room: trees, buffers: make([]forestBuffer, team.Size())}
	return f, f.arrays(vertices, trees).Alloc()
}

// Close frees the memory. A nil Forest has none.
func (f *Forest) Close() error {
	if f == nil {
		return nil
	}
	return f.arrays(0, 0).Free()
}

// Len returns the number of kept trees.
func (f *Forest) Len() int { return f.trees }

// Clear discards the kept trees.
func (f *Forest) Clear() { f.trees = 0; f.used.Store(0) }

// Add keeps the parents of a tree, one for each vertex. It returns false if there is no room for them.
func (f *Forest) Add(parents []engine.Label) bool {
	if f.trees == f.room {
		return false
	}
	before := f.used.Load()
	var full atomic.Bool
	_ = f.team.For(context.Background(), len(f.slots), forestGrain, func(number, lo, hi int) {
		if f.trees == 0 {
			clearSlots(f.slots[lo:hi])
		}
		b := &f.buffers[number]
		codes := b.codes[:hi-lo]
		n := f.pack(parents[lo*fillBlock:min(hi*fillBlock, len(parents))], f.slots[lo:hi], codes, b.others[:])
		end := f.used.Add(int64(n))
		if end > int64(len(f.others)) {
			full.Store(true)
			return
		}
		first := uint32(end - int64(n))
		copy(f.others[first:], b.others[:n])
		for i := range codes {
			codes[i].first += first
			f.codes[(lo+i)*f.room+f.trees] = codes[i]
		}
	})
	if full.Load() {
		f.used.Store(before)
		return false
	}
	f.trees++
	return true
}

// clearSlots makes all slots of blocks empty.
func clearSlots(blocks []forestBlock) {
	var empty forestBlock
	for s := range empty {
		for i := range empty[s] {
			empty[s][i] = emptySlot
		}
	}
	for i := range blocks {
		blocks[i] = empty
	}
}

// packGo sets the codes of the parents of blocks, and adds parents to their slots. It stores parents in
// no slot to others and returns their number; the places in codes are those in others.
func packGo(parents []engine.Label, slots []forestBlock, codes []forestCodes, others []engine.Label) (n int) {
	for b := range slots {
		c := forestCodes{first: uint32(n)}
		for i, p := range parents[b*fillBlock : min((b+1)*fillBlock, len(parents))] {
			slot := slots[b].slotOf(i, p)
			if slot == forestSlots {
				others[n] = p
				n++
			}
			c.low[i/32&1] |= slot & 1 << (i % 32)
			c.high[i/32&1] |= slot >> 1 << (i % 32)
		}
		codes[b] = c
	}
	return n
}

// slotOf returns the slot of a parent of vertex i, an empty one if it has none yet, forestSlots if there
// is none.
func (b *forestBlock) slotOf(i int, parent engine.Label) uint32 {
	if parent == emptySlot {
		return forestSlots
	}
	for s := range b {
		slot := &b[s][i&(fillBlock-1)]
		if *slot == emptySlot {
			*slot = parent
		}
		if *slot == parent {
			return uint32(s)
		}
	}
	return forestSlots
}

// unpackGo sets the parents of a block that are in slots.
func unpackGo(slots *forestBlock, c *forestCodes, to *[fillBlock]engine.Label) {
	for i := range to {
		to[i] = slots[min(c.slotOf(engine.Label(i)), forestSlots-1)][i]
	}
}

// block sets the parents of a block of vertices in a tree.
func (f *Forest) block(tree, block int, to *[fillBlock]engine.Label) {
	c := &f.codes[block*f.room+tree]
	f.unpack(&f.slots[block], c, to)
	others := f.others[c.first:]
	for k, left := 0, c.isOther(); left != 0; left &= left - 1 {
		to[bits.TrailingZeros64(left)] = others[k]
		k++
	}
}

// parent returns the parent of v in a tree.
func (f *Forest) parent(tree int, v engine.Label) engine.Label {
	block, i := int(v/fillBlock), v%fillBlock
	c := &f.codes[block*f.room+tree]
	if slot := c.slotOf(i); slot < forestSlots {
		return f.slots[block][slot][i]
	}
	return f.others[c.otherOf(i)]
}

// load loads a word of each cache line that parentsOf reads first.
func (f *Forest) load(v engine.Label) (touched uint32) {
	const line = 3 // codes
	block := int(v / fillBlock)
	codes := f.codes[block*f.room:][:f.room]
	for t := 0; t < len(codes); t += line {
		touched ^= codes[t].first
	}
	for s := range f.slots[block] {
		touched ^= f.slots[block][s][v%fillBlock]
	}
	return touched
}

// parentsOf sets the parents of v in some of the trees. Like find, it has no branch on what it loads.
func (f *Forest) parentsOf(v engine.Label, trees []uint32, parents *[MaxBatch]engine.Label) {
	const mask = MaxBatch - 1
	block, i := int(v/fillBlock), v%fillBlock
	codes, slots := f.codes[block*f.room:][:f.room], &f.slots[block]
	var others [MaxBatch]uint8  // trees in which the parent is in no slot
	var places [MaxBatch]uint32 // by others: place of the parent
	n := 0
	for t, tree := range trees {
		c := &codes[tree]
		slot := c.slotOf(i)
		parents[t&mask] = slots[min(slot, forestSlots-1)][i]
		others[n&mask], places[n&mask] = uint8(t), c.otherOf(i)
		n += int(slot+1) >> 2 // 1 for forestSlots
	}
	for k, place := range places[:n] {
		parents[others[k]&mask] = f.others[place]
	}
}

// mostLookups is the largest number of lookups, a power of two, so that a mask replaces the bounds check.
const mostLookups = 1024

// lookups are vertices, each in a tree, and their parents.
type lookups struct {
	vertices [mostLookups]engine.Label
	trees    [mostLookups]uint32
	parents  [mostLookups]engine.Label

	at      [mostLookups]uint64 // place of the codes, then of the slot
	others  [mostLookups]uint32 // those whose parent is in no slot
	places  [mostLookups]uint32 // by others: place of the parent
	touched uint32              // the loaded words, so that the compiler does not remove the loads
}

// find sets the first n parents. Its loops have no branch on what they load, and need nothing of a word that
// may miss the caches to find the next one, so that many loads are in flight at the same time.
func (f *Forest) find(q *lookups, n int) {
	const mask = mostLookups - 1
	touched := uint32(0)
	for i, v := range q.vertices[:n] {
		at := uint64(v/fillBlock)*uint64(f.room) + uint64(q.trees[i&mask])
		q.at[i&mask] = at
		touched ^= f.codes[at].low[0] ^ f.codes[at].first
	}
	q.touched = touched
	others := 0
	for i, v := range q.vertices[:n] {
		c := &f.codes[q.at[i&mask]]
		slot := c.slotOf(v % fillBlock)
		q.others[others&mask], q.places[others&mask] = uint32(i), c.otherOf(v%fillBlock)
		others += int(slot+1) >> 2 // 1 for forestSlots
		q.at[i&mask] = uint64(min(slot, forestSlots-1))
	}
	for i, v := range q.vertices[:n] {
		q.parents[i&mask] = f.slots[v/fillBlock][q.at[i&mask]][v%fillBlock]
	}
	for i, at := range q.places[:others] {
		q.parents[q.others[i&mask]&mask] = f.others[at]
	}
}

// Parents returns the parents of a tree, valid until the next call.
func (f *Forest) Parents(tree int) []engine.Label {
	_ = f.team.For(context.Background(), len(f.slots), forestGrain, func(_, lo, hi int) {
		var parents [fillBlock]engine.Label
		for ; lo < hi; lo++ {
			f.block(tree, lo, &parents)
			copy(f.unpacked[lo*fillBlock:], parents[:])
		}
	})
	return f.unpacked
}
