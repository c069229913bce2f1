package graph

import (
	"graph500/engine"
)

// Share is the part of a graph that a process builds: the rows of consecutive vertices, or the
// whole graph. In the CSR or WeightedCSR of a part, rows and index are those of vertices
// First..First+Owned-1, numbered from 0. Neighbours are labels of the whole graph. Info has facts of
// the whole graph. The tuples of a part are its arcs: U is one of its vertices, numbered from 0, V a
// label of the whole graph, and none is a self loop.
type Share struct {
	Vertices uint64 // of the whole graph
	Owned    uint64 // of the share
	Shares   int    // number of shares; 1 for the whole graph
	Number   int    // of the share, from 0

	// The others are for parts of a graph.

	First             uint64 // label of the first vertex, a multiple of 64
	Tuples, SelfLoops int64  // numbers of the whole graph

	// Gather sets all to the own parts of all shares, one after the other.
	Gather func(own, all []uint32) error
	// Sum replaces values by their sums over all shares, Max by the largest ones.
	Sum, Max func(values []int64) error
}

// WholeGraph returns the share that is a whole graph.
func WholeGraph(vertices uint64) Share { return Share{Vertices: vertices, Owned: vertices, Shares: 1} }

// isPart reports whether there are other shares.
func (of Share) isPart() bool { return of.Shares > 1 }

// padded returns the number of own vertices in whole bitmap words.
func (of Share) padded() uint64 { return 64 * wordsOf(of.Owned) }

// join returns the facts of the whole graph from those of a share with the given number of
// arcs before construction.
func (of Share) join(own engine.Graph, arcs int) (engine.Graph, error) {
	if !of.isPart() {
		return own, nil
	}
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
