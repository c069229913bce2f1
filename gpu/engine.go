//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"graph500/cluster"
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/generate"
	"graph500/kernels/hostrows"
	"graph500/kernels/stream"
	"graph500/kronecker"
	"graph500/memory"
)

const (
	// labelBits is the width of a vertex label in the kernels for one GPU, which store flags
	// in the other two bits of a 32-bit word.
	labelBits = 30

	// togetherBits is the same in the kernels for several GPUs, which need one such bit.
	togetherBits = 31

	// copyPiece is the number of bytes that a copy from the device to the host
	// transfers between two checks of the context.
	copyPiece = 1 << 26

	// driverBytes is the device memory left to the driver for modules, launch
	// graphs and the stacks of the kernels.
	driverBytes = 256 << 20
)

// Engine stores one graph on one GPU and searches it. Its methods are called one at a
// time, in the order of the benchmark's phases, from any goroutine.
type Engine struct {
	device  *device.Device
	ordinal int
	limit   memory.Limit // on the device memory that the engine allocates
	planner planner
	jobs    []engine.Job // of Prepare
	layout  layout       // of the first job

	tails    *device.HostArray[engine.Local]  // neighbours in host memory, nil without them
	arcTails *device.HostArray[construct.Arc] // arcs of SSSP in host memory, nil without them
	buffers  *hostrows.Buffers                // of a search of these, nil without them

	vertices      uint64
	tuples        *generate.Tuples
	graph         *construct.Graph // of BFS, nil without it
	weightedGraph *construct.Graph // of SSSP, nil without it
}

// New returns an engine on the GPU with that ordinal among the devices that
// CUDA_VISIBLE_DEVICES selects. The engine uses at most maxBytes of the device's
// memory; 0 means all free memory.
func New(ordinal int, maxBytes uint64, residency engine.Residency) (*Engine, error) {
	return open(ordinal, maxBytes, residency, device.Options{})
}

func open(ordinal int, maxBytes uint64, residency engine.Residency, options device.Options) (*Engine, error) {
	d, err := device.Open(ordinal, options)
	if err != nil {
		return nil, fmt.Errorf("startup on GPU %d: %w", ordinal, firstFault(err))
	}
	e := &Engine{device: d, ordinal: ordinal, planner: planner{part: regeneratedPart, l2: d.Properties().L2, residency: residency}}
	if err := e.inPhase("startup", func() error { return e.limitMemory(maxBytes) }); err != nil {
		_ = d.Close() // the first error is the cause
		return nil, err
	}
	return e, nil
}

// Info describes the GPU. Threads is 1 because the host only launches kernels.
func (e *Engine) Info() engine.Info {
	d := e.describe()
	return engine.Info{
		Name:        "gpu",
		Hardware:    d.Name,
		Threads:     1,
		LabelBits:   labelBits,
		MaxVertices: 1 << labelBits,
		Device:      &d,
		Devices:     []engine.Device{d},
	}
}

// describe describes the GPU.
func (e *Engine) describe() engine.Device {
	p := e.device.Properties()
	return engine.Device{
		Name:            p.Name,
		Driver:          p.Driver,
		Architecture:    fmt.Sprintf("%d.%d", p.Compute[0], p.Compute[1]),
		BusID:           p.BusID,
		Memory:          p.Memory,
		Multiprocessors: p.SMs,
		ClockMHz:        p.ClockMHz,
		MemoryClockMHz:  p.MemoryClockMHz,
	}
}

// limitMemory sets the memory limit: the minimum of maxBytes (0: no limit) and the
// free memory, less driverBytes.
func (e *Engine) limitMemory(maxBytes uint64) error {
	free, _, err := e.device.Memory()
	if err != nil {
		return err
	}
	name := e.device.Properties().Name
	e.limit = memory.Limit{Bytes: free, Source: "free memory of " + name}
	if maxBytes > 0 && maxBytes < free {
		e.limit = memory.Limit{Bytes: maxBytes, Source: "-gpu-memory"}
	}
	e.limit.Bytes -= min(e.limit.Bytes, driverBytes)
	e.limit.Bytes -= e.limit.Bytes % device.Alignment // whole allocations, so that the plan can use all of it
	e.limit.Source += fmt.Sprintf(", less %s for the driver", memory.Size(driverBytes))
	e.planner.limit = e.limit.Bytes
	return nil
}

