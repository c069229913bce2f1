package cpu

import (
	"context"
	"errors"
	"slices"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
)

// graphs holds the graph in the forms that the kernels of a run need.
type graphs struct {
	graph         *graph.CSR         // of BFS, nil without it
	weightedGraph *graph.WeightedCSR // of SSSP, nil without it
}

// isWeighted reports whether a job needs weights.
func isWeighted(jobs []engine.Job) bool { return slices.ContainsFunc(jobs, engine.Job.Weighted) }

// hasBFS reports whether a job searches with BFS, or no job tells.
func hasBFS(jobs []engine.Job) bool {
	return !isWeighted(jobs) || slices.ContainsFunc(jobs, func(j engine.Job) bool { return j.Strategy(engine.BFS).Name != "" })
}

// Construct builds the rows of the own vertices for each kernel of the jobs (kernel 1). Several
// ranks first send every arc to the owner of its source.
func (e *Engine) Construct(ctx context.Context) (info engine.Graph, err error) {
	if e.world.Size() == 1 {
		return e.build(ctx, graph.WholeGraph(e.ranges.Vertices()), e.tuples)
	}
	arcs, loops, err := e.exchangeArcs(ctx)
	if err != nil {
		return info, err
	}
	info, err = e.build(ctx, e.share(ctx, loops), arcs)
	return info, errors.Join(err, freeTuples(arcs))
}

// build builds a share of the graph in the forms that the jobs need.
func (e *Engine) build(ctx context.Context, of graph.Share, tuples engine.Tuples) (info engine.Graph, err error) {
	if hasBFS(e.jobs) {
		if e.graph, err = graph.Build(ctx, e.team, of, tuples); err != nil {
			return info, err
		}
	}
	if isWeighted(e.jobs) {
		if e.weightedGraph, err = graph.BuildWeighted(ctx, e.team, of, tuples); err != nil {
			return info, err
		}
	}
	return e.info(), nil
}

// share describes the own part of the graph, of which the given number of tuples are self
// loops.
func (e *Engine) share(ctx context.Context, loops int64) graph.Share {
	first, owned := e.owned()
	return graph.Share{
		Vertices: e.ranges.Vertices(), Shares: e.world.Size(),
		First: first, Owned: owned, Padded: 64 * uint64(e.ranges.Words()),
		Tuples: int64(e.all), SelfLoops: loops,
		Gather: func(own, all []uint32) error { return cluster.Allgather(ctx, e.world, own, all) },
		Sum:    func(values []int64) error { return e.world.Sum(ctx, values) },
		Max:    func(values []int64) error { return e.world.Max(ctx, values) },
	}
}

// info returns the facts of the graph, of that of BFS if there are two.
func (g *graphs) info() engine.Graph {
	if g.graph != nil {
		return g.graph.Info
	}
	return g.weightedGraph.Info
}

// index returns the row index of a graph, of that of BFS if there are two.
func (g *graphs) index() *graph.Index {
	if g.graph != nil {
		return &g.graph.Index
	}
	return &g.weightedGraph.Index
}

// indexOf returns the row index of the graph of a kernel.
func (g *graphs) indexOf(k engine.Kernel) *graph.Index {
	if k == engine.SSSP {
		return &g.weightedGraph.Index
	}
	return &g.graph.Index
}

// closeGraphs frees the memory of the graphs.
func (g *graphs) closeGraphs() error {
	var errs []error
	if g.graph != nil {
		errs = append(errs, g.graph.Close())
	}
	if g.weightedGraph != nil {
		errs = append(errs, g.weightedGraph.Close())
	}
	return errors.Join(errs...)
}
