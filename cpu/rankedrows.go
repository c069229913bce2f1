package cpu

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"

	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
	"graph500/parallel"
)

// rankedRows is a copy of the rows of a weighted graph in which vertices are numbered by
// falling degree. Most arcs lead to few vertices of high degree, whose entries in an array by
// number are side by side, in the caches.
type rankedRows struct {
	labels  []engine.Local // by number
	numbers []engine.Local // by label, of vertices with a row
	offsets []uint64       // n+1 entries
	arcs    []graph.Arc    // lead to numbers, which fall along a row
}

// rankRows copies the rows of a graph. keys holds n elements, which it overwrites.
func rankRows(ctx context.Context, team *parallel.Team, g *graph.WeightedCSR, keys []uint64) (r rankedRows, err error) {
	var errs [4]error
	r.labels, errs[0] = memory.Alloc[engine.Local](len(keys))
	r.numbers, errs[1] = memory.Alloc[engine.Local](int(g.Info.Vertices))
	r.offsets, errs[2] = memory.Alloc[uint64](len(keys) + 1)
	r.arcs, errs[3] = memory.Alloc[graph.Arc](len(g.Arcs))
	if err := errors.Join(errs[:]...); err != nil {
		return r, err
	}
	n := 0
	for v := range engine.Local(g.Info.Vertices) {
		if row := g.ArcsOf(v); len(row) > 0 {
			keys[n] = uint64(math.MaxUint32-uint32(len(row)))<<32 | uint64(v)
			n++
		}
	}
	slices.Sort(keys)
	for i, k := range keys {
		v := engine.Local(k)
		r.labels[i], r.numbers[v] = v, engine.Local(i)
		r.offsets[i+1] = r.offsets[i] + uint64(len(g.ArcsOf(v)))
	}
	size := team.Size()
	return r, team.For(ctx, size, 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			r.fill(g, r.part(i, size), r.part(i+1, size))
		}
	})
}

// part returns the first number of one of count parts with about as many arcs each.
func (r *rankedRows) part(i, count int) engine.Local {
	at := uint64(len(r.arcs)) / uint64(count) * uint64(i)
	if i == count {
		at = uint64(len(r.arcs))
	}
	n, _ := slices.BinarySearch(r.offsets, at)
	return engine.Local(n)
}

// fill writes the rows of the numbers first to end-1. Each arc is in the rows of both of its
// vertices: those of the largest number give each row its first arc, and so on.
func (r *rankedRows) fill(g *graph.WeightedCSR, first, end engine.Local) {
	next := slices.Clone(r.offsets[first:end])
	for to, v := range slices.Backward(r.labels) {
		for _, arc := range g.ArcsOf(v) {
			if n := r.numbers[arc.To]; first <= n && n < end {
				r.arcs[next[n-first]] = graph.Arc{To: engine.Local(to), Weight: arc.Weight}
				next[n-first]++
			}
		}
	}
}

// leaves returns the first number of a vertex with one arc. All later ones have one, too.
func (r *rankedRows) leaves() engine.Local {
	n := len(r.offsets) - 1
	return engine.Local(sort.Search(n, func(i int) bool { return r.offsets[i+1]-r.offsets[i] == 1 }))
}

// row returns the arcs of the vertex of a number.
func (r *rankedRows) row(number engine.Local) []graph.Arc {
	return r.arcs[r.offsets[number]:r.offsets[number+1]]
}

// rankedBytes returns the memory of the rows of a graph.
func rankedBytes(g size) uint64 { return 4*g.rows + 4*g.vertices + 8*(g.rows+1) + 8*g.arcs }

func (r *rankedRows) close() error {
	return errors.Join(memory.Free(r.labels), memory.Free(r.numbers), memory.Free(r.offsets), memory.Free(r.arcs))
}
