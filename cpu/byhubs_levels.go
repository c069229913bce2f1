package cpu

import (
	"context"
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
	"graph500/graph"
)

// levels returns the profile of the last search. It counts the vertices of each level here, so
// that the timed search does not have to.
func (s *byHubs) levels() engine.Profile {
	if s.profile == nil {
		s.profile = s.profileOf(s.countLevels())
	}
	return *s.profile
}

// deliver counts the levels over several ranks.
func (s *byHubs) deliver(ctx context.Context) error {
	if s.isAlone() {
		return nil
	}
	counts := s.countLevels()
	if err := s.world.Sum(ctx, counts); err != nil {
		return err
	}
	s.profile = s.profileOf(counts)
	return nil
}

// profileOf returns the profile of the last search from what countLevels returns, added up over all
// ranks.
func (s *byHubs) profileOf(counts []int64) *engine.Profile {
	p := new(engine.Profile)
	if len(s.steps) == 0 {
		return p
	}
	frontier := int64(1) // the root
	for i, step := range s.steps {
		found := counts[2*i]
		p.Add(engine.Level{Direction: step.direction, Frontier: frontier, Found: found, Examined: counts[2*i+1], Seconds: step.seconds})
		frontier = found
	}
	leaves, examined := counts[2*len(s.steps)], counts[2*len(s.steps)+1]
	if s.more > 0 {
		p.LevelCount += s.more
		p.Examined += examined
	} else if leaves > 0 {
		p.Add(engine.Level{Direction: engine.TopDown, Frontier: frontier, Found: leaves})
	}
	return p
}

// countLevels returns, for each recorded level, the number of vertices found in it and that of
// examined neighbours, then the number of leaves found behind the last level, and that of neighbours
// examined in levels that are not recorded. The counts of all ranks are to be added: each counts its
// own vertices, and the leaves of these.
//
// The vertices of a level are those of its part of the queue, those of the dense pass, and the leaves
// of the level before.
func (s *byHubs) countLevels() []int64 {
	counts := make([]int64, 0, 2*len(s.steps)+2)
	start, leaves := s.first, s.leavesIn(0, s.first)
	if s.fromLeaf {
		// The neighbour of the root, found in the first step, is the only entry of the queue so far.
		start, leaves = 0, 0
	}
	all := s.g.Leaves - s.leftLeaves()
	reached := leaves
	rows, hubs := int64(0), int64(0)
	for i, step := range s.steps {
		found := int64(step.end-start) + leaves
		next := s.leavesIn(start, step.end)
		if i == 0 && s.fromLeaf && s.first > 0 {
			next-- // the root
			all--
		}
		switch i {
		case s.dense:
			var ofThem int64
			rows, hubs, ofThem = s.countDense()
			found, next = found+rows+hubs, next+ofThem
		case s.dense + 1:
			if s.dense >= 0 {
				found += s.countBehindDense(rows)
				next = all - reached // no later level has leaves that are not counted in its turn
				next -= s.leavesIn(step.end, s.tail)
			}
		}
		counts = append(counts, found, step.examined)
		start, leaves = step.end, next
		reached += next
	}
	return append(counts, leaves, s.examined)
}

// manyLeaves stands for this number of leaves of a row or hub and for all larger ones.
const manyLeaves = 1<<8 - 1

// countLeaves sets rowLeaves. So the lists of rows, which are far apart, are read once for all
// searches.
func (s *byHubs) countLeaves() {
	s.parallelFor(len(s.g.ChunkOf), func(_ *hubWorker, lo, hi int) {
		for r := lo << 6; r < hi<<6; r++ {
			s.rowLeaves[r] = uint8(min(len(s.leavesOf(uint32(r))), manyLeaves))
		}
	})
}

// leafCount returns the number of leaves of an own vertex.
func (s *byHubs) leafCount(id uint32) int {
	if id&graph.HubBit != 0 {
		h := id &^ graph.HubBit
		if n := s.hubLeaves[h]; n != manyLeaves {
			return int(n)
		}
		return int(s.g.Hubs[h].AllLeaves)
	}
	if n := s.rowLeaves[id]; n != manyLeaves {
		return int(n)
	}
	return len(s.leavesOf(id))
}

