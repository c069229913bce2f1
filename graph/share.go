package graph

import (
	"context"
	"slices"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// Share is a part of a graph: the rows of consecutive vertices. In its CSR or WeightedCSR,
// rows, index and Leaves are those of vertices First..First+Owned-1, numbered from 0.
// Neighbours and Hubs are labels of the whole graph. Info has facts of the
// whole graph.
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
	b := newBuilder(ctx, team, of.Owned, engine.Tuples{Edges: arcs})
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

// BuildWeightedShare constructs a share of a weighted graph from its arcs, like BuildShare.
// It does not use Gather.
func BuildWeightedShare(ctx context.Context, team *parallel.Team, of Share, arcs engine.Tuples) (*WeightedCSR, error) {
	b := newWeightedBuilder(ctx, team, of.Owned, arcs)
	b.labels, b.oneWay = of.Vertices, true
	b.join = func() error { return b.joinShares(of) }
	return b.build()
}

// joinShares replaces the facts and degrees of the share by those of the whole graph.
func (b *builder) joinShares(of Share) (err error) {
	if b.g.Info, err = of.join(b.g.Info, b.tuples.Len()); err != nil {
		return err
	}
	all, err := of.Gather(b.degree)
	if err != nil {
		return err
	}
	own := b.degree
	b.degree = all
	return memory.Free(own)
}

// joinShares replaces the facts of the share by those of the whole graph.
func (b *weightedBuilder) joinShares(of Share) (err error) {
	b.g.Info, err = of.join(b.g.Info, b.tuples.Len())
	return err
}

// join returns the facts of the whole graph from those of a share with the given number of
// arcs before construction.
func (of Share) join(own engine.Graph, arcs int) (engine.Graph, error) {
	sums, most := []int64{own.Connected, own.Arcs, int64(arcs)}, []int64{own.MaxDegree}
	if err := of.Sum(sums); err != nil {
		return own, err
	}
	if err := of.Max(most); err != nil {
		return own, err
	}
	return engine.Graph{
		Vertices:   int64(of.Vertices),
		Connected:  sums[0],
		Tuples:     of.Tuples,
		SelfLoops:  of.SelfLoops,
		Duplicates: (sums[2] - sums[1]) / 2,
		Arcs:       sums[1],
		MaxDegree:  most[0],
	}, nil
}
