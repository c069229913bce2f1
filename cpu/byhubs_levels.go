package cpu

import (
	"math/bits"
	"sync/atomic"

	"graph500/engine"
	"graph500/graph"
)

// levels returns the profile of the last search. It counts the vertices of each level here, so
// that the timed search does not have to.
func (s *byHubs) levels() engine.Profile {
	if s.profile == nil {
		s.profile = new(engine.Profile)
		s.countLevels()
	}
	return *s.profile
}

// countLevels fills the profile. The vertices of a level are those of its part of the queue, those
// of the dense pass, and the leaves of the level before.
func (s *byHubs) countLevels() {
	if s.tail == 0 {
		return
	}
	start, frontier := 1, int64(1) // the root
	leaves := s.leavesIn(0, 1)
	if _, isLeaf := s.g.Find(s.root); isLeaf {
		// The neighbour of the root, found in the first step, is the only entry of the queue so far.
		start, leaves = 0, 0
	}
	all := s.g.Leaves - s.leftLeaves()
	reached := leaves
	last := int64(0)
	for i, step := range s.steps {
		found := int64(step.end-start) + leaves
		next := s.leavesIn(start, step.end)
		if start == 0 {
			next-- // the root
			all--
		}
		switch i {
		case s.dense:
			n, ofThem := s.countDense()
			found, next = found+n, next+ofThem
			last = n
		case s.dense + 1:
			if s.dense >= 0 {
				found += s.countBehindDense(last)
				next = all - reached // no later level has leaves that are not counted in its turn
				next -= s.leavesIn(step.end, s.tail)
			}
		}
		s.profile.Add(engine.Level{Direction: step.direction, Frontier: frontier, Found: found, Examined: step.examined, Seconds: step.seconds})
		start, frontier, leaves = step.end, found, next
		reached += next
	}
	if s.more > 0 {
		s.profile.LevelCount += s.more
		s.profile.Examined += s.examined
		return
	}
	if leaves > 0 {
		s.profile.Add(engine.Level{Direction: engine.TopDown, Frontier: frontier, Found: leaves})
	}
}

// leavesIn returns the number of leaves of the vertices of a part of the queue.
func (s *byHubs) leavesIn(lo, hi int) int64 {
	var sum atomic.Int64
	s.parallelFor(hi-lo, func(_ *hubWorker, from, to int) {
		n := 0
		for _, id := range s.queue[lo+from : lo+to] {
			n += len(s.leavesOf(id))
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
	for h := range s.g.Hubs {
		if s.hubsAfter[h>>6]>>(h&63)&1 == 0 {
			n += int64(s.g.Hubs[h].Leaves)
		}
	}
	for i, m := range s.left[:len(s.g.ChunkOf)] {
		for ; m != 0; m &= m - 1 {
			n += int64(len(s.leavesOf(uint32(i<<6 + bits.TrailingZeros64(m)))))
		}
	}
	return n
}

// countDense returns the number of vertices that the dense pass found one level behind the
// frontier, and of their leaves.
func (s *byHubs) countDense() (found, leaves int64) {
	for h := range s.g.Hubs {
		if s.after[h] != 0 && s.before[h] == 0 {
			found++
			leaves += int64(s.g.Hubs[h].Leaves)
		}
	}
	var rows, ofRows atomic.Int64
	s.parallelFor(len(s.g.ChunkOf), func(_ *hubWorker, lo, hi int) {
		n, leaves := 0, 0
		for i := lo; i < hi; i++ {
			m := s.found[i]
			for b, r := range s.g.Records[i<<6:][:64] {
				m |= uint64(s.before[r.Hub]) << b
			}
			m &^= s.visited[i]
			if end := s.g.Chunks[s.g.ChunkOf[i]].Last; end < uint32(i+1)<<6 {
				m &= 1<<(end&63) - 1
			}
			n += bits.OnesCount64(m)
			for ; m != 0; m &= m - 1 {
				if r := uint32(i<<6 + bits.TrailingZeros64(m)); s.g.Records[r].List&graph.HasLeaves != 0 {
					leaves += len(s.leavesOf(r))
				}
			}
		}
		rows.Add(int64(n))
		ofRows.Add(int64(leaves))
	})
	return found + rows.Load(), leaves + ofRows.Load()
}

// countBehindDense returns the number of rows that the dense pass found two levels behind the
// frontier. nearer is the number of vertices that it found one level behind.
func (s *byHubs) countBehindDense(nearer int64) int64 {
	rows := s.g.Rows()
	for i := range s.g.ChunkOf {
		rows -= int64(bits.OnesCount64(s.left[i]) + bits.OnesCount64(s.visited[i]))
	}
	for _, id := range s.queue[s.steps[s.dense].end:s.tail] { // found late
		if id&graph.HubBit == 0 {
			rows--
		}
	}
	hubs := int64(0)
	for h := range s.g.Hubs {
		if s.after[h] != 0 && s.before[h] == 0 {
			hubs++
		}
	}
	return rows - (nearer - hubs)
}
