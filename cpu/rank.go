package cpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
	"graph500/validate"
)

// Rank is the engine of one of several ranks. Each rank generates and keeps an equal part
// of the tuples, owns a range of vertices and stores their rows and results. All ranks
// make the same calls in the same order. It runs BFS with the default strategy.
type Rank struct {
	world  *cluster.World
	team   *parallel.Team
	tuples []engine.Edge // own part
	first  uint64        // index of the first own tuple
	all    uint64        // tuples of all ranks
	ranges partition.Ranges
	graph  *graph.CSR // see graph.Share
}

// NewRank returns the engine of a rank with the given number of workers; 0 means that the
// ranks on a host share its processors.
func NewRank(ctx context.Context, w *cluster.World, threads int) (*Rank, error) {
	if threads < 1 {
		sharing, err := w.Sharing(ctx)
		if err != nil {
			return nil, err
		}
		threads = max(1, runtime.GOMAXPROCS(0)/sharing)
	}
	return &Rank{world: w, team: parallel.NewTeam(threads)}, nil
}

// Info describes the engine.
func (e *Rank) Info() engine.Info { return infoOf(e.team) }

// Memory returns no limit: the engine has no device memory.
func (e *Rank) Memory() memory.Limit { return memory.Limit{} }

// CopyBandwidth returns 0: the engine has no device.
func (e *Rank) CopyBandwidth() (float64, error) { return 0, nil }

// Prepare does nothing: there is one strategy.
func (e *Rank) Prepare(context.Context, []engine.Job) error { return nil }

// Generate generates this rank's part of the tuples.
func (e *Rank) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) (err error) {
	if spec.Scale > engine.MaxScale {
		return fmt.Errorf("cpu: scale %d needs labels of more than %d bits", spec.Scale, labelBits)
	}
	ranks := e.world.Size()
	e.all, e.ranges = spec.Tuples(), partition.NewRanges(spec.Vertices(), ranks)
	lo, hi := parallel.Split(int(e.all), ranks, e.world.Rank())
	e.first = uint64(lo)
	if e.tuples, err = memory.Alloc[engine.Edge](hi - lo); err != nil {
		return err
	}
	return kronecker.New(spec).FillFrom(ctx, e.team, engine.Tuples{Edges: e.tuples}, e.first, func(done, total int64) {
		progress(done*int64(ranks), total*int64(ranks))
	})
}

// Load returns an error: the ranks do not read graphs.
func (e *Rank) Load(uint64, engine.Tuples) error {
	return errors.New("cpu: graphs from files do not run over several ranks")
}

// Tuples returns an error: no rank has all tuples.
func (e *Rank) Tuples(context.Context, func(engine.Tuples) error) error {
	return errors.New("cpu: no rank has all tuples")
}

// Construct sends every arc to the owner of its source and builds the rows of the own
// vertices (kernel 1).
func (e *Rank) Construct(ctx context.Context) (engine.Graph, error) {
	arcs, loops, err := e.exchangeArcs(ctx)
	if err != nil {
		return engine.Graph{}, err
	}
	first, owned := e.ranges.Range(e.world.Rank())
	e.graph, err = graph.BuildShare(ctx, e.team, graph.Share{
		Vertices: e.ranges.Vertices(), First: first, Owned: owned,
		Tuples: int64(e.all), SelfLoops: loops,
		Gather: func(own []uint32) ([]uint32, error) { return e.gatherDegrees(ctx, own) },
		Sum:    func(values []int64) error { return e.world.Sum(ctx, values) },
		Max:    func(values []int64) error { return e.world.Max(ctx, values) },
	}, arcs)
	if freeErr := memory.Free(arcs); err == nil {
		err = freeErr
	}
	if err != nil {
		return engine.Graph{}, err
	}
	return e.graph.Info, nil
}

// gatherDegrees returns the degrees of all vertices.
func (e *Rank) gatherDegrees(ctx context.Context, own []uint32) ([]uint32, error) {
	size := 64 * e.ranges.Words()
	part, err := memory.Alloc[uint32](size)
	if err != nil {
		return nil, err
	}
	copy(part, own)
	all, err := memory.Alloc[uint32](size * e.world.Size())
	if err == nil {
		err = cluster.Allgather(ctx, e.world, part, all)
	}
	if err != nil {
		return nil, errors.Join(err, memory.Free(all))
	}
	return all, memory.Free(part)
}

// Usable reports for each vertex whether it has an edge other than a self loop.
func (e *Rank) Usable(ctx context.Context, vertices []engine.Vertex) ([]bool, error) {
	first, _ := e.ranges.Range(e.world.Rank())
	found := make([]int64, len(vertices))
	for i, v := range vertices {
		if e.ranges.Owner(engine.Local(v)) == e.world.Rank() && e.graph.Has(engine.Local(uint64(v)-first)) {
			found[i] = 1
		}
	}
	if err := e.world.Max(ctx, found); err != nil {
		return nil, err
	}
	usable := make([]bool, len(vertices))
	for i := range usable {
		usable[i] = found[i] == 1
	}
	return usable, nil
}

