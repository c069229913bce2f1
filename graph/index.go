package graph

import (
	"math/bits"
	"slices"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

const (
	// hubShare sets the number of hubs, one for so many vertices, and hubMax
	// its bound: their state of four bytes each stays in the first- and
	// second-level caches (docs/notebook.md).
	hubShare = 16
	hubMax   = 1 << 15
)

// indexRows computes Rank and Offsets from Present and the degrees.
func (b *builder) indexRows() error {
	g, workers := b.g, b.team.Size()
	words := len(g.Present)
	rows := make([]uint64, workers+1)
	arcs := make([]uint64, workers+1)
	b.team.Run(func(worker int) {
		lo, hi := parallel.Split(words, workers, worker)
		var row, arc uint64
		for _, present := range g.Present[lo:hi] {
			row += uint64(bits.OnesCount64(present))
		}
		for _, d := range b.degree[lo*64 : hi*64] {
			arc += uint64(d)
		}
		rows[worker+1], arcs[worker+1] = row, arc
	})
	for i := range workers {
		rows[i+1] += rows[i]
		arcs[i+1] += arcs[i]
	}
	n := rows[workers]
	g.Info.Connected = int64(n)
	var err error
	if g.Offsets, err = memory.Alloc[uint64](int(n) + 1); err != nil {
		return err
	}
	g.Offsets[n] = arcs[workers]
	largest := make([]uint32, workers)
	b.team.Run(func(worker int) {
		lo, hi := parallel.Split(words, workers, worker)
		row, arc, most := rows[worker], arcs[worker], uint32(0)
		for w := lo; w < hi; w++ {
			g.Rank[w] = uint32(row)
			for m := g.Present[w]; m != 0; m &= m - 1 {
				d := b.degree[w*64+bits.TrailingZeros64(m)]
				most = max(most, d)
				if d == 1 {
					g.Leaves[w] |= m & -m
				}
				g.Offsets[row] = arc
				row++
				arc += uint64(d)
			}
		}
		largest[worker] = most
	})
	g.Info.MaxDegree = int64(slices.Max(largest))
	return nil
}

// chooseHubs picks the vertices of highest degree and makes degree a rank: a
// larger number for a neighbour to be tried earlier, all hubs above all
// others.
func (b *builder) chooseHubs() error {
	g := b.g
	want := min(g.Info.Connected/hubShare, hubMax, int64(engine.None)-int64(b.vertices))
	if want <= 0 {
		return nil
	}
	// Degrees of hubs are large and few; count by degree, capped.
	const most = 1 << 16
	byDegree := make([]int64, most+1)
	for _, d := range b.degree {
		byDegree[min(d, most)]++
	}
	least, sum := uint32(most), byDegree[most]
	for least > 1 && sum+byDegree[least-1] <= want {
		least--
		sum += byDegree[least]
	}
	for v, d := range b.degree {
		if d >= least {
			g.Hubs = append(g.Hubs, engine.Local(v))
		}
	}
	slices.SortStableFunc(g.Hubs, func(x, y engine.Local) int {
		return int(b.degree[y]) - int(b.degree[x])
	})
	g.Hubs = g.Hubs[:min(int64(len(g.Hubs)), want)]
	for h, v := range g.Hubs {
		b.degree[v] = engine.None - uint32(h)
	}
	return nil
}

// pickFirst fills First and Next.
func (b *builder) pickFirst() error {
	g := b.g
	n := int(g.Info.Connected)
	var err error
	if g.First, err = memory.Alloc[uint32](n + 16); err != nil { // vector loads may run over the end
		return err
	}
	if g.Next, err = memory.Alloc[[4]engine.Local](n); err != nil {
		return err
	}
	vertices, hubs := uint32(b.vertices), uint32(len(g.Hubs))
	return b.team.For(b.ctx, n, 1024, func(_, lo, hi int) {
		rank := b.degree
		for r := lo; r < hi; r++ {
			row := g.Neighbors[g.Offsets[r]:g.Offsets[r+1]]
			var best [5]uint32 // ranks, highest first
			var who [5]engine.Local
			least := uint32(0)
			for _, v := range row {
				k := rank[v]
				if k <= least {
					continue
				}
				i := 4
				for ; i > 0 && best[i-1] < k; i-- {
					best[i], who[i] = best[i-1], who[i-1]
				}
				best[i], who[i] = k, v
				least = best[4]
			}
			for i := len(row); i < 5; i++ {
				who[i] = who[i-1]
			}
			first := who[0]
			if h := engine.None - best[0]; h < hubs {
				first = vertices + h
			}
			g.First[r] = first
			g.Next[r] = [4]engine.Local(who[1:])
		}
	})
}
