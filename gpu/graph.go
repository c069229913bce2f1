//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"graph500/engine"
	"graph500/kernels/construct"
)

// Construct builds the rows of each GPU's range of labels (kernel 1), for each kernel of the
// jobs. It returns the facts of the graph.
func (e *Engine) Construct(ctx context.Context) (info engine.Graph, err error) {
	err = e.inPhase("construction", func() (err error) {
		for _, k := range engine.Kernels() {
			if !e.has(k) {
				continue
			}
			if e.graphs[k], err = construct.Build(ctx, e.team, e.graphInput(), e.planner.form(k, e.jobs[0].Job, e.layout)); err != nil {
				delete(e.graphs, k)
				return errors.Join(err, e.closeGraphs())
			}
		}
		info, e.ranges = e.graphInfo(), e.anyGraph()[0].Ranges
		return nil
	})
	return info, err
}

// graphInput returns what kernel 1 makes a graph of.
func (e *Engine) graphInput() construct.Input {
	in := construct.Input{Vertices: e.vertices}
	for _, m := range e.members {
		tuples := m.tuples
		if m.all != nil {
			tuples = m.all
		}
		in.Tuples, in.Tails, in.ArcTails = append(in.Tuples, tuples), append(in.Tails, m.tails), append(in.ArcTails, m.arcTails)
	}
	return in
}

// graphInfo returns the facts of the whole graph. If there are two, they are those of the graph
// of BFS, with the shorter prefix of both and the bytes of host memory that both take.
func (e *Engine) graphInfo() (info engine.Graph) {
	info = e.anyGraph()[0].Info
	if paths := e.graphs[engine.SSSP]; paths != nil && e.graphs[engine.BFS] != nil {
		if info.Prefix = min(info.Prefix, paths[0].Info.Prefix); e.layout.byHubs {
			info.Prefix = paths[0].Info.Prefix
		}
		info.HostBytes += paths[0].Info.HostBytes
	}
	return info
}

// anyGraph returns the graph of a kernel, of BFS if there are two.
func (e *Engine) anyGraph() []*construct.Graph {
	if graphs := e.graphs[engine.BFS]; graphs != nil {
		return graphs
	}
	return e.graphs[engine.SSSP]
}

// Usable returns for each vertex whether it has an edge other than a self loop.
func (e *Engine) Usable(_ context.Context, vertices []engine.Vertex) ([]bool, error) {
	asked, places := make([][]engine.Vertex, len(e.ranges)), make([][]int, len(e.ranges))
	for i, v := range vertices {
		k := slices.IndexFunc(e.ranges, func(r construct.Range) bool { return uint64(v) < r.End })
		if k < 0 {
			return nil, fmt.Errorf("gpu: vertex %d is not among 0..%d", v, int64(e.vertices)-1)
		}
		asked[k], places[k] = append(asked[k], v), append(places[k], i)
	}
	found := make([]int64, len(vertices)) // 1 on the rank of the vertex if it is usable
	err := e.inPhase("look-up of vertices", func() error {
		for i, g := range e.anyGraph() {
			k := e.team.First() + i
			has, err := g.Has(asked[k])
			if err != nil {
				return err
			}
			for j, at := range places[k] {
				if has[j] {
					found[at] = 1
				}
			}
		}
		return e.team.Sum(found)
	})
	usable := make([]bool, len(vertices))
	for i, n := range found {
		usable[i] = n > 0
	}
	return usable, err
}

// closeGraphs frees the graphs.
func (e *Engine) closeGraphs() error {
	var errs []error
	for _, k := range slices.Backward(engine.Kernels()) {
		for _, g := range slices.Backward(e.graphs[k]) {
			errs = append(errs, g.Close())
		}
		delete(e.graphs, k)
	}
	return errors.Join(errs...)
}
