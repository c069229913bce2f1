//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/bfs"
	"graph500/kernels/construct"
	"graph500/kernels/generate"
	"graph500/kernels/stream"
	"graph500/kernels/validate"
	"graph500/kronecker"
	"graph500/memory"
)

const (
	// labelBits is the width of a vertex number in the kernels, which keep
	// flags in the two other bits of a word.
	labelBits = 30

	// copyPiece is the number of bytes that a copy between host and device
	// takes between two looks at the context.
	copyPiece = 1 << 26

	// driverBytes is what is left of the device's memory to the driver: modules
	// and launches that are prepared later, and the kernels' stacks.
	driverBytes = 256 << 20
)

// Engine keeps one graph and searches it on one GPU. Its methods are called one
// at a time, in the order that the benchmark gives, from any goroutine.
type Engine struct {
	device  *device.Device
	ordinal int
	limit   memory.Limit // of what may be taken of the device's memory
	planner planner
	job     engine.Job // what the memory is laid out for
	layout  layout

	vertices uint64
	tuples   *generate.Tuples
	graph    *construct.Graph
}

// New returns an engine on the GPU with that ordinal, counted over the devices
// that CUDA_VISIBLE_DEVICES leaves, that takes at most so many bytes of its memory;
// 0: as many as are free.
func New(ordinal int, most uint64) (*Engine, error) { return open(ordinal, most, device.Options{}) }

func open(ordinal int, most uint64, options device.Options) (*Engine, error) {
	d, err := device.Open(ordinal, options)
	if err != nil {
		return nil, fmt.Errorf("startup on GPU %d: %w", ordinal, first(err))
	}
	e := &Engine{device: d, ordinal: ordinal, planner: planner{part: regeneratedPart, l2: d.Properties().L2}}
	if err := e.on("startup", func() error { return e.lookAtMemory(most) }); err != nil {
		_ = d.Close() // the error before says more
		return nil, err
	}
	return e, nil
}

// Info describes the GPU. The host only launches, so it has one worker.
func (e *Engine) Info() engine.Info {
	p := e.device.Properties()
	return engine.Info{
		Name:        "gpu",
		Hardware:    p.Name,
		Threads:     1,
		LabelBits:   labelBits,
		MaxVertices: 1 << labelBits,
		Device: &engine.Device{
			Name:            p.Name,
			Driver:          p.Driver,
			Architecture:    fmt.Sprintf("%d.%d", p.Compute[0], p.Compute[1]),
			BusID:           p.BusID,
			Memory:          p.Memory,
			Multiprocessors: p.SMs,
			ClockMHz:        p.ClockMHz,
			MemoryClockMHz:  p.MemoryClockMHz,
		},
	}
}

// lookAtMemory finds out how much may be taken: the most given, or what is free;
// less what the driver needs.
func (e *Engine) lookAtMemory(most uint64) error {
	free, _, err := e.device.Memory()
	if err != nil {
		return err
	}
	name := e.device.Properties().Name
	e.limit = memory.Limit{Bytes: free, Source: "free memory of " + name}
	if most > 0 && most < free {
		e.limit = memory.Limit{Bytes: most, Source: "-gpu-memory"}
	}
	e.limit.Bytes -= min(e.limit.Bytes, driverBytes)
	e.limit.Source += fmt.Sprintf(", less %s for the driver", memory.Size(driverBytes))
	e.planner.most = e.limit.Bytes
	return nil
}

// Memory returns the bytes of the GPU's memory that the engine may take. Plan goes
// by the same number.
func (e *Engine) Memory() memory.Limit { return e.limit }

// Plan lists the memory for a job. Generated tuples that do not fit beside the
// graph are made again, a part at a time, by construction and by validation, for
// which searches are kept then; loaded ones stay.
func (e *Engine) Plan(job engine.Job) []engine.Allocation {
	return append(e.planner.plan(job, e.layoutOf(job)), onHost(job)...)
}

// layoutOf returns the layout for a job, of which tuples and graph stay what they
// are once the memory is reserved.
func (e *Engine) layoutOf(job engine.Job) layout {
	if e.device == nil || e.device.Reserved() == 0 {
		return e.planner.layoutOf(job)
	}
	return e.planner.keeping(job, layout{room: e.layout.room, groups: e.layout.groups, kept: 1})
}

