package graph

import (
	"context"
	"slices"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// Share is a part of a graph: the rows of consecutive vertices. In its CSR, rows, index
// and Leaves are those of vertices First..First+Owned-1, numbered from 0. Neighbors,
// Hubs and first neighbours are labels of the whole graph, and so are the facts in Info.
type Share struct {
	Vertices uint64 // of the whole graph
	First    uint64 // a multiple of 64
	Owned    uint64

	// Tuples and SelfLoops are the numbers of the whole graph.
	Tuples, SelfLoops int64

	// Gather returns the degrees of all vertices from those of all shares, in memory of
	// memory.Alloc. Own has Owned entries, or more that are 0.
	Gather func(own []uint32) ([]uint32, error)
	// Sum replaces values by their sums over all shares, Max by the largest ones.
	Sum, Max func(values []int64) error
}

// BuildShare constructs a share of a graph from its arcs, without self loops. U is a
// vertex of the share, numbered from 0, and V a label of the whole graph.
func BuildShare(ctx context.Context, team *parallel.Team, of Share, arcs []engine.Edge) (*CSR, error) {
	b := newBuilder(ctx, team, of.Owned, arcs)
	b.labels, b.oneWay = of.Vertices, true
	b.join = func() error { return b.joinShares(of) }
	return b.build()
}

// SharePlan is Plan for a share with the given numbers of own vertices, rows and arcs.
func SharePlan(vertices, owned, rows, arcs uint64, workers int) []engine.Allocation {
	plan := Plan(owned, rows, arcs/2, workers)
	i := slices.IndexFunc(plan, func(a engine.Allocation) bool { return a.Name == degreesName })
	plan[i].Bytes += 4 * vertices
	return plan
}

// joinShares replaces the facts and degrees of the share by those of the whole graph.
func (b *builder) joinShares(of Share) error {
	stored, most := int64(len(b.g.Neighbors)), []int64{b.g.Info.MaxDegree}
	sums := []int64{b.g.Info.Connected, stored, int64(len(b.edges))}
	if err := of.Sum(sums); err != nil {
		return err
	}
	if err := of.Max(most); err != nil {
		return err
	}
	b.g.Info = engine.Graph{
		Vertices:   int64(of.Vertices),
		Connected:  sums[0],
		Tuples:     of.Tuples,
		SelfLoops:  of.SelfLoops,
		Duplicates: (sums[2] - sums[1]) / 2,
		Arcs:       sums[1],
		MaxDegree:  most[0],
	}
	all, err := of.Gather(b.degree)
	if err != nil {
		return err
	}
	own := b.degree
	b.degree = all
	return memory.Free(own)
}
