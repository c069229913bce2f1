package cpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
	"graph500/validate"
)

// Rank is the engine of one of several ranks. Each rank makes or loads an equal part
// of the tuples, owns a range of vertices and stores their rows and results. All ranks
// make the same calls in the same order. It runs the default strategy of each kernel.
type Rank struct {
	world  *cluster.World
	team   *parallel.Team
	jobs   []engine.Job  // of Prepare
	tuples engine.Tuples // own part
	first  uint64        // index of the first own tuple
	all    uint64        // tuples of all ranks
	ranges partition.Ranges
	graphs // see graph.Share
}

// NewRank returns the engine of a rank with the given number of workers; 0 means that the
// ranks on a host share its processors.
func NewRank(ctx context.Context, w *cluster.World, threads int) (*Rank, error) {
	team, err := NewTeam(ctx, w, threads)
	if err != nil {
		return nil, err
	}
	return &Rank{world: w, team: team}, nil
}

// NewTeam returns a rank's team with the given number of workers; 0 means that the ranks on a
// host share its processors.
func NewTeam(ctx context.Context, w *cluster.World, threads int) (*parallel.Team, error) {
	if threads < 1 {
		sharing, err := w.Sharing(ctx)
		if err != nil {
			return nil, err
		}
		threads = max(1, runtime.GOMAXPROCS(0)/sharing)
	}
	return parallel.NewTeam(threads), nil
}

// Info describes the engine.
func (e *Rank) Info() engine.Info { return infoOf(e.team) }

// Memory returns no limit: the engine has no device memory.
func (e *Rank) Memory() memory.Limit { return memory.Limit{} }

// CopyBandwidth returns 0: the engine has no device.
func (e *Rank) CopyBandwidth() (float64, error) { return 0, nil }

// DevicePeak returns 0: there is no device.
func (e *Rank) DevicePeak() uint64 { return 0 }

// Prepare stores the jobs, which tell the kernels, as Engine.Prepare does.
func (e *Rank) Prepare(_ context.Context, jobs []engine.Job) error {
	e.jobs = jobs
	return nil
}

// Generate generates this rank's part of the tuples, with their weights if a job needs them.
func (e *Rank) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) (err error) {
	if spec.Scale > engine.MaxScale {
		return fmt.Errorf("cpu: scale %d needs labels of more than %d bits", spec.Scale, labelBits)
	}
	ranks, own := e.world.Size(), e.divide(spec.Vertices(), spec.Tuples())
	if e.tuples, err = allocTuples(uint64(own), isWide(e.jobs)); err != nil {
		return err
	}
	if isWeighted(e.jobs) {
		if e.tuples.Weights, err = memory.Alloc[float32](own); err != nil {
			return err
		}
	}
	return kronecker.New(spec).FillFrom(ctx, e.team, e.tuples, e.first, func(done, total int64) {
		progress(done*int64(ranks), total*int64(ranks))
	})
}

// Load takes ownership of this rank's part of the tuples of the job (parallel.Split). They
// get labels of 48 bits if the job needs them.
func (e *Rank) Load(_ context.Context, vertices uint64, tuples engine.Tuples) (err error) {
	if vertices > validate.MaxVertices {
		return fmt.Errorf("cpu: %d vertices need labels of more than %d bits", vertices, labelBits)
	}
	if len(e.jobs) == 0 {
		return errors.New("cpu: no job tells the number of tuples")
	}
	own := e.divide(vertices, e.jobs[0].Tuples)
	switch {
	case len(tuples.Edges) != own:
		return fmt.Errorf("cpu: %d tuples for a part of %d", len(tuples.Edges), own)
	case isWeighted(e.jobs) && len(tuples.Weights) != own:
		return fmt.Errorf("cpu: %d weights for %d tuples", len(tuples.Weights), own)
	}
	if isWide(e.jobs) {
		if tuples, err = widen(e.team, tuples); err != nil {
			return errors.Join(err, freeTuples(tuples))
		}
	}
	e.tuples = tuples
	return nil
}

// divide divides vertices and tuples between the ranks. It returns the number of own tuples.
func (e *Rank) divide(vertices, tuples uint64) (own int) {
	e.all, e.ranges = tuples, partition.NewRanges(vertices, e.world.Size())
	lo, hi := parallel.Split(int(tuples), e.world.Size(), e.world.Rank())
	e.first = uint64(lo)
	return hi - lo
}

// Tuples passes the own part of the tuples to yield, like Engine.Tuples.
func (e *Rank) Tuples(ctx context.Context, yield func(engine.Tuples) error) error {
	return inBlocks(ctx, e.tuples, yield)
}

// AllTuples returns an error: no rank has all tuples.
func (e *Rank) AllTuples(context.Context, func(engine.Tuples) error) error {
	return errors.New("cpu: no rank has all tuples")
}

// Construct sends every arc to the owner of its source and builds the rows of the own
// vertices for each kernel (kernel 1).
func (e *Rank) Construct(ctx context.Context) (info engine.Graph, err error) {
	arcs, loops, err := e.exchangeArcs(ctx)
	if err != nil {
		return info, err
	}
	if hasBFS(e.jobs) {
		e.graph, err = graph.BuildShare(ctx, e.team, e.share(ctx, loops), arcs.Edges)
	}
	if err == nil && isWeighted(e.jobs) {
		e.weightedGraph, err = graph.BuildWeightedShare(ctx, e.team, e.share(ctx, loops), arcs)
	}
	if err = errors.Join(err, memory.Free(arcs.Edges), memory.Free(arcs.Weights)); err != nil {
		return info, err
	}
	return e.info(), nil
}

// share describes the own part of the graph, of which the given number of tuples are self
// loops.
func (e *Rank) share(ctx context.Context, loops int64) graph.Share {
	first, owned := e.ranges.Range(e.world.Rank())
	return graph.Share{
		Vertices: e.ranges.Vertices(), First: first, Owned: owned,
		Tuples: int64(e.all), SelfLoops: loops,
		Gather: func(own []uint32) ([]uint32, error) { return e.gatherDegrees(ctx, own) },
		Sum:    func(values []int64) error { return e.world.Sum(ctx, values) },
		Max:    func(values []int64) error { return e.world.Max(ctx, values) },
	}
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

// Rows returns the own rows of the graph of BFS, numbered from 0, and the ranges of all ranks.
func (e *Rank) Rows() (partition.Ranges, *graph.CSR) { return e.ranges, e.graph }

// Usable reports for each vertex whether it has an edge other than a self loop.
func (e *Rank) Usable(ctx context.Context, vertices []engine.Vertex) ([]bool, error) {
	first, _ := e.ranges.Range(e.world.Rank())
	found := make([]int64, len(vertices))
	for i, v := range vertices {
		if e.ranges.Owner(engine.Local(v)) == e.world.Rank() && e.index().Has(engine.Local(uint64(v)-first)) {
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
	err := errors.Join(e.closeGraphs(), freeTuples(e.tuples))
	e.team.Close()
	*e = Rank{}
	return err
}
