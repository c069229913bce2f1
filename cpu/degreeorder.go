package cpu

import (
	"context"
	"math"
	"slices"
	"sort"

	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
	"graph500/parallel"
)

// degreeOrder is a copy of the rows of a weighted graph in which vertices are numbered by
// falling degree. Most arcs lead to few vertices of high degree, whose entries in an array by
// number are side by side, in the caches.
type degreeOrder struct {
	labels  []engine.Label // by number
	numbers []engine.Label // by label, of vertices with a row
	offsets []uint64       // n+1 entries
	arcs    []graph.Arc    // lead to numbers, which fall along a row
}

// arrays declares the arrays.
func (r *degreeOrder) arrays(z size) []memory.Declared {
	const name = "rows in the order of the degrees"
	return []memory.Declared{
		memory.Of(&r.labels, name, z.rows), memory.Of(&r.numbers, name, z.owned),
		memory.Of(&r.offsets, name, z.rows+1), memory.Of(&r.arcs, name, z.arcs),
	}
}

// fill copies the rows of a graph. keys holds n elements, which it overwrites.
func (r *degreeOrder) fill(ctx context.Context, team *parallel.Team, g *graph.WeightedCSR, keys []uint64) error {
	n := 0
	for v := range engine.Label(g.Info.Vertices) {
		if row := g.ArcsOf(v); len(row) > 0 {
			keys[n] = uint64(math.MaxUint32-uint32(len(row)))<<32 | uint64(v)
			n++
		}
	}
	slices.Sort(keys)
	for i, k := range keys {
		v := engine.Label(k)
		r.labels[i], r.numbers[v] = v, engine.Label(i)
		r.offsets[i+1] = r.offsets[i] + uint64(len(g.ArcsOf(v)))
	}
	sorting := make([][]uint64, team.Size())
	return team.For(ctx, len(keys), 1<<10, func(worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			sorting[worker] = r.fillRow(engine.Label(i), g.ArcsOf(r.labels[i]), sorting[worker])
		}
	})
}

// fillRow writes the row of a number, whose arcs lead to labels. It sorts them as integers, falling
// number and weight in one, in the memory of keys, which it returns for the next row.
func (r *degreeOrder) fillRow(number engine.Label, arcs []graph.Arc, keys []uint64) []uint64 {
	keys = keys[:0]
	for _, arc := range arcs {
		keys = append(keys, uint64(^r.numbers[arc.To])<<32|uint64(math.Float32bits(arc.Weight)))
	}
	slices.Sort(keys)
	row := r.row(number)
	for k, key := range keys {
		row[k] = graph.Arc{To: ^engine.Label(key >> 32), Weight: math.Float32frombits(uint32(key))}
	}
	return keys
}

// leaves returns the first number of a vertex with one arc. All later ones have one, too.
func (r *degreeOrder) leaves() engine.Label {
	n := len(r.offsets) - 1
	return engine.Label(sort.Search(n, func(i int) bool { return r.offsets[i+1]-r.offsets[i] == 1 }))
}

// row returns the arcs of the vertex of a number.
func (r *degreeOrder) row(number engine.Label) []graph.Arc {
	return r.arcs[r.offsets[number]:r.offsets[number+1]]
}
