//go:build cuda

package construct

import (
	"cmp"
	"math"
	"slices"

	"graph500/engine"
)

// reference is a graph in host memory, built the plain way.
type reference struct {
	vertices uint64
	tuples   engine.Tuples
	info     engine.Graph     // ByDegree
	counts   []int            // tuples at each vertex, without self loops
	lists    [][]engine.Label // distinct neighbours, in the order ByDegree
	arcs     [][]Arc          // to labels, in the order ByWeight and then of the labels
	hubs     []engine.Label   // all vertices with a row, in the order ByDegree
}

// newReference builds the graph. Tuples may have no weights.
func newReference(vertices uint64, tuples engine.Tuples) *reference {
	r := &reference{vertices: vertices, tuples: tuples, counts: make([]int, vertices), lists: make([][]engine.Label, vertices), arcs: make([][]Arc, vertices)}
	r.info = engine.Graph{Vertices: int64(vertices), Tuples: int64(len(tuples.Edges))}
	for i, e := range tuples.Edges {
		if e.U == e.V {
			r.info.SelfLoops++
			continue
		}
		var weight float32
		if tuples.Weights != nil {
			weight = tuples.Weights[i]
		}
		for _, arc := range [][2]engine.Label{{e.U, e.V}, {e.V, e.U}} {
			r.counts[arc[0]]++
			r.lists[arc[0]] = append(r.lists[arc[0]], arc[1])
			r.arcs[arc[0]] = append(r.arcs[arc[0]], Arc{arc[1], weight})
		}
	}
	for v := range vertices {
		slices.SortFunc(r.lists[v], r.byCount)
		r.lists[v] = slices.Compact(r.lists[v])
		slices.SortFunc(r.arcs[v], compareArcs)
		if r.counts[v] > 0 {
			r.hubs = append(r.hubs, engine.Label(v))
		}
		r.info.Arcs += int64(len(r.lists[v]))
		r.info.MaxDegree = max(r.info.MaxDegree, int64(len(r.lists[v])))
	}
	slices.SortFunc(r.hubs, r.byCount)
	r.info.Connected = int64(len(r.hubs))
	r.info.Duplicates = r.info.Tuples - r.info.SelfLoops - r.info.Arcs/2
	return r
}

// byCount orders vertices by falling number of tuples, then by label.
func (r *reference) byCount(a, b engine.Label) int {
	return cmp.Or(cmp.Compare(r.counts[b], r.counts[a]), cmp.Compare(a, b))
}

// compareArcs orders arcs by weight, then by neighbour.
func compareArcs(a, b Arc) int {
	return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.To, b.To))
}

// infoOf returns the facts of the graph in a form, but for where tuples and tails are.
func (r *reference) infoOf(f Form) engine.Graph {
	info := r.info
	if f.Order == ByWeight {
		info.Arcs, info.Duplicates, info.MaxDegree = 2*(info.Tuples-info.SelfLoops), 0, int64(slices.Max(append(r.counts, 0)))
	}
	return info
}

// degree returns the number of entries of the row of a vertex.
func (r *reference) degree(f Form, v uint64) int {
	if f.Order == ByWeight {
		return len(r.arcs[v])
	}
	return len(r.lists[v])
}

// needOf returns the words and the sectors that rows of these degrees take.
func needOf(degrees []int, prefix int) (words, sectors int) {
	for _, degree := range degrees {
		if degree <= prefix {
			words += degree
			continue
		}
		words += prefix + 1
		sectors += (degree - prefix + SectorArcs - 1) / SectorArcs
	}
	return words, sectors
}

// ranges returns the ranges of labels of the devices.
func (r *reference) ranges(f Form) []Range {
	ranges := Ranges(r.vertices, f.Devices)
	if !f.Balanced {
		return ranges
	}
	before := make([]uint64, tilesOf(r.vertices, tileLabels)+1)
	for tile := range len(before) - 1 {
		arcs, _ := needOf(r.counts[tile*tileLabels:min((tile+1)*tileLabels, len(r.counts))], math.MaxInt)
		before[tile+1] = before[tile] + uint64(arcs)
	}
	return balanced(ranges, before)
}

// longestPrefix returns the longest prefix, up to the largest degree of all, with which the rows
// of every range fit into words.
func (r *reference) longestPrefix(f Form) int {
	if f.Split.NoPrefix {
		return 0
	}
	longest := max(LeastPrefix, slices.Max(append(r.counts, 0)))
	for _, labels := range r.ranges(f) {
		for ; longest > LeastPrefix; longest-- {
			if words, _ := needOf(r.counts[labels.First:labels.End], longest); uint64(words) <= f.Split.Words {
				break
			}
		}
	}
	return longest
}
