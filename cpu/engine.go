// Package cpu is the engine that runs the benchmark's kernels on the cores of
// one machine. It keeps as many searches as memory allows, up to the number that
// package validate checks with one pass over the tuples. It knows nothing of
// flags, clocks, reports or of how the benchmark orders its phases.
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
	"graph500/validate"
)

// labelBits is the width of a vertex number in the arrays.
const labelBits = engine.LocalBits

// Engine keeps one graph and searches it over a team of workers. Its methods
// are called one at a time, in the order that the benchmark gives.
type Engine struct {
	team     *parallel.Team
	free     memory.Limit // before the engine took any memory; no source if it is unknown
	searches int          // of the job, 0 if it is unknown
	vertices uint64
	tuples   []engine.Edge
	graph    *graph.CSR
}

// New returns an engine with the given number of workers, one for each
// processor if it is 0.
func New(threads int) *Engine {
	free, err := memory.Available()
	if err != nil {
		free = memory.Limit{} // the driver says so
	}
	return &Engine{team: parallel.NewTeam(threads), free: free}
}

// Info names the vector unit in use.
func (e *Engine) Info() engine.Info {
	hardware := "CPU, plain Go"
	if unit := vectorUnit(); unit != "" {
		hardware = "CPU with " + unit
	}
	return engine.Info{
		Name:        "cpu",
		Hardware:    hardware,
		Threads:     e.team.Size(),
		LabelBits:   labelBits,
		MaxVertices: validate.MaxVertices,
	}
}

// Memory returns no limit: there is no other memory than the host's.
func (e *Engine) Memory() memory.Limit { return memory.Limit{} }

// CopyBandwidth returns 0: there is no device.
func (e *Engine) CopyBandwidth() (float64, error) { return 0, nil }

// Prepare notes how many searches there will be.
func (e *Engine) Prepare(_ context.Context, jobs []engine.Job) error {
	for _, job := range jobs {
		e.searches = job.Searches
	}
	return nil
}

// Generate makes the tuples of a Kronecker graph.
func (e *Engine) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	if spec.Scale > engine.MaxScale {
		return fmt.Errorf("cpu: scale %d needs labels of more than %d bits", spec.Scale, labelBits)
	}
	tuples, err := memory.Alloc[engine.Edge](int(spec.Tuples()))
	if err != nil {
		return err
	}
	if err := e.Load(spec.Vertices(), tuples); err != nil {
		return err
	}
	return kronecker.New(spec).Fill(ctx, e.team, tuples, progress)
}

// Load takes over tuples that were made by memory.Alloc.
func (e *Engine) Load(vertices uint64, tuples []engine.Edge) error {
	if vertices > validate.MaxVertices {
		return fmt.Errorf("cpu: %d vertices need labels of more than %d bits", vertices, labelBits)
	}
	if e.tuples != nil {
		return errors.New("cpu: tuples are loaded already")
	}
	e.vertices, e.tuples = vertices, tuples
	return nil
}

// Tuples hands out the tuples.
func (e *Engine) Tuples(ctx context.Context, yield func([]engine.Edge) error) error {
	const piece = 1 << 20
	for lo := 0; lo < len(e.tuples); lo += piece {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := yield(e.tuples[lo:min(lo+piece, len(e.tuples))]); err != nil {
			return err
		}
	}
	return nil
}

// Construct builds the rows.
func (e *Engine) Construct(ctx context.Context) (engine.Graph, error) {
	g, err := graph.Build(ctx, e.team, e.vertices, e.tuples)
	if err != nil {
		return engine.Graph{}, err
	}
	e.graph = g
	return g.Info, nil
}

// Usable says of each vertex whether it has an edge other than a self loop.
func (e *Engine) Usable(_ context.Context, vertices []engine.Vertex) ([]bool, error) {
	usable := make([]bool, len(vertices))
	for i, v := range vertices {
		usable[i] = e.graph.Has(engine.Local(v))
	}
	return usable, nil
}

// Close gives all memory back and ends the workers. Searchers are closed before.
func (e *Engine) Close() error {
	var errs []error
	if e.graph != nil {
		errs = append(errs, e.graph.Close())
	}
	errs = append(errs, memory.Free(e.tuples))
	e.team.Close()
	*e = Engine{}
	return errors.Join(errs...)
}