// Memory returns the limit on the GPU memory that the engine allocates. Plan uses the
// same limit.
func (e *Engine) Memory() memory.Limit { return e.limit }

// Plan lists the memory allocations of a job. If the tuples do not fit in memory together
// with the graphs, construction and validation regenerate them part by part, or, if they
// were loaded, copy them part by part from the host's memory. Several searches are validated together if that
// saves passes over the tuples.
func (e *Engine) Plan(job engine.Job) []engine.Allocation {
	l := e.layoutOf(job)
	return slices.Concat(e.planner.plan(job, l), l.tailsPlan(job), onHost(job, l.capacity < job.Tuples))
}

// layoutOf returns the layout for a job. Once the memory is reserved, the tuple
// capacity and the number of groups are fixed.
func (e *Engine) layoutOf(job engine.Job) layout {
	if e.device == nil || e.device.Reserved() == 0 {
		return e.planner.layoutOf(job)
	}
	return e.planner.withBatch(job, e.layout.ofOne())
}

// Prepare reserves the memory for the jobs, which search one graph with the same kernels,
// and loads their modules. All jobs have one tuple capacity and one number of groups.
func (e *Engine) Prepare(ctx context.Context, jobs []engine.Job) error {
	e.jobs = jobs
	e.layout = e.planner.layoutOf(jobs...)
	var peak uint64
	for _, job := range jobs {
		l := e.planner.withBatch(job, e.layout.ofOne())
		peak = max(peak, engine.Peak(e.planner.plan(job, l), engine.DeviceMemory))
	}
	return e.inPhase("preparation", func() (err error) {
		for _, load := range e.loaders() {
			if err := errors.Join(context.Cause(ctx), load(e.device)); err != nil {
				return err
			}
		}
		if err := e.device.Reserve(peak); err != nil || !e.layout.splits() {
			return err
		}
		// Before the clock, like the arena: page-locking takes long.
		return e.allocateTails(ctx)
	})
}

// loaders lists the functions that load the modules of the jobs.
func (e *Engine) loaders() []func(*device.Device) error {
	list := append([]func(*device.Device) error{stream.Load}, loadValidation(e.jobs[0], false)...)
	if e.isWide() {
		list = append(list, stream.LoadLabels)
	}
	if !e.jobs[0].Loaded {
		list = append(list, loadGenerate(e.jobs[0]))
	}
	for _, k := range []engine.Kernel{engine.BFS, engine.SSSP} {
		if e.has(k) {
			list = append(list, loaderOf(e.layout.graphForm(k, e.isWide())))
		}
	}
	if e.layout.splits() {
		for _, k := range kernelsOf(e.jobs[0]) {
			list = append(list, e.layout.splitLoaders(k)...)
		}
		return list
	}
	for _, job := range e.jobs {
		for _, of := range job.Strategies {
			if s, ok := lookUp(of); ok {
				list = append(list, s.load)
			}
		}
	}
	return list
}

// isWide reports whether the jobs need labels of 48 bits.
func (e *Engine) isWide() bool { return len(e.jobs) > 0 && e.jobs[0].Wide }

// has reports whether a job has the kernel.
func (e *Engine) has(k engine.Kernel) bool {
	return slices.ContainsFunc(e.jobs, func(job engine.Job) bool { return slices.Contains(kernelsOf(job), k) })
}

// jobOf returns the job with the strategy. A strategy in no job has a job of its own, like
// the first one.
func (e *Engine) jobOf(of engine.Strategy) engine.Job {
	for _, job := range e.jobs {
		if job.Strategy(of.Kernel).Name == of.Name {
			return job
		}
	}
	job := e.jobs[0]
	job.Strategies = []engine.Strategy{of}
	return job
}

