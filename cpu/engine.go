// Package cpu is the engine that runs the kernels of the benchmark on the cores
// of one machine. If memory allows, it keeps the results of several searches, up
// to validate.BatchSize, and validates them with one pass over the tuples.
package cpu

import (
	"context"
	"errors"
	"fmt"

	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
	"graph500/validate"
)

// labelBits is the width of a vertex number in the arrays.
const labelBits = engine.LocalBits

// Engine holds one graph and a team of workers that search it. Its methods must
// not be called concurrently.
type Engine struct {
	team     *parallel.Team
	free     memory.Limit // free memory before the engine allocated any; Source is "" if it is unknown
	jobs     []engine.Job // of Prepare
	vertices uint64
	tuples   engine.Tuples
	graphs
}

// New returns an engine with the given number of workers; 0 means one worker per
// processor.
func New(threads int) *Engine {
	free, err := memory.Available()
	if err != nil {
		free = memory.Limit{} // the driver reports the error
	}
	return &Engine{team: parallel.NewTeam(threads), free: free}
}

// Info describes the engine, including the instruction set in use.
func (e *Engine) Info() engine.Info { return infoOf(e.team) }

// infoOf describes an engine with the given workers.
func infoOf(team *parallel.Team) engine.Info {
	hardware := "CPU, plain Go"
	if unit := vectorUnit(); unit != "" {
		hardware = "CPU with " + unit
	}
	return engine.Info{
		Name:        "cpu",
		Hardware:    hardware,
		Threads:     team.Size(),
		LabelBits:   labelBits,
		MaxVertices: validate.MaxVertices,
	}
}

// Memory returns no limit: the engine has no device memory.
func (e *Engine) Memory() memory.Limit { return memory.Limit{} }

// CopyBandwidth returns 0: the engine has no device.
func (e *Engine) CopyBandwidth() (float64, error) { return 0, nil }

// DevicePeak returns 0: there is no device.
func (e *Engine) DevicePeak() uint64 { return 0 }

// Prepare stores the jobs. Without jobs, or with jobs without a strategy, the engine
// constructs the graph of BFS.
func (e *Engine) Prepare(_ context.Context, jobs []engine.Job) error {
	e.jobs = jobs
	return nil
}

// jobOf returns the job with the strategy. A strategy in no job has a job of its own with
// the number of searches of the last one.
func (e *Engine) jobOf(of engine.Strategy) engine.Job {
	own := engine.Job{Strategies: []engine.Strategy{of}}
	for _, j := range e.jobs {
		if j.Strategy(of.Kernel).Name == of.Name {
			return j
		}
		own.Searches, own.Delta = j.Searches, j.Delta
	}
	return own
}

// Generate generates the tuples of a Kronecker graph (Graph500 specification).
func (e *Engine) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	if spec.Scale > engine.MaxScale {
		return fmt.Errorf("cpu: scale %d needs labels of more than %d bits", spec.Scale, labelBits)
	}
	tuples, err := allocTuples(spec.Tuples(), isWide(e.jobs))
	if err != nil {
		return err
	}
	if isWeighted(e.jobs) {
		if tuples.Weights, err = memory.Alloc[float32](tuples.Len()); err != nil {
			return errors.Join(err, freeTuples(tuples))
		}
	}
	if err := e.take(spec.Vertices(), tuples); err != nil {
		return err
	}
	return kronecker.New(spec).Fill(ctx, e.team, tuples, progress)
}

// Load takes ownership of tuples, which memory.Alloc must have allocated. They need
// weights if a job of Prepare does.
func (e *Engine) Load(_ context.Context, vertices uint64, tuples engine.Tuples) error {
	if isWide(e.jobs) {
		var err error
		if tuples, err = widen(e.team, tuples); err != nil {
			return errors.Join(err, freeTuples(tuples))
		}
	}
	return e.take(vertices, tuples)
}

// take is Load for tuples with labels of the width of the jobs.
func (e *Engine) take(vertices uint64, tuples engine.Tuples) error {
	if vertices > validate.MaxVertices {
		return fmt.Errorf("cpu: %d vertices need labels of more than %d bits", vertices, labelBits)
	}
	if e.tuples.Len() > 0 {
		return errors.New("cpu: tuples are loaded already")
	}
	if isWeighted(e.jobs) && len(tuples.Weights) != tuples.Len() {
		return fmt.Errorf("cpu: %d weights for %d tuples", len(tuples.Weights), tuples.Len())
	}
	e.vertices, e.tuples = vertices, tuples
	return nil
}

// Tuples passes all tuples to yield, in order, in blocks of at most 2^20.
func (e *Engine) Tuples(ctx context.Context, yield func(engine.Tuples) error) error {
	return inBlocks(ctx, e.tuples, yield)
}

// AllTuples is Tuples.
func (e *Engine) AllTuples(ctx context.Context, yield func(engine.Tuples) error) error {
	return e.Tuples(ctx, yield)
}

// inBlocks passes tuples to yield, in order, in blocks of at most 2^20.
func inBlocks(ctx context.Context, tuples engine.Tuples, yield func(engine.Tuples) error) error {
	const block = 1 << 20
	var buffer []engine.Edge
	for lo := 0; lo < tuples.Len(); lo += block {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		hi := min(lo+block, tuples.Len())
		edges, first := tuples.View(lo, hi, &buffer)
		piece := engine.Tuples{Edges: edges[lo-first : hi-first]}
		if tuples.Weights != nil {
			piece.Weights = tuples.Weights[lo:hi]
		}
		if err := yield(piece); err != nil {
			return err
		}
	}
	return nil
}

// Construct builds the graphs that the jobs need from the tuples (kernel 1).
func (e *Engine) Construct(ctx context.Context) (info engine.Graph, err error) {
	if hasBFS(e.jobs) {
		if e.graph, err = graph.Build(ctx, e.team, e.vertices, e.tuples); err != nil {
			return info, err
		}
	}
	if isWeighted(e.jobs) {
		if e.weightedGraph, err = graph.BuildWeighted(ctx, e.team, e.vertices, e.tuples); err != nil {
			return info, err
		}
	}
	return e.info(), nil
}

// Rows returns the rows of the graph of BFS, which are those of a single range.
func (e *Engine) Rows() (partition.Ranges, *graph.CSR) {
	return partition.NewRanges(e.vertices, 1), e.graph
}

// Usable reports for each vertex whether it has an edge other than a self loop.
func (e *Engine) Usable(_ context.Context, vertices []engine.Vertex) ([]bool, error) {
	index := e.index()
	usable := make([]bool, len(vertices))
	for i, v := range vertices {
		usable[i] = index.Has(engine.Local(v))
	}
	return usable, nil
}

// Close frees all memory and stops the workers. Searchers must be closed first.
func (e *Engine) Close() error {
	err := errors.Join(e.closeGraphs(), freeTuples(e.tuples))
	e.team.Close()
	*e = Engine{}
	return err
}
