package graph

import (
	"slices"

	"graph500/engine"
)

const (
	// There is one hub per verticesPerHub connected vertices, but at most
	// maxHubs: the hub table of a search, 4 bytes per hub, then fits in the L1
	// and L2 caches (docs/notebook.md).
	verticesPerHub = 16
	maxHubs        = 1 << 15
)

// chooseHubs fills Hubs and turns the degrees into priorities: a neighbour of higher
// priority is tested earlier, and hubs have a higher priority than all other
// vertices.
func (b *builder) chooseHubs() error {
	g := b.g
	want := min(g.Info.Connected/verticesPerHub, maxHubs, int64(engine.None)-int64(b.of.Vertices))
	if want <= 0 {
		return nil
	}
	g.Hubs = hubsOf(b.priority, want, 1)
	for h, v := range g.Hubs {
		b.priority[v] = engine.None - uint32(h)
	}
	return nil
}

// hubsOf returns the given number of vertices of highest degree, or fewer: those of at least a
// degree. They are in descending order of the degree, then in that of the labels.
func hubsOf(degree []uint32, want int64, leastDegree uint32) (hubs []engine.Label) {
	// Count the vertices by degree; all degrees from maxCounted on share a counter.
	const maxCounted = 1 << 16
	byDegree := make([]int64, maxCounted+1)
	for _, d := range degree {
		byDegree[min(d, maxCounted)]++
	}
	least, sum := uint32(maxCounted), byDegree[maxCounted]
	for least > leastDegree && sum+byDegree[least-1] <= want {
		least--
		sum += byDegree[least]
	}
	for v, d := range degree {
		if d >= least {
			hubs = append(hubs, engine.Label(v))
		}
	}
	slices.SortStableFunc(hubs, func(x, y engine.Label) int { return int(degree[y]) - int(degree[x]) })
	return hubs[:max(0, min(int64(len(hubs)), want))]
}

// packNeighbors fills FirstNeighbor and NextNeighbors.
func (b *builder) packNeighbors() error {
	g := b.g
	n := len(g.Offsets) - 1
	vertices, hubs := uint32(b.of.Vertices), uint32(len(g.Hubs))
	return b.team.For(b.ctx, n, 1024, func(_, lo, hi int) {
		priority := b.priority
		for r := lo; r < hi; r++ {
			row := g.Neighbors[g.Offsets[r]:g.Offsets[r+1]]
			var best [5]uint32         // priorities, highest first
			var labels [5]engine.Label // of best
			least := uint32(0)
			for _, v := range row {
				k := priority[v]
				if k <= least {
					continue
				}
				i := 4
				for ; i > 0 && best[i-1] < k; i-- {
					best[i], labels[i] = best[i-1], labels[i-1]
				}
				best[i], labels[i] = k, v
				least = best[4]
			}
			for i := len(row); i < 5; i++ {
				labels[i] = labels[i-1]
			}
			first := labels[0]
			if h := engine.None - best[0]; h < hubs {
				first = vertices + h
			}
			g.FirstNeighbor[r] = first
			g.NextNeighbors[r] = [4]engine.Label(labels[1:])
		}
	})
}