// Prepare reserves the memory for the jobs and loads the kernels that they need.
func (e *Engine) Prepare(ctx context.Context, jobs []engine.Job) error {
	e.job = jobs[0]
	e.layout = e.planner.layoutOf(e.job)
	var peak uint64
	load := []func(*device.Device) error{construct.Load, validate.Load, stream.Load}
	if !e.job.Loaded {
		load = append(load, generate.Load)
	}
	for _, job := range jobs {
		l := e.planner.keeping(job, layout{room: e.layout.room, groups: e.layout.groups, kept: 1})
		peak = max(peak, engine.Peak(e.planner.plan(job, l), engine.DeviceMemory))
		if s, ok := lookUp(job.Strategy.Name); ok {
			load = append(load, s.load)
		}
	}
	return e.on("preparation", func() error {
		for _, modules := range load {
			if err := errors.Join(context.Cause(ctx), modules(e.device)); err != nil {
				return err
			}
		}
		return e.device.Reserve(peak)
	})
}

// CopyBandwidth returns the bytes a second, read and written ones together, of
// a plain copy.
func (e *Engine) CopyBandwidth() (bytesPerSecond float64, err error) {
	err = e.on("bandwidth measurement", func() (err error) {
		bytesPerSecond, err = stream.Bandwidth(e.device)
		return err
	})
	return bytesPerSecond, err
}

// Generate makes the tuples of a Kronecker graph, and keeps them if they fit.
func (e *Engine) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	return e.on("generation", func() (err error) {
		if err := e.begin(spec.Vertices()); err != nil {
			return err
		}
		if e.tuples, err = generate.New(e.device, spec, e.layout.room); err != nil {
			return err
		}
		return e.tuples.Make(ctx, func(done uint64) {
			if progress != nil {
				progress(int64(done), int64(spec.Tuples()))
			}
		})
	})
}

// Load copies tuples that were made by memory.Alloc to the device and gives
// their memory back.
func (e *Engine) Load(vertices uint64, tuples []engine.Edge) error {
	return e.on("loading", func() (err error) {
		if err := e.begin(vertices); err != nil {
			return err
		}
		e.tuples, err = generate.From(e.device, tuples)
		return errors.Join(err, memory.Free(tuples))
	})
}

func (e *Engine) begin(vertices uint64) error {
	if vertices > 1<<labelBits {
		return fmt.Errorf("gpu: %d vertices need labels of more than %d bits", vertices, labelBits)
	}
	if e.tuples != nil {
		return errors.New("gpu: tuples are loaded already")
	}
	e.vertices = vertices
	return nil
}

// Tuples hands out the tuples, in pieces copied to the host.
func (e *Engine) Tuples(ctx context.Context, yield func([]engine.Edge) error) error {
	return e.on("copying of tuples", func() error {
		var host []engine.Edge
		return e.tuples.Each(ctx, func(part device.Array[engine.Edge], count int, _ uint64) error {
			if host == nil {
				host = make([]engine.Edge, min(count, copyPiece/8))
			}
			for at := 0; at < count; at += len(host) {
				if err := context.Cause(ctx); err != nil {
					return err
				}
				piece := host[:min(len(host), count-at)]
				if err := part.Read(at, piece); err != nil {
					return err
				}
				if err := yield(piece); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// Construct builds the rows.
func (e *Engine) Construct(ctx context.Context) (info engine.Graph, err error) {
	err = e.on("construction", func() (err error) {
		if e.graph, err = construct.Construct(ctx, e.device, e.vertices, e.tuples, e.layout.groups, bfs.MostHubs); err == nil {
			info = e.graph.Info
		}
		return err
	})
	return info, err
}

// Usable says of each vertex whether it has an edge other than a self loop.
func (e *Engine) Usable(_ context.Context, vertices []engine.Vertex) (usable []bool, err error) {
	err = e.on("look-up of vertices", func() (err error) {
		usable, err = e.graph.Has(vertices)
		return err
	})
	return usable, err
}

// Close gives all memory back, and the device. Searchers are closed before.
func (e *Engine) Close() error {
	err := e.on("closing", func() error {
		var errs []error
		if e.graph != nil {
			errs = append(errs, e.graph.Close())
		}
		return errors.Join(append(errs, e.tuples.Close())...)
	})
	if closeErr := e.device.Close(); err == nil {
		err = closeErr
	}
	*e = Engine{}
	return err
}

// spareFor is what a search leaves of the arena to validation: the table of a deep
// tree, if that was planned.
func (e *Engine) spareFor(job engine.Job) uint64 {
	for _, a := range e.planner.plan(job, e.layoutOf(job)) {
		if deep := validate.DeepPlan(job.Vertices); len(deep) > 0 && a == deep[0] {
			return a.Bytes
		}
	}
	return 0
}