// Close frees all memory and stops the workers. Searchers must be closed first.
func (e *Rank) Close() error {
	var err error
	if e.graph != nil {
		err = e.graph.Close()
	}
	err = errors.Join(err, memory.Free(e.tuples))
	e.team.Close()
	*e = Rank{}
	return err
}

// exchangeTuples is the number of tuples of a rank in one round of exchanges.
const exchangeTuples = 1 << 20

// exchangeArcs returns the arcs whose sources this rank owns, with sources relative to
// the own range, and the number of self loops of all ranks.
func (e *Rank) exchangeArcs(ctx context.Context) (arcs []engine.Edge, loops int64, err error) {
	rank, ranks := e.world.Rank(), e.world.Size()
	counts, err := e.countArcs(ctx)
	if err != nil {
		return nil, 0, err
	}
	if arcs, err = memory.Alloc[engine.Edge](int(counts[rank])); err != nil {
		return nil, 0, err
	}
	parts := make([][][]engine.Edge, e.team.Size())
	for worker := range parts {
		parts[worker] = make([][]engine.Edge, ranks)
	}
	exchanger := cluster.NewExchanger[engine.Edge](e.world)
	first, _ := e.ranges.Range(rank)
	base, at := engine.Local(first), 0
	rounds := (int(e.all)/ranks + exchangeTuples) / exchangeTuples // the same on all ranks
	for round := range rounds {
		lo := min(round*exchangeTuples, len(e.tuples))
		hi := min(lo+exchangeTuples, len(e.tuples))
		e.sortByOwner(e.tuples[lo:hi], parts)
		got, err := exchanger.Exchange(ctx, parts...)
		if err != nil {
			return nil, 0, errors.Join(err, memory.Free(arcs))
		}
		if len(got) > len(arcs)-at {
			return nil, 0, errors.Join(errors.New("cpu: the ranks sent more arcs than they counted"), memory.Free(arcs))
		}
		for i, arc := range got {
			arcs[at+i] = engine.Edge{U: arc.U - base, V: arc.V}
		}
		at += len(got)
	}
	if at != len(arcs) {
		return nil, 0, errors.Join(fmt.Errorf("cpu: the ranks sent %d arcs instead of %d", at, len(arcs)), memory.Free(arcs))
	}
	return arcs, counts[ranks], nil
}

// countArcs returns the number of arcs of each rank's vertices in the tuples of all
// ranks, and in the last entry the number of self loops.
func (e *Rank) countArcs(ctx context.Context) ([]int64, error) {
	counts := make([]int64, e.world.Size()+1)
	err := e.team.For(ctx, len(e.tuples), 1<<16, func(_, lo, hi int) {
		own := make([]int64, len(counts))
		for _, t := range e.tuples[lo:hi] {
			if t.U == t.V {
				own[len(own)-1]++
				continue
			}
			own[e.ranges.Owner(t.U)]++
			own[e.ranges.Owner(t.V)]++
		}
		for i, n := range own {
			atomic.AddInt64(&counts[i], n)
		}
	})
	if err != nil {
		return nil, err
	}
	return counts, e.world.Sum(ctx, counts)
}

// sortByOwner stores both arcs of each tuple in the part of its worker and of the rank
// that owns the source.
func (e *Rank) sortByOwner(tuples []engine.Edge, parts [][][]engine.Edge) {
	e.team.Run(func(worker int) {
		own := parts[worker]
		for r := range own {
			own[r] = own[r][:0]
		}
		lo, hi := parallel.Split(len(tuples), len(parts), worker)
		for _, t := range tuples[lo:hi] {
			if t.U == t.V {
				continue
			}
			u, v := e.ranges.Owner(t.U), e.ranges.Owner(t.V)
			own[u] = append(own[u], t)
			own[v] = append(own[v], engine.Edge{U: t.V, V: t.U})
		}
	})
}

// Plan lists the memory of this rank for a job.
func (e *Rank) Plan(job engine.Job) []engine.Allocation {
	ranks := uint64(e.world.Size())
	ranges := partition.NewRanges(job.Vertices, e.world.Size())
	owned, words := 64*uint64(ranges.Words()), uint64(ranges.Words())
	tuples := (job.Tuples + ranks - 1) / ranks
	buffers := 4 * 2 * 8 * min(tuples, exchangeTuples) // parts, sent and received arcs, of each tuple two
	plan := []engine.Allocation{
		{Name: "tuples", Bytes: 8 * tuples},
		{Name: "exchange buffers", Bytes: buffers, Phase: engine.Construction},
		{Name: "arcs", Bytes: 16 * tuples, Phase: engine.Construction},
	}
	plan = append(plan, graph.SharePlan(job.Vertices, owned, min(owned, 2*tuples), 2*tuples, e.team.Size())...)
	return append(plan,
		engine.Allocation{Name: "results (bfs)", Bytes: 4 * owned, Phase: engine.Searching},
		engine.Allocation{Name: "frontier queues", Bytes: 8 * owned, Phase: engine.Searching},
		engine.Allocation{Name: "visited bitmaps", Bytes: 8 * words * (2*ranks + 1), Phase: engine.Searching},
		engine.Allocation{Name: "validation (bfs)", Bytes: validate.RankBytes(ranges), Phase: engine.Searching})
}
