// Package cpu is the engine that runs the kernels of the benchmark on the cores of one or several
// ranks. Each rank has an equal part of the tuples, owns a range of vertices, and stores their rows
// and results. One rank has the whole graph, needs no exchange, and has more strategies than the
// default ones. If memory allows, it keeps the results of several searches, up to
// validate.MaxBatch, and validates them with one pass over the tuples. It must not know flags, the
// clock, reports or the order of the phases.
//
// # BFS
//
// The default strategy searches a graph.ByHubs, its rows in the order of their first hub. Top-down
// levels go on until the hubs of the frontier have a large part of all arcs (byhubs_topdown.go).
// Then the hubs of the next level are found, and one dense pass over all chunks copies the first
// neighbours as parents and corrects the exceptions (byhubs_dense.go): it settles both large levels.
// Two levels examine all that is left, those after them go top-down, so that long paths stay linear
// (byhubs_late.go). Hubs that the hub pass does not find, rows without hubs and other components
// are left in the same way. Without a hub of many arcs in a frontier there is no dense pass. The
// vertices of each level are counted after the clock (byhubs_levels.go). The steps of the dense pass
// have forms in assembly (byhubs_amd64.s). The other strategies, of one process, search the rows; a run
// with both has both forms of the graph.
//
// # Weights that are whole numbers
//
// With engine.Job.Integers the distances have 64 bits and are exact. One process has a search of its
// own for them (integers.go), which reads the same rows: those are in the order of the bits of the
// weights.
//
// # Over ranks
//
// Rank r of P makes tuples r·M/P to (r+1)·M/P, with weights for SSSP. Ranges of a generated graph
// have equally many labels; those of a loaded one have about equally many arcs, which all ranks
// count first (rank_exchange.go). Kernel 1 sends each arc, with
// its weight, to the owner of its source; rows have own numbers, their neighbours labels of the
// whole graph.
//
// In BFS every rank has the rows of its own vertices, and of every hub those neighbours that are its
// own (byhubs_ranks.go). So it expands all hubs of a frontier for its own vertices, and all ranks
// learn the hubs of the next one, as a list or as bits, whichever is shorter. Rows send what they
// reach on other ranks there, as pairs of vertex and parent. Before the dense pass all ranks learn the
// rows found top-down; the pass itself needs no exchange. Each of the two levels after it exchanges
// which rows are unvisited. Leaves of other ranks' rows get their parents at the end, if the dense
// pass did not give them.
//
// In SSSP every rank has an array of the distances of all vertices: those of its own, and of the
// others the least that it has sent or received. It sends an improvement (vertex, parent, distance)
// to the vertex's owner only if it is below that. A rank pushes until its own rows are stable; then
// all exchange improvements. Before the pull, all ranks get the distances below the bound, about
// one in ten. A kept arc moves to the owner of the vertex that it comes from. A parent comes only
// from the strict improvement that led to the distance, so equal and zero weights form no cycle.
//
// With a policy (mirrored.go), package divide makes a part for each rank as part of kernel 1, and
// package mirrored searches the parts. The results are complete at the masters when the clock
// stops, with parents of 64 bits if the tuples have labels of 48; then they go to the owners of the
// ranges. The parts have labels of 32 bits.
//
// # Limits over ranks
//
// One search at a time is validated. Each rank needs memory for the whole graph: for BFS 10 bytes per
// vertex in kernel 1, 4 per row in the search and 9 per vertex in validation, for SSSP 4 in the search
// and 13 in validation. A graph of large diameter takes an exchange for each step of its paths. The
// plan assumes ranges of equally many labels and arcs; once the ranges of a loaded graph are known, the
// memory is checked again.
package cpu

import (
	"context"
	"errors"
	"fmt"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
	"graph500/validate"
	"graph500/vector"
)

// labelBits is the width of a vertex number in the arrays of searches.
const labelBits = engine.LabelBits

// Engine holds a rank's part of one graph and a team of workers that search it. Its methods
// must not be called concurrently. All ranks make the same calls in the same order.
type Engine struct {
	world  *cluster.World
	team   *parallel.Team
	free   memory.Limit // free memory before the engine allocated any; Source is "" if it is unknown
	jobs   []engine.Job // of Prepare
	ranges partition.Ranges
	tuples engine.Tuples // own part
	loaded bool          // not generated
	first  uint64        // index of the first own tuple
	all    uint64        // tuples of all ranks
	graphs
}

// New returns the engine of a rank with the given number of workers; 0 means one worker per
// processor.
func New(w *cluster.World, threads int) *Engine {
	free, err := memory.Available()
	if err != nil {
		free = memory.Limit{} // the driver reports the error
	}
	return &Engine{world: w, team: parallel.NewTeam(threads), free: free}
}