// CopyBandwidth returns the bandwidth of a plain copy within the device's memory, in
// bytes per second, read and written bytes added.
func (e *Engine) CopyBandwidth() (bytesPerSecond float64, err error) {
	err = e.inPhase("bandwidth measurement", func() (err error) {
		bytesPerSecond, err = stream.Bandwidth(e.device)
		return err
	})
	return bytesPerSecond, err
}

// DevicePeak returns the most bytes that arrays have taken of the GPU's memory so far. Pages of
// managed memory do not count.
func (e *Engine) DevicePeak() uint64 { return e.device.Peak() }

// Generate generates the tuples of a Kronecker graph, with weights if a job needs them.
// It stores all of them if they fit in memory. It calls progress, unless nil, with the
// numbers of generated and of all tuples.
func (e *Engine) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	return e.inPhase("generation", func() (err error) {
		if err := e.begin(spec.Vertices(), labelBits); err != nil {
			return err
		}
		if e.tuples, err = generate.New(ctx, e.device, tuplesOf(e.jobs[0], 0, spec.Tuples(), e.layout.capacity), generate.Source{Spec: spec}); err != nil {
			return err
		}
		return e.tuples.Make(ctx, func(done uint64) {
			if progress != nil {
				progress(int64(done), int64(spec.Tuples()))
			}
		})
	})
}

// Load takes over tuples that memory.Alloc allocated, with their weights if a job needs
// them: it copies them to the device and frees them, or, if only a part of them has room
// there, keeps them in the host's memory.
func (e *Engine) Load(ctx context.Context, vertices uint64, tuples engine.Tuples) error {
	return e.inPhase("loading", func() (err error) {
		if err := e.begin(vertices, labelBits); err != nil {
			return err
		}
		needed := tuples
		switch {
		case !e.has(engine.SSSP):
			needed.Weights = nil
		case len(tuples.Weights) != len(tuples.Edges):
			return fmt.Errorf("gpu: %d weights for %d tuples", len(tuples.Weights), len(tuples.Edges))
		}
		count := uint64(len(needed.Edges))
		e.tuples, err = generate.New(ctx, e.device, tuplesOf(e.jobs[0], 0, count, e.layout.capacity), generate.Source{Loaded: needed})
		if count <= e.layout.capacity { // else the tuples have the memory
			err = errors.Join(err, memory.Free(tuples.Edges), memory.Free(needed.Weights))
		}
		if needed.Weights == nil {
			err = errors.Join(err, memory.Free(tuples.Weights))
		}
		return err
	})
}

// begin checks that an engine without tuples can hold a graph of that many vertices, with
// labels of that many bits.
func (e *Engine) begin(vertices uint64, bits int) error {
	if vertices > 1<<bits {
		return fmt.Errorf("gpu: %d vertices need labels of more than %d bits", vertices, bits)
	}
	if e.tuples != nil {
		return errors.New("gpu: tuples are loaded already")
	}
	e.vertices = vertices
	return nil
}

// Tuples copies the tuples to the host piece by piece and passes each piece to yield,
// with weights if a job needs them. The piece is valid only during the call.
func (e *Engine) Tuples(ctx context.Context, yield func(engine.Tuples) error) error {
	return e.inPhase("copying of tuples", func() error { return copyTuples(ctx, e.tuples, yield) })
}

// AllTuples is Tuples.
func (e *Engine) AllTuples(ctx context.Context, yield func(engine.Tuples) error) error {
	return e.Tuples(ctx, yield)
}

