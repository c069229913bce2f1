package graph

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"graph500/engine"
	"graph500/parallel"
)

// chooseHubs sets the priorities and fills the labels of Hubs.
func (b *hubBuilder) chooseHubs() error {
	g, degrees := b.from, b.ownPart(b.priority)
	err := b.team.For(b.ctx, len(g.Present), 1<<10, func(_, lo, hi int) {
		for w := lo; w < hi; w++ {
			r := g.RowsBefore[w]
			for m := g.Present[w]; m != 0; m &= m - 1 {
				degrees[w<<6+bits.TrailingZeros64(m)] = uint32(g.Offsets[r+1] - g.Offsets[r])
				r++
			}
		}
	})
	if err == nil {
		err = b.gather(b.priority)
	}
	if err != nil {
		return err
	}
	clear(b.own)
	// The number of a hub in lists, engine.None - h, is no label.
	most := min(int64(min(b.form.Hubs, MostHubs)), g.Info.Connected/rowsPerHub, int64(uint64(engine.None)-b.of.Vertices))
	labels, byLabel := hubsOf(b.team, b.priority, most, 2)
	if err := b.to.held.Take(b.to.hubs(uint64(len(labels)))); err != nil {
		return err
	}
	if err := b.team.For(b.ctx, len(labels), 1<<10, func(_, lo, hi int) {
		for h := lo; h < hi; h++ {
			v := labels[h]
			b.to.Hubs[h] = HubRecord{Label: v, Degree: b.priority[v], Hub: NoHub, Next: ^uint64(0)}
			b.priority[v] = engine.None - uint32(h)
			b.hubs.byLabel[v] = NoHub - uint16(h)
		}
	}); err != nil {
		return err
	}
	b.hubs.setSlots(labels)
	b.to.HubsByLabel = make([]uint16, len(byLabel))
	for i, v := range byLabel {
		b.to.HubsByLabel[i] = NoHub - b.hubs.byLabel[v]
	}
	return nil
}

// hubsOf returns the given number of vertices of highest degree, or fewer: those of at least a
// degree. They are in descending order of the degree, then in that of the labels; byLabel has them in
// that of the labels.
func hubsOf(team *parallel.Team, degree []uint32, want int64, leastDegree uint32) (hubs, byLabel []engine.Label) {
	// Count the vertices by degree; all degrees from maxCounted on share a counter.
	const maxCounted = 1 << 16
	counts := make([][]uint32, team.Size()) // by worker
	part := func(worker int) (lo, hi int) { return parallel.Split(len(degree), len(counts), worker) }
	team.Run(func(worker int) {
		count := make([]uint32, maxCounted+1)
		lo, hi := part(worker)
		for _, d := range degree[lo:hi] {
			count[min(d, maxCounted)]++
		}
		counts[worker] = count
	})
	byDegree := make([]int64, maxCounted+1)
	for _, count := range counts {
		for d, n := range count {
			byDegree[d] += int64(n)
		}
	}
	most := byDegree[maxCounted]
	least, sum := uint32(maxCounted), most
	for least > leastDegree && sum+byDegree[least-1] <= want {
		least--
		sum += byDegree[least]
	}
	found := make([][]engine.Label, len(counts)) // by worker, in the order of the labels
	team.Run(func(worker int) {
		lo, hi := part(worker)
		for v := lo; v < hi; v++ {
			if degree[v] >= least {
				found[worker] = append(found[worker], engine.Label(v))
			}
		}
	})
	byLabel = slices.Concat(found...)
	next := byDegree // by degree: the place of the next hub
	for d, end := least, sum; d <= maxCounted; d++ {
		end -= byDegree[d]
		next[d] = end
	}
	hubs = make([]engine.Label, sum)
	for _, v := range byLabel {
		at := &next[min(degree[v], maxCounted)]
		hubs[*at] = v
		*at++
	}
	slices.SortStableFunc(hubs[:most], func(x, y engine.Label) int { return int(degree[y]) - int(degree[x]) })
	if want = max(0, want); sum > want { // all of them have maxCounted arcs or more
		hubs = hubs[:want]
		byLabel = append(byLabel[:0], hubs...)
		slices.Sort(byLabel)
	}
	return hubs, byLabel
}

// isHub reports whether a priority is that of a hub.
func (b *hubBuilder) isHub(priority uint32) bool {
	return engine.None-priority < uint32(len(b.to.Hubs))
}

// singleBlock is the number of vertices that classify looks at together, so that many of the random loads of the
// neighbours of those of degree 1 are in flight at the same time.
const singleBlock = 1 << 10

// singles are vertices of degree 1 of a block, with their rows, and the number of hubs and of all vertices
// with a neighbour.
type singles struct {
	vertices, rows [singleBlock]uint32
	n, hubs, all   int
}

// find finds those of own labels lo..hi-1. It has no branches on the degrees.
func (s *singles) find(b *hubBuilder, lo, hi uint64) {
	s.n, s.hubs, s.all = 0, 0, 0
	for w := lo >> 6; w<<6 < hi; w++ {
		r := b.from.RowsBefore[w]
		for m := b.from.Present[w]; m != 0; m &= m - 1 {
			v := uint32(w)<<6 + uint32(bits.TrailingZeros64(m))
			p := b.priority[b.of.First+uint64(v)]
			s.vertices[s.n], s.rows[s.n] = v, uint32(r)
			isSingle, isHub := 0, 0
			if p == 1 {
				isSingle = 1
			}
			if b.isHub(p) {
				isHub = 1
			}
			s.n, s.hubs, s.all = s.n+isSingle, s.hubs+isHub, s.all+1
			r++
		}
	}
}

// classify finds the leaves and counts the rows and hubs of each chunk.
func (b *hubBuilder) classify() error {
	g, neighbors, chunks, code := b.from, b.neighbors(), b.chunks(), b.ownPart(b.code)
	rows, hubs := make([]uint32, chunks), make([]uint32, chunks)
	var leaves atomic.Int64
	err := b.team.For(b.ctx, chunks, 1, func(_, c, _ int) {
		lo, hi := b.labels(c)
		found := 0
		var s singles
		for ; lo < hi; lo += singleBlock {
			s.find(b, lo, min(lo+singleBlock, hi))
			leavesHere := 0
			for i, v := range s.vertices[:s.n] {
				if b.priority[neighbors[g.Offsets[s.rows[i]]]] != 1 {
					code[v] = leafCode
					leavesHere++
				}
			}
			found += leavesHere
			hubs[c] += uint32(s.hubs)
			rows[c] += uint32(s.all - s.hubs - leavesHere)
		}
		leaves.Add(int64(found))
	})
	if err != nil {
		return err
	}
	b.to.Leaves = leaves.Load()
	b.to.Chunks = make([]Chunk, chunks+1)
	var row, hub uint64
	for c := range rows {
		b.to.Chunks[c] = Chunk{Row: uint32(row), Last: uint32(row) + rows[c], Hub: uint32(hub)}
		b.to.rows += int64(rows[c])
		row += uint64(rows[c]+63) &^ 63
		hub += uint64(hubs[c])
	}
	if err := b.numberShare(row); err != nil {
		return err
	}
	b.to.Chunks[chunks] = Chunk{Row: uint32(row), Several: uint32(row), Single: uint32(row), Last: uint32(row), Hub: uint32(hub)}
	b.to.ChunkHubs = make([]PlacedHub, hub)
	return nil
}