// Info describes the engine, including the instruction set in use, and once it is prepared, the
// labels of the jobs.
func (e *Engine) Info() engine.Info {
	hardware, bits := "CPU, plain Go", labelBits
	if e.isWide() {
		bits = engine.WideBits
	}
	switch vector.Chosen() {
	case vector.AVX2:
		hardware = "CPU with AVX2"
	case vector.AVX512:
		hardware = "CPU with AVX-512"
	}
	return engine.Info{
		Name:        "cpu",
		Hardware:    hardware,
		Threads:     e.team.Size(),
		LabelBits:   bits,
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
func (e *Engine) Prepare(_ context.Context, plans []engine.Plan, _ func(done, total int64)) error {
	e.jobs = nil
	for _, plan := range plans {
		e.jobs = append(e.jobs, plan.Job)
	}
	return nil
}

// isWide reports whether the jobs need labels of 48 bits in the tuples, and parents of 64 bits.
func (e *Engine) isWide() bool { return len(e.jobs) > 0 && e.jobs[0].Wide }

// hasIntegers reports whether the weights of the jobs are whole numbers.
func (e *Engine) hasIntegers() bool { return len(e.jobs) > 0 && e.jobs[0].Integers }

// policy returns the policy that divides the graph between ranks; empty: ranges of vertices.
func (e *Engine) policy() string {
	if len(e.jobs) == 0 {
		return ""
	}
	return e.jobs[0].Partition
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

// Generate generates this rank's part of the tuples of a Kronecker graph (Graph500
// specification), with their weights if a job needs them.
func (e *Engine) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	if spec.Scale > engine.MaxScale {
		return fmt.Errorf("cpu: scale %d needs labels of more than %d bits", spec.Scale, labelBits)
	}
	if e.tuples.Len() > 0 {
		return errors.New("cpu: tuples are loaded already")
	}
	own := e.divide(spec.Vertices(), spec.Tuples())
	if err := graph.TupleArrays(&e.tuples, uint64(own), isWeighted(e.jobs), e.isWide()).Alloc(); err != nil {
		return err
	}
	ranks := int64(e.world.Size())
	all := progress
	if progress != nil && ranks > 1 {
		all = func(done, total int64) { progress(done*ranks, total*ranks) }
	}
	return kronecker.New(spec).FillFrom(ctx, e.team, e.tuples, e.first, all)
}

// Load takes ownership of this rank's part of the tuples (parallel.Split), which memory.Alloc
// must have allocated. They need weights if a job of Prepare does, and get labels of 48 bits
// if it needs them and they have not.
func (e *Engine) Load(_ context.Context, vertices uint64, tuples engine.Tuples) (err error) {
	if vertices > validate.MaxVertices {
		return fmt.Errorf("cpu: %d vertices need labels of more than %d bits", vertices, labelBits)
	}
	if e.tuples.Len() > 0 {
		return errors.New("cpu: tuples are loaded already")
	}
	all := uint64(tuples.Len())
	if e.world.Size() > 1 {
		if len(e.jobs) == 0 {
			return errors.New("cpu: no job tells the number of tuples")
		}
		all = e.jobs[0].Tuples
	}
	own := e.divide(vertices, all)
	switch {
	case tuples.Len() != own:
		return fmt.Errorf("cpu: %d tuples for a part of %d", tuples.Len(), own)
	case isWeighted(e.jobs) && len(tuples.Weights) != own:
		return fmt.Errorf("cpu: %d weights for %d tuples", len(tuples.Weights), own)
	}
	if e.isWide() && tuples.Wide == nil {
		if tuples, err = widen(e.team, tuples); err != nil {
			return errors.Join(err, graph.FreeTuples(tuples))
		}
	}
	e.tuples, e.loaded = tuples, true
	return nil
}

// divide divides vertices and tuples between the ranks. It returns the number of own tuples.
func (e *Engine) divide(vertices, tuples uint64) (own int) {
	e.all, e.ranges = tuples, partition.NewRanges(vertices, e.world.Size())
	lo, hi := parallel.Split(int(tuples), e.world.Size(), e.world.Rank())
	e.first = uint64(lo)
	return hi - lo
}

// owned returns the vertices of this rank.
func (e *Engine) owned() (first, count uint64) { return e.ranges.Range(e.world.Rank()) }

// Tuples passes the own tuples to yield, in order, in blocks of at most 2^20.
func (e *Engine) Tuples(ctx context.Context, yield func(engine.Tuples) error) error {
	const block = 1 << 20
	var buffer []engine.Edge
	for lo := 0; lo < e.tuples.Len(); lo += block {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		hi := min(lo+block, e.tuples.Len())
		edges, first := e.tuples.View(lo, hi, &buffer)
		piece := engine.Tuples{Edges: edges[lo-first : hi-first]}
		if e.tuples.Weights != nil {
			piece.Weights = e.tuples.Weights[lo:hi]
		}
		if err := yield(piece); err != nil {
			return err
		}
	}
	return nil
}

// AllTuples is Tuples. With several ranks it returns an error: none has all tuples.
func (e *Engine) AllTuples(ctx context.Context, yield func(engine.Tuples) error) error {
	if e.world.Size() > 1 {
		return errors.New("cpu: no rank has all tuples")
	}
	return e.Tuples(ctx, yield)
}

// Rows returns the own rows of the graph of BFS, numbered from 0, and the ranges of all ranks.
func (e *Engine) Rows() (partition.Ranges, *graph.CSR) { return e.ranges, e.graph }

// Usable reports for each vertex whether it has an edge other than a self loop.
func (e *Engine) Usable(ctx context.Context, vertices []engine.Vertex) ([]bool, error) {
	first, owned := e.owned()
	found := make([]int64, len(vertices))
	for i, v := range vertices {
		if own := uint64(v) - first; own < owned && e.has(engine.Label(own)) {
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
func (e *Engine) Close() error {
	err := errors.Join(e.closeGraphs(), graph.FreeTuples(e.tuples))
	e.team.Close()
	*e = Engine{}
	return err
}
