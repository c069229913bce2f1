//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"

	"graph500/engine"
	"graph500/kernels"
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
)

// Engine keeps one graph and searches it on one GPU. Its methods are called one
// at a time, in the order that the benchmark gives, from any goroutine.
type Engine struct {
	device  *kernels.Device
	ordinal int

	free   uint64     // bytes of the device's memory, before any were taken
	part   uint64     // tuples made again at a time, where not all have room
	job    engine.Job // what the memory is laid out for
	layout layout     // of the graph that the tuples are of

	vertices uint64
	tuples   *kernels.Tuples
	graph    *kernels.Graph
	index    []uint64 // the host's copy of graph.Index
}

// New returns an engine on the GPU with that ordinal, counted over the devices
// that CUDA_VISIBLE_DEVICES leaves.
func New(ordinal int) (*Engine, error) {
	d, err := kernels.Open(ordinal)
	if err != nil {
		return nil, fmt.Errorf("startup on GPU %d: %w", ordinal, first(err))
	}
	e := &Engine{device: d, ordinal: ordinal, part: regeneratedPart}
	if err := e.on("startup", e.lookAtMemory); err != nil {
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

func (e *Engine) lookAtMemory() (err error) {
	e.free, _, err = e.device.Memory()
	return err
}

// Memory returns the bytes that were free on the GPU before the engine took any.
// Plan goes by the same number.
func (e *Engine) Memory() memory.Limit {
	return memory.Limit{Bytes: e.free, Source: "free memory of " + e.device.Properties().Name}
}

// CopyBandwidth returns the bytes a second, read and written ones together, of
// a plain copy of 1 GiB, or of what there is room for.
func (e *Engine) CopyBandwidth() (bytesPerSecond float64, err error) {
	err = e.on("bandwidth measurement", func() error {
		free, _, err := e.device.Memory()
		if err != nil {
			return err
		}
		scratch, err := kernels.Alloc[byte](e.device, "copies to measure the bandwidth", int(min(2<<30, free/2)))
		if err != nil {
			return err
		}
		bytesPerSecond, err = kernels.Bandwidth(e.device, scratch)
		return errors.Join(err, scratch.Free())
	})
	return bytesPerSecond, err
}

// Plan lists the memory for a job. Generated tuples that do not fit beside the
// graph are made again, a part at a time, by construction and by validation, for
// which trees are kept then; loaded ones stay.
func (e *Engine) Plan(job engine.Job) []engine.Allocation {
	plan := e.plan(job, e.layoutOf(job))
	plan = append(plan, e.spare(job, plan)...)
	if trees := e.kept(job); trees > 0 {
		plan = append(plan, keptTrees(job.Vertices, trees))
	}
	return plan
}

// Prepare lays the memory out for the jobs.
func (e *Engine) Prepare(_ context.Context, jobs []engine.Job) error {
	e.job = jobs[0]
	e.layout = e.layoutOf(e.job)
	return nil
}

// Generate makes the tuples of a Kronecker graph, and keeps them if they fit.
func (e *Engine) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	return e.on("generation", func() (err error) {
		if err := e.begin(spec.Vertices()); err != nil {
			return err
		}
		if e.tuples, err = kernels.NewTuples(e.device, spec, e.layout.room); err != nil {
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
	return e.on("loading", func() error {
		if err := e.begin(vertices); err != nil {
			return err
		}
		onDevice, err := kernels.Alloc[engine.Edge](e.device, "tuples", len(tuples))
		if err != nil {
			return err
		}
		e.tuples = kernels.HoldTuples(onDevice)
		return errors.Join(onDevice.Write(0, tuples), memory.Free(tuples))
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
		return e.tuples.Each(ctx, func(part *kernels.Array[engine.Edge], count int, _ uint64) error {
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
		if e.graph, err = kernels.Construct(ctx, e.device, e.vertices, e.tuples, e.layout.groups); err != nil {
			return err
		}
		info = e.graph.Info
		e.index = make([]uint64, e.graph.Index.Len())
		return e.graph.Index.Read(0, e.index)
	})
	return info, err
}

// Usable says of each vertex whether it has an edge other than a self loop.
func (e *Engine) Usable(_ context.Context, vertices []engine.Vertex) ([]bool, error) {
	usable := make([]bool, len(vertices))
	for i, v := range vertices {
		usable[i] = e.index[v/32]>>(v%32)&1 == 1
	}
	return usable, nil
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
