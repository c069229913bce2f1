package cpu

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
)

// exchangeTuples is the number of tuples of a rank in one round of exchanges.
const exchangeTuples = 1 << 20

// arcExchange sends the arcs of the tuples to the owners of their sources.
type arcExchange struct {
	engine *Engine
	// Both lists are by worker and rank and have the same order, in which the exchangers
	// deliver them.
	edges       [][][]engine.Edge
	weights     [][][]float32 // empty without weights
	sentEdges   *cluster.Exchanger[engine.Edge]
	sentWeights *cluster.Exchanger[float32] // nil without weights
	arcs        engine.Tuples               // received
	received    int                         // number of them
	first       engine.Label                // label of the first own vertex
}

// exchangeArcs returns the arcs whose sources this rank owns, with sources relative to
// the own range and with weights if the tuples have them, and the number of self loops of
// all ranks.
func (e *Engine) exchangeArcs(ctx context.Context) (arcs engine.Tuples, loops int64, err error) {
	rank, ranks := e.world.Rank(), e.world.Size()
	before, loops, err := e.countArcs(ctx)
	if err != nil {
		return arcs, 0, err
	}
	if e.loaded {
		e.ranges = e.ranges.Balanced(before)
		if err := e.world.Agree(ctx, e.checkRange(e.ranges.ArcsOf(rank, before))); err != nil {
			return arcs, 0, err
		}
	}
	first, _ := e.owned()
	x := &arcExchange{engine: e, first: engine.Label(first)}
	rounds := (int(e.all)/ranks + exchangeTuples) / exchangeTuples // the same on all ranks
	if err = x.allocate(int(e.ranges.ArcsOf(rank, before))); err == nil {
		err = x.run(ctx, rounds)
	}
	if err != nil {
		return engine.Tuples{}, 0, errors.Join(err, graph.FreeTuples(x.arcs))
	}
	return x.arcs, loops, nil
}

// arrays declares the arcs that a rank with a number of tuples gets, and the buffers of the
// exchange: parts, sent and received arcs, of each tuple two.
func (x *arcExchange) arrays(tuples, arcs uint64, weighted bool) memory.Group {
	buffered := 4 * 2 * min(tuples, exchangeTuples)
	g := memory.Group{Alive: engine.Construction, Arrays: []memory.Declared{
		memory.Grown("exchange buffers", 8*buffered), memory.Of(&x.arcs.Edges, "arcs", arcs),
	}}
	if weighted {
		g.Arrays = append(g.Arrays, memory.Grown("exchange buffers", 4*buffered), memory.Of(&x.arcs.Weights, "arcs", arcs))
	}
	return g
}

// allocate allocates room for the given number of arcs.
func (x *arcExchange) allocate(arcs int) error {
	w, weighted := x.engine.world, isWeighted(x.engine.jobs)
	for range x.engine.team.Size() {
		x.edges = append(x.edges, make([][]engine.Edge, w.Size()))
		if weighted {
			x.weights = append(x.weights, make([][]float32, w.Size()))
		}
	}
	x.sentEdges = cluster.NewExchanger[engine.Edge](w)
	if weighted {
		x.sentWeights = cluster.NewExchanger[float32](w)
	}
	return x.arrays(uint64(x.engine.tuples.Len()), uint64(arcs), weighted).Alloc()
}

// run sends the arcs of all own tuples in the given number of rounds.
func (x *arcExchange) run(ctx context.Context, rounds int) error {
	tuples := x.engine.tuples.Len()
	for round := range rounds {
		lo := min(round*exchangeTuples, tuples)
		if err := x.round(ctx, lo, min(lo+exchangeTuples, tuples)); err != nil {
			return err
		}
	}
	if x.received != len(x.arcs.Edges) {
		return fmt.Errorf("cpu: the ranks sent %d arcs instead of %d", x.received, len(x.arcs.Edges))
	}
	return nil
}

// round sends the arcs of the own tuples first..end-1 and stores what the other ranks send.
func (x *arcExchange) round(ctx context.Context, first, end int) error {
	x.sortByOwner(first, end)
	got, err := x.sentEdges.Exchange(ctx, x.edges...)
	if err != nil {
		return err
	}
	if len(got) > len(x.arcs.Edges)-x.received {
		return errors.New("cpu: the ranks sent more arcs than they counted")
	}
	for i, arc := range got {
		x.arcs.Edges[x.received+i] = engine.Edge{U: arc.U - x.first, V: arc.V}
	}
	if x.sentWeights != nil {
		weights, err := x.sentWeights.Exchange(ctx, x.weights...)
		if err != nil {
			return err
		}
		copy(x.arcs.Weights[x.received:], weights)
	}
	x.received += len(got)
	return nil
}

