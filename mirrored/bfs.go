package mirrored

import (
	"context"
	"errors"
	"math/bits"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/memory"
	"graph500/proxies"
)

// BFS is breadth-first search by levels, top-down or bottom-up. In each level, ranks look for
// parents of the vertices of which they have a proxy; mirrors send those found to their masters;
// and masters tell all mirrors of new vertices.
type BFS struct {
	*Part
	visited  []uint64       // bits of proxies
	frontier []uint64       // bits of proxies
	found    []uint64       // bits of proxies
	rows     []uint64       // bits of proxies with arcs
	parents  []engine.Label // labels, by local number; complete at masters after a search
	profile  engine.Profile
}

// NewBFS returns a search of a part.
func NewBFS(p *Part) (s *BFS, err error) {
	s = &BFS{Part: p}
	var errs [5]error
	for i, words := range []*[]uint64{&s.visited, &s.frontier, &s.found, &s.rows} {
		*words, errs[i] = memory.Alloc[uint64](p.words())
	}
	s.parents, errs[4] = memory.Alloc[engine.Label](p.Proxies())
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	for i := range uint32(p.Proxies()) {
		if p.reads(i) {
			s.rows[i>>6] |= 1 << (i & 63)
		}
	}
	return s, nil
}

// Close frees the memory of the search.
func (s *BFS) Close() error {
	return errors.Join(memory.Free(s.visited), memory.Free(s.frontier), memory.Free(s.found), memory.Free(s.rows), memory.Free(s.parents))
}

// Profile returns the levels of the last search, with the counts of all ranks.
func (s *BFS) Profile() engine.Profile { return s.profile }

// Search finds a parent of each vertex that can be reached from the root, which has an edge.
func (s *BFS) Search(ctx context.Context, root engine.Label) error {
	start := time.Now()
	s.profile.Reset()
	for _, words := range [][]uint64{s.visited, s.frontier, s.found} {
		clear(words)
	}
	if i, own := s.find(root); own {
		s.found[i>>6] |= 1 << (i & 63)
		s.parents[i] = root
	}
	frontier, arcs, err := s.advance(ctx)
	left, unvisited, bottomUp := s.Info.Arcs, s.Info.Connected-frontier, false
	for err == nil && frontier > 0 {
		bottomUp = arcs > left/engine.BeamerAlpha || bottomUp && frontier > s.Info.Connected/engine.BeamerBeta
		left -= arcs
		level := engine.Level{Direction: engine.TopDown, Frontier: frontier}
		var examined int64
		if bottomUp {
			level.Direction = engine.BottomUp
			examined, err = s.pull(ctx)
		} else {
			examined, err = s.push(ctx)
		}
		if err != nil {
			return err
		}
		if err := s.reduce(ctx); err != nil {
			return err
		}
		frontier, arcs, err = s.advance(ctx)
		sums := []int64{examined}
		if err == nil {
			err = s.world.Sum(ctx, sums)
		}
		level.Found, level.Examined, level.Seconds = frontier, sums[0], time.Since(start).Seconds()
		start = time.Now()
		s.profile.Add(level)
		if unvisited -= frontier; unvisited == 0 {
			break
		}
	}
	return err
}

// push looks for unvisited neighbours of the frontier, and marks them as visited and found. It
// returns the number of arcs.
func (s *BFS) push(ctx context.Context) (examined int64, err error) {
	var arcs atomic.Int64
	err = s.team.For(ctx, len(s.frontier), 16, func(_, lo, hi int) {
		n := 0
		for w := lo; w < hi; w++ {
			for x := s.frontier[w] & s.rows[w]; x != 0; x &= x - 1 {
				i := 64*w + bits.TrailingZeros64(x)
				row, label := s.Neighbors[s.Offsets[i]:s.Offsets[i+1]], s.Labels[i]
				n += len(row)
				for _, u := range row {
					if set(s.visited, u) {
						s.parents[u] = label
						set(s.found, u)
					}
				}
			}
		}
		arcs.Add(int64(n))
	})
	return arcs.Load(), err
}

// pull looks for neighbours in the frontier of unvisited proxies, and marks those that have one
// as found. It returns the number of arcs examined.
func (s *BFS) pull(ctx context.Context) (examined int64, err error) {
	var arcs atomic.Int64
	err = s.team.For(ctx, len(s.frontier), 16, func(_, lo, hi int) {
		n := 0
		for w := lo; w < hi; w++ {
			for x := s.rows[w] &^ s.visited[w]; x != 0; x &= x - 1 {
				i := 64*w + bits.TrailingZeros64(x)
				for _, u := range s.Neighbors[s.Offsets[i]:s.Offsets[i+1]] {
					n++
					if s.frontier[u>>6]>>(u&63)&1 != 0 {
						s.parents[i] = s.Labels[u]
						s.found[w] |= x & -x
						break
					}
				}
			}
		}
		arcs.Add(int64(n))
	})
	return arcs.Load(), err
}

// reduce sends the parents of mirrors that were found to their masters, which are found, too,
// unless they are visited.
func (s *BFS) reduce(ctx context.Context) error {
	return s.sync.Reduce(ctx, s.found, proxies.Values{
		Width: 1,
		Get:   func(mirror uint32) [2]uint32 { return [2]uint32{s.parents[mirror]} },
		Set: func(master uint32, values []uint32) {
			word, bit := master>>6, uint64(1)<<(master&63)
			if (s.visited[word]|s.found[word])&bit == 0 {
				s.found[word] |= bit
				s.parents[master] = values[0]
			}
		},
	})
}

// advance makes the masters that were found the frontier, with all of their mirrors, and marks
// them as visited. It returns the numbers of vertices and arcs of the frontiers of all ranks.
func (s *BFS) advance(ctx context.Context) (vertices, arcs int64, err error) {
	s.frontier, s.found = s.found, s.frontier
	clear(s.found)
	last := s.Masters >> 6
	if last < len(s.frontier) {
		s.frontier[last] &= 1<<(s.Masters&63) - 1
		clear(s.frontier[last+1:])
	}
	for _, x := range s.frontier {
		vertices += int64(bits.OnesCount64(x))
	}
	if err := s.sync.Broadcast(ctx, s.frontier, false, proxies.Values{Set: func(mirror uint32, _ []uint32) {
		s.frontier[mirror>>6] |= 1 << (mirror & 63)
	}}); err != nil {
		return 0, 0, err
	}
	for w, x := range s.frontier {
		s.visited[w] |= x
		for x &= s.rows[w]; x != 0; x &= x - 1 {
			i := 64*w + bits.TrailingZeros64(x)
			arcs += int64(s.Offsets[i+1] - s.Offsets[i])
		}
	}
	sums := []int64{vertices, arcs}
	err = s.world.Sum(ctx, sums)
	return sums[0], sums[1], err
}

// Results calls yield with each of the masters lo..hi-1 that the last search reached.
func (s *BFS) Results(lo, hi int, yield func(master int, parent engine.Label, distance float32)) {
	for i := lo; i < hi; i++ {
		if s.visited[i>>6]>>(i&63)&1 != 0 {
			yield(i, s.parents[i], 0)
		}
	}
}