// leavesOfWord returns the number of leaves of those of 64 own vertices, all rows or all hubs, from the
// given one on, whose bits are set. It adds the bytes of eight vertices at a time.
func (s *byHubs) leavesOfWord(first uint32, set uint64) (n int) {
	const pairs, sums = 0x00ff00ff00ff00ff, 0x0001000100010001
	counts := s.rowLeaves
	if first&graph.HubBit != 0 {
		counts = s.hubLeaves
	}
	for ; set != 0; set, first = set>>8, first+8 {
		leaves := binary.LittleEndian.Uint64(counts[first&^graph.HubBit:]) & (bytesOf(set&0xff) * 0xff)
		if hasFullByte(leaves) {
			for m := set & 0xff; m != 0; m &= m - 1 {
				n += s.leafCount(first + uint32(bits.TrailingZeros64(m)))
			}
			continue
		}
		n += int((leaves&pairs + leaves>>8&pairs) * sums >> 48)
	}
	return n
}

// hasFullByte reports whether all bits of a byte of x are set.
func hasFullByte(x uint64) bool {
	const ones = 0x0101010101010101
	return (^x-ones)&x&(0x80*ones) != 0
}

// leavesIn returns the number of leaves of the vertices of a part of the queue.
func (s *byHubs) leavesIn(lo, hi int) int64 {
	var sum atomic.Int64
	s.parallelFor(hi-lo, func(_ *hubWorker, from, to int) {
		n := 0
		for _, id := range s.queue[lo+from : lo+to] {
			n += s.leafCount(id)
		}
		sum.Add(int64(n))
	})
	return sum.Load()
}

// leftLeaves returns the number of leaves that the search does not reach because their neighbour
// was left by the dense pass and not found.
func (s *byHubs) leftLeaves() (n int64) {
	if s.dense < 0 {
		return s.g.Leaves - s.leavesIn(0, s.tail)
	}
	for i := range s.hubWords() {
		for m := ^s.hubsAfter[i]; m != 0; m &= m - 1 {
			if h := i<<6 + bits.TrailingZeros64(m); h < len(s.g.Hubs) {
				n += int64(s.g.Hubs[h].Leaves) // the own ones of each hub
			}
		}
	}
	for i, m := range s.left[:len(s.g.ChunkOf)] {
		n += int64(s.leavesOfWord(uint32(i)<<6, m))
	}
	return n
}

// countDense returns the numbers of own rows and hubs that the dense pass found one level behind the
// frontier, and of their leaves.
func (s *byHubs) countDense() (rows, hubs, leaves int64) {
	for i := range s.hubWords() {
		m := s.ownHubs[i] &^ s.hubsBefore[i]
		hubs += int64(bits.OnesCount64(m))
		leaves += int64(s.leavesOfWord(graph.HubBit|uint32(i)<<6, m))
	}
	for _, id := range s.leftHubs {
		if s.isOwnHub(id &^ graph.HubBit) {
			hubs--
			leaves -= int64(s.leafCount(id))
		}
	}
	var ofThem, ofRows atomic.Int64
	s.parallelFor(len(s.g.ChunkOf), func(_ *hubWorker, lo, hi int) {
		n, leaves := 0, 0
		for i := lo; i < hi; i++ {
			m := s.found[i]
			if end := s.g.Chunks[s.g.ChunkOf[i]].Last; end < uint32(i+1)<<6 {
				m &= 1<<(end&63) - 1
			}
			n += bits.OnesCount64(m)
			leaves += s.leavesOfWord(uint32(i)<<6, m)
		}
		ofThem.Add(int64(n))
		ofRows.Add(int64(leaves))
	})
	return ofThem.Load(), hubs, leaves + ofRows.Load()
}

// countBehindDense returns the number of own rows that the dense pass found two levels behind the
// frontier. nearer is the number of those that it found one level behind.
func (s *byHubs) countBehindDense(nearer int64) int64 {
	rows := s.g.Rows()
	for i := range s.g.ChunkOf {
		rows -= int64(bits.OnesCount64(s.left[i]) + bits.OnesCount64(s.ownVisited[i]))
	}
	for _, id := range s.queue[s.steps[s.dense].end:s.tail] { // found late
		if id&graph.HubBit == 0 {
			rows--
		}
	}
	return rows - nearer
}
