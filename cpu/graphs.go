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
	graph         *graph.CSR         // of BFS, nil if no strategy needs it
	byHubs        *graph.ByHubs      // of BFS, nil if no strategy needs it
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
	return info, errors.Join(err, graph.FreeTuples(arcs))
}

// build builds a share of the graph in the forms that the jobs need.
func (e *Engine) build(ctx context.Context, of graph.Share, tuples engine.Tuples) (info engine.Graph, err error) {
	if hasBFS(e.jobs) {
		if e.graph, err = graph.Build(ctx, e.team, of, tuples); err != nil {
			return info, err
		}
		if rows, byHubs := e.forms(); byHubs {
			e.byHubs, err = e.graph.ByHubs(ctx, e.team, graph.HubFormOf(of.Owned, e.team.Size()), rows)
			if !rows {
				err = errors.Join(err, e.graph.Close())
				e.graph = nil
			}
			if err != nil {
				return info, err
			}
		}
	}
	if isWeighted(e.jobs) {
		if e.weightedGraph, err = graph.BuildWeighted(ctx, e.team, of, tuples); err != nil {
			return info, err
		}
	}
	return e.info(), nil
}

// forms reports whether the strategies of BFS need the rows of the graph, and the graph ordered
// by hubs. Without jobs, or with jobs without a strategy, there are both.
func (e *Engine) forms() (rows, byHubs bool) {
	var all []strategy
	for _, j := range e.jobs {
		all = append(all, strategiesOf(j)...)
	}
	if len(all) == 0 {
		return true, true
	}
	return formsOf(all, e.world.Size(), e.policy())
}

// formsOf is forms for a list of strategies, a number of ranks and a policy; without a strategy of
// BFS there are the rows.
func formsOf(strategies []strategy, ranks int, policy string) (rows, byHubs bool) {
	for _, s := range strategies {
		if s.Kernel == engine.BFS {
			hubs := s.searchesByHubs(ranks, policy)
			rows, byHubs = rows || !hubs, byHubs || hubs
		}
	}
	return rows || !byHubs, byHubs
}

// share describes the own part of the graph, of which the given number of tuples are self
// loops.
func (e *Engine) share(ctx context.Context, loops int64) graph.Share {
	first, owned := e.owned()
	return graph.Share{
		Vertices: e.ranges.Vertices(), Shares: e.world.Size(), Number: e.world.Rank(),
		First: first, Owned: owned,
		Tuples: int64(e.all), SelfLoops: loops,
		Gather: func(own, all []uint32) error { return cluster.GatherAll(ctx, e.world, own, all) },
		Sum:    func(values []int64) error { return e.world.Sum(ctx, values) },
		Max:    func(values []int64) error { return e.world.Max(ctx, values) },
	}
}

// info returns the facts of the graph, of that of BFS if there are two.
func (g *graphs) info() engine.Graph {
	switch {
	case g.graph != nil:
		return g.graph.Info
	case g.byHubs != nil:
		return g.byHubs.Info
	}
	return g.weightedGraph.Info
}

// has reports whether an own vertex, numbered from 0, has a neighbour.
func (g *graphs) has(v engine.Label) bool {
	switch {
	case g.graph != nil:
		return g.graph.Has(v)
	case g.byHubs != nil:
		return g.byHubs.Has(v)
	}
	return g.weightedGraph.Has(v)
}

// rowsOf returns the numbers of own rows and of their arcs in the graph of a kernel.
func (g *graphs) rowsOf(k engine.Kernel) (rows, arcs uint64) {
	var offsets []uint64
	switch {
	case k == engine.SSSP:
		offsets = g.weightedGraph.Offsets
	case g.graph != nil:
		offsets = g.graph.Offsets
	default:
		return uint64(g.byHubs.Connected), uint64(g.byHubs.Arcs)
	}
	return uint64(len(offsets) - 1), offsets[len(offsets)-1]
}

// closeGraphs frees the memory of the graphs.
func (g *graphs) closeGraphs() error {
	var errs []error
	if g.graph != nil {
		errs = append(errs, g.graph.Close())
	}
	if g.byHubs != nil {
		errs = append(errs, g.byHubs.Close())
	}
	if g.weightedGraph != nil {
		errs = append(errs, g.weightedGraph.Close())
	}
	return errors.Join(errs...)
}
