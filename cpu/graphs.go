package cpu

import (
	"errors"
	"slices"

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

// info returns the facts of the graph, of that of BFS if there are two.
func (g *graphs) info() engine.Graph {
	if g.graph != nil {
		return g.graph.Info
	}
	return g.weightedGraph.Info
}

// index returns the row index of a graph.
func (g *graphs) index() *graph.Index {
	if g.graph != nil {
		return &g.graph.Index
	}
	return &g.weightedGraph.Index
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