// sortByOwner stores both arcs of each of the own tuples first..end-1 in the lists of its
// worker for the ranks that own the sources.
func (x *arcExchange) sortByOwner(first, end int) {
	e, tuples := x.engine, x.engine.tuples
	e.team.Run(func(worker int) {
		edges := x.edges[worker]
		for r := range edges {
			edges[r] = edges[r][:0]
		}
		lo, hi := parallel.Split(end-first, len(x.edges), worker)
		for i := first + lo; i < first+hi; i++ {
			t := tuples.At(i)
			if t.U == t.V {
				continue
			}
			u, v := e.ranges.Owner(t.U), e.ranges.Owner(t.V)
			edges[u] = append(edges[u], t)
			edges[v] = append(edges[v], engine.Edge{U: t.V, V: t.U})
		}
		if x.sentWeights == nil {
			return
		}
		weights := x.weights[worker]
		for r := range weights {
			weights[r] = weights[r][:0]
		}
		for i := first + lo; i < first+hi; i++ {
			t := tuples.At(i)
			if t.U == t.V {
				continue
			}
			u, v := e.ranges.Owner(t.U), e.ranges.Owner(t.V)
			weights[u] = append(weights[u], tuples.Weights[i])
			weights[v] = append(weights[v], tuples.Weights[i])
		}
	})
}

// countArcs counts the arcs in the tuples of all ranks by block of their sources (package
// partition). It returns the number before each block, and that of all, and the number of self
// loops. A tuple with a label that the graph does not have is an error, the same on all ranks.
func (e *Engine) countArcs(ctx context.Context) (before []uint64, loops int64, err error) {
	vertices, shift := e.ranges.Vertices(), partition.BlockBits(e.ranges.Vertices())
	blocks := partition.Blocks(vertices)
	counts := make([][]int64, e.team.Size())
	var outside atomic.Int64 // tuples with such a label
	err = e.team.For(ctx, e.tuples.Len(), 1<<16, func(worker, lo, hi int) {
		if counts[worker] == nil {
			counts[worker] = make([]int64, blocks+1)
		}
		own := counts[worker]
		for i := lo; i < hi; i++ {
			t := e.tuples.At(i)
			switch {
			case uint64(max(t.U, t.V)) >= vertices:
				outside.Add(1)
			case t.U == t.V:
				own[blocks]++
			default:
				own[t.U>>shift]++
				own[t.V>>shift]++
			}
		}
	})
	if err != nil {
		return nil, 0, err
	}
	if outside.Load() > 0 {
		err = e.outOfRange()
	}
	if err := e.world.Agree(ctx, err); err != nil {
		return nil, 0, err
	}
	all := make([]int64, blocks+1)
	for _, own := range counts {
		for i, n := range own {
			all[i] += n
		}
	}
	if err := e.world.Sum(ctx, all); err != nil {
		return nil, 0, err
	}
	before = make([]uint64, blocks+1)
	for i, n := range all[:blocks] {
		before[i+1] = before[i] + uint64(n)
	}
	return before, all[blocks], nil
}

// checkRange returns an error if the graph of a range with that many arcs does not fit into this
// rank's share of the memory. The plan was made for ranges of equally many labels, and of these
// ranges one can have more.
func (e *Engine) checkRange(arcs uint64) error {
	free, err := memory.Available()
	if err != nil {
		return nil // unknown
	}
	free.Bytes /= e.world.OnHost()
	return e.misfit(arcs, free)
}

// misfit returns an error if the graph of the own range with that many arcs does not fit into that
// memory, beside the tuples.
func (e *Engine) misfit(arcs uint64, free memory.Limit) error {
	_, owned := e.owned()
	z := largest(e.jobs[0], e.world.Size())
	z.ranges, z.owned, z.arcs = e.ranges, owned, arcs
	z.rows = min(owned, arcs)
	strategies, beside := strategiesOf(e.jobs[0]), known(e.jobs[0].Beside)
	need := engine.Peak(e.basePlan(z, strategies, beside), engine.HostMemory)
	tuples := engine.Peak(graph.TupleArrays(new(engine.Tuples), z.tuples, isWeighted(e.jobs), z.wide).Plan(), engine.HostMemory)
	if need -= min(need, tuples); need > free.Bytes {
		return fmt.Errorf("cpu: the %d vertices with %d arcs of rank %d need %s of memory, %s are available to it (%s): take more ranks or fewer on a host",
			owned, arcs, e.world.Rank(), memory.Size(need), memory.Size(free.Bytes), free.Source)
	}
	return nil
}

// outOfRange returns the error for the first own tuple with a label that the graph does not
// have.
func (e *Engine) outOfRange() error {
	for i := range e.tuples.Len() {
		if t := e.tuples.At(i); uint64(max(t.U, t.V)) >= e.ranges.Vertices() {
			return fmt.Errorf("cpu: tuple %d (%d, %d) names a vertex beyond the last one, %d", e.first+uint64(i), t.U, t.V, int64(e.ranges.Vertices())-1)
		}
	}
	return nil
}
