package graph

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"graph500/engine"
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
	labels, byLabel := hubsOf(b.priority, most, 2)
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
func hubsOf(degree []uint32, want int64, leastDegree uint32) (hubs, byLabel []engine.Label) {
	// Count the vertices by degree; all degrees from maxCounted on share a counter.
	const maxCounted = 1 << 16
	byDegree := make([]int64, maxCounted+1)
	for _, d := range degree {
		byDegree[min(d, maxCounted)]++
	}
	most := byDegree[maxCounted]
	least, sum := uint32(maxCounted), most
	for least > leastDegree && sum+byDegree[least-1] <= want {
		least--
		sum += byDegree[least]
	}
	next := byDegree // by degree: the place of the next hub
	for d, end := least, sum; d <= maxCounted; d++ {
		end -= byDegree[d]
		next[d] = end
	}
	hubs, byLabel = make([]engine.Label, sum), make([]engine.Label, 0, sum)
	for v, d := range degree {
		if d >= least {
			at := &next[min(d, maxCounted)]
			hubs[*at] = engine.Label(v)
			*at++
			byLabel = append(byLabel, engine.Label(v))
		}
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

// classify finds the leaves and counts the rows and hubs of each chunk.
func (b *hubBuilder) classify() error {
	g, neighbors, chunks, code, first := b.from, b.neighbors(), b.chunks(), b.ownPart(b.code), b.of.First
	rows, hubs := make([]uint32, chunks), make([]uint32, chunks)
	var leaves atomic.Int64
	err := b.team.For(b.ctx, chunks, 1, func(_, c, _ int) {
		lo, hi := b.labels(c)
		found := int64(0)
		for v := lo; v < hi; v++ {
			switch p := b.priority[first+v]; {
			case p == 0:
			case b.isHub(p):
				hubs[c]++
			case p == 1 && b.priority[neighbors[g.Offsets[g.Row(engine.Label(v))]]] != 1:
				code[v] = leafCode
				found++
			default:
				rows[c]++
			}
		}
		leaves.Add(found)
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
	return b.to.held.Take(b.to.byRow(row))
}