// copyTuples copies tuples to the host as Engine.Tuples does.
func copyTuples(ctx context.Context, tuples *generate.Tuples, yield func(engine.Tuples) error) error {
	var host engine.Tuples
	return tuples.Each(ctx, func(part generate.Part) error {
		if host.Edges == nil {
			host.Edges = make([]engine.Edge, min(part.Count, copyPiece/8))
			if tuples.Weighted() {
				host.Weights = make([]float32, len(host.Edges))
			}
		}
		for at := 0; at < part.Count; at += len(host.Edges) {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			n := min(len(host.Edges), part.Count-at)
			piece := engine.Tuples{Edges: host.Edges[:n]}
			if host.Weights != nil {
				piece.Weights = host.Weights[:n]
			}
			if err := errors.Join(part.Read(at, piece.Edges), part.Weights.Read(at, piece.Weights)); err != nil {
				return err
			}
			if err := yield(piece); err != nil {
				return err
			}
		}
		return nil
	})
}

// Construct builds the graphs that the jobs need in CSR form (kernel 1). It returns the
// facts of the graph, of that of BFS if there are two.
func (e *Engine) Construct(ctx context.Context) (info engine.Graph, err error) {
	err = e.inPhase("construction", func() (err error) {
		if e.has(engine.BFS) {
			if e.graph, err = e.construct(ctx, engine.BFS); err != nil {
				return err
			}
		}
		if e.has(engine.SSSP) {
			if e.weightedGraph, err = e.construct(ctx, engine.SSSP); err != nil {
				return errors.Join(err, e.closeGraphs())
			}
		}
		info = e.info()
		return nil
	})
	return info, err
}

// construct builds the graph of a kernel.
func (e *Engine) construct(ctx context.Context, k engine.Kernel) (*construct.Graph, error) {
	team, err := device.NewTeam(ctx, cluster.Alone(), []*device.Device{e.device})
	if err != nil {
		return nil, err
	}
	in := construct.Input{
		Vertices: e.vertices, Tuples: []*generate.Tuples{e.tuples},
		Tails: []*device.HostArray[engine.Local]{e.tails}, ArcTails: []*device.HostArray[construct.Arc]{e.arcTails},
	}
	graphs, err := construct.Build(ctx, team, in, e.layout.graphForm(k, e.isWide()))
	if err != nil {
		return nil, err
	}
	return graphs[0], nil
}

// info returns the facts of the graph, of that of BFS if there are two (joined).
func (e *Engine) info() engine.Graph {
	switch {
	case e.graph == nil:
		return e.weightedGraph.Info
	case e.weightedGraph == nil:
		return e.graph.Info
	}
	return joined(e.graph.Info, e.weightedGraph.Info)
}

// joined returns the facts of the graph of BFS, with the shorter prefix of both graphs and the
// bytes of host memory that both take.
func joined(info, paths engine.Graph) engine.Graph {
	info.Prefix = min(info.Prefix, paths.Prefix)
	info.HostBytes += paths.HostBytes
	return info
}

// isConstructed reports whether there is the graph of a kernel.
func (e *Engine) isConstructed(k engine.Kernel) bool {
	if k == engine.SSSP {
		return e.weightedGraph != nil
	}
	return e.graph != nil
}

// Usable returns for each vertex whether it has an edge other than a self loop.
func (e *Engine) Usable(_ context.Context, vertices []engine.Vertex) (usable []bool, err error) {
	err = e.inPhase("look-up of vertices", func() (err error) {
		if e.graph != nil {
			usable, err = e.graph.Has(vertices)
		} else {
			usable, err = e.weightedGraph.Has(vertices)
		}
		return err
	})
	return usable, err
}

// closeGraphs frees the graphs.
func (e *Engine) closeGraphs() error {
	var errs []error
	if e.weightedGraph != nil {
		errs = append(errs, e.weightedGraph.Close())
	}
	if e.graph != nil {
		errs = append(errs, e.graph.Close())
	}
	e.graph, e.weightedGraph = nil, nil
	return errors.Join(errs...)
}

// Close frees all memory and closes the device. Searchers must be closed before.
func (e *Engine) Close() error {
	err := e.inPhase("closing", func() error {
		return errors.Join(e.closeGraphs(), e.tuples.Close(), e.buffers.Free(), e.tails.Free(), e.arcTails.Free())
	})
	if closeErr := e.device.Close(); err == nil {
		err = closeErr
	}
	*e = Engine{}
	return err
}
