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
	// maxLabelBits is the width of a vertex number in the kernels, which keep
	// flags in the other bits.
	maxLabelBits = 30

	// copyPiece is the number of bytes that a copy between host and device
	// takes between two looks at the context.
	copyPiece = 1 << 26
)

// Engine keeps one graph and searches it on one GPU. Its methods are called one
// at a time, in the order that the benchmark gives, from any goroutine.
type Engine struct {
	device   *kernels.Device
	ordinal  int
	strategy Strategy

	free   uint64 // bytes of the device's memory, before any were taken
	part   uint64 // tuples made again at a time, where not all have room
	layout layout // of the graph that the tuples are of

	vertices  uint64
	tuples    *kernels.Tuples
	graph     *kernels.Graph
	index     []uint64 // the host's copy of graph.Index
	parents   *kernels.Array[engine.Vertex]
	clearing  *kernels.Filler // of parents
	searcher  searcher        // nil for a graph without edges
	alone     bool            // the last search was from a vertex without an edge
	validator *kernels.Validator
	trees     *kernels.KeptTrees

	copied  []engine.Vertex // parents in the host's memory, made when asked for
	current bool            // copied is what the device has
}

// New returns an engine on the GPU with that ordinal, counted over the devices
// that CUDA_VISIBLE_DEVICES leaves, and with the strategy of that name.
func New(ordinal int, strategy string) (*Engine, error) {
	s, ok := lookUp(strategy)
	if !ok {
		return nil, fmt.Errorf("gpu: no strategy %q", strategy)
	}
	d, err := kernels.Open(ordinal)
	if err != nil {
		return nil, fmt.Errorf("startup on GPU %d: %w", ordinal, first(err))
	}
	e := &Engine{device: d, ordinal: ordinal, strategy: s, part: regeneratedPart}
	if err := e.on("startup", e.lookAtMemory); err != nil {
		_ = d.Close() // the error before says more
		return nil, err
	}
	return e, nil
}

// Name returns "gpu".
func (e *Engine) Name() string { return "gpu" }

// Hardware names the GPU.
func (e *Engine) Hardware() string { return e.device.Properties().Name }

// Threads returns 1: the host only launches.
func (e *Engine) Threads() int { return 1 }

// Device describes the GPU.
func (e *Engine) Device() engine.Device {
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

func (e *Engine) lookAtMemory() (err error) {
	e.free, _, err = e.device.Memory()
	return err
}

// DeviceMemory returns the bytes that were free on the GPU before the engine
// took any. Plan goes by the same number.
func (e *Engine) DeviceMemory() (free uint64, err error) { return e.free, nil }

// MaxVertices returns the largest number of vertices that a graph may have.
func (e *Engine) MaxVertices() uint64 { return 1 << maxLabelBits }

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

// Plan lists the memory for N = vertices and M = tuples. Generated tuples that
// do not fit beside the graph are made again, a part at a time, by construction
// and by validation, for which trees are kept then; loaded ones stay.
func (e *Engine) Plan(vertices, tuples uint64, loaded bool) []engine.Allocation {
	plan := e.plan(vertices, tuples, loaded, e.layoutOf(vertices, tuples, loaded))
	plan = append(plan, e.spare(vertices, tuples, loaded, plan)...)
	if trees := e.kept(vertices, tuples, loaded); trees > 0 {
		plan = append(plan, keptTrees(vertices, trees))
	}
	return plan
}

// Generate makes the tuples of a Kronecker graph, and keeps them if they fit.
func (e *Engine) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	return e.on("generation", func() (err error) {
		if err := e.begin(spec.Vertices(), spec.Tuples(), false); err != nil {
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
		if err := e.begin(vertices, uint64(len(tuples)), true); err != nil {
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

// begin decides how the graph of so many tuples lies in memory.
func (e *Engine) begin(vertices, tuples uint64, loaded bool) error {
	if vertices > e.MaxVertices() {
		return fmt.Errorf("gpu: %d vertices need labels of more than %d bits", vertices, maxLabelBits)
	}
	if e.tuples != nil {
		return errors.New("gpu: tuples are loaded already")
	}
	e.vertices, e.layout = vertices, e.layoutOf(vertices, tuples, loaded)
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

// Construct builds the rows and everything a search needs.
func (e *Engine) Construct(ctx context.Context) (info engine.Graph, err error) {
	err = e.on("construction", func() (err error) {
		if e.graph, err = kernels.Construct(ctx, e.device, e.vertices, e.tuples, e.layout.groups); err != nil {
			return err
		}
		info = e.graph.Info
		e.index = make([]uint64, e.graph.Index.Len())
		if err = e.graph.Index.Read(0, e.index); err != nil {
			return err
		}
		if e.parents, err = kernels.Alloc[engine.Vertex](e.device, "parents", int(e.vertices)); err != nil {
			return err
		}
		if e.clearing, err = kernels.NewFiller(e.device, e.parents, engine.None); err != nil {
			return err
		}
		e.trees = kernels.NewKeptTrees(e.device, e.vertices)
		return e.makeSearcher(ctx)
	})
	return info, err
}

func (e *Engine) makeSearcher(ctx context.Context) (err error) {
	if e.graph.Info.Connected == 0 {
		return nil
	}
	room, err := e.room()
	if err != nil {
		return err
	}
	if e.searcher, err = e.strategy.make(ctx, e.device, e.graph, e.parents, room); err != nil {
		return err
	}
	return e.device.Synchronize()
}

// UseStrategy makes the searches that follow work by the strategy of that name.
// It comes after Construct.
func (e *Engine) UseStrategy(ctx context.Context, name string) error {
	s, ok := lookUp(name)
	if !ok {
		return fmt.Errorf("gpu: no strategy %q", name)
	}
	return e.on("change of strategy", func() error {
		if e.searcher != nil {
			err := e.searcher.Close()
			e.searcher = nil
			if err != nil {
				return err
			}
		}
		e.strategy = s
		return e.makeSearcher(ctx)
	})
}

// Usable reports whether v has an edge other than a self loop.
func (e *Engine) Usable(v engine.Vertex) bool { return e.index[v/32]>>(v%32)&1 == 1 }

// Clear sets all parents to engine.None.
func (e *Engine) Clear() error {
	return e.on("clearing of parents", func() error {
		e.current = false
		if err := e.clearing.Fill(); err != nil {
			return err
		}
		return e.device.Synchronize()
	})
}

// Search fills the parents of all vertices reachable from root.
func (e *Engine) Search(ctx context.Context, root engine.Vertex) error {
	return e.on("search", func() error {
		e.current = false
		if e.alone = !e.Usable(root); e.alone {
			return e.parents.Write(int(root), []engine.Vertex{root})
		}
		return e.searcher.Search(ctx, root)
	})
}

// Profile returns the levels of the last search and its time by the GPU's
// clock; nothing of one that had nowhere to go.
func (e *Engine) Profile() (p engine.Profile, err error) {
	if e.alone {
		return p, nil
	}
	err = e.on("search", func() (err error) {
		if p.Levels, err = e.searcher.Levels(); err != nil {
			return err
		}
		if s, ok := e.searcher.(levelCounter); ok {
			if p.LevelCount, err = s.LevelCount(); err != nil {
				return err
			}
		}
		p.Device, err = e.searcher.DeviceTime()
		return err
	})
	return p, err
}

// Validate checks the parents by the Graph500 rules.
func (e *Engine) Validate(ctx context.Context, root engine.Vertex) (tree engine.Tree, err error) {
	err = e.validate(func(v *kernels.Validator) (err error) {
		tree, err = v.Tree(ctx, e.tuples, e.parents, root)
		return err
	})
	return tree, err
}

// CountEdges returns the facts of the parents without checking them.
func (e *Engine) CountEdges(ctx context.Context) (tree engine.Tree, err error) {
	err = e.validate(func(v *kernels.Validator) (err error) {
		tree, err = v.Count(ctx, e.tuples, e.parents)
		return err
	})
	return tree, err
}

func (e *Engine) validate(work func(*kernels.Validator) error) error {
	return e.on("validation", func() (err error) {
		if e.validator == nil {
			if e.validator, err = kernels.NewValidator(e.device, e.vertices); err != nil {
				return err
			}
		}
		return work(e.validator)
	})
}

// Batch returns the number of searches that are best validated together: 1, or
// more where the tuples have to be made again for that.
func (e *Engine) Batch() int {
	return max(1, e.kept(e.vertices, e.tuples.Len(), false))
}

// Keep copies the parents of the last search, which was from root, for
// ValidateKept or CountKept.
func (e *Engine) Keep(root engine.Vertex) error {
	return e.on("keeping of parents", func() error {
		return e.trees.Keep(e.parents, root)
	})
}

// ValidateKept checks the trees kept since the last call as Validate does and
// returns their facts in order. Where one breaks a rule, its error comes with
// the facts of those before it.
func (e *Engine) ValidateKept(ctx context.Context) (trees []engine.Tree, err error) {
	err = e.on("validation", func() (err error) {
		trees, err = e.trees.Validate(ctx, e.tuples)
		return err
	})
	return trees, err
}

// CountKept is CountEdges for the trees kept since the last call.
func (e *Engine) CountKept(ctx context.Context) (trees []engine.Tree, err error) {
	err = e.on("validation", func() (err error) {
		trees, err = e.trees.Count(ctx, e.tuples)
		return err
	})
	return trees, err
}

// Parents returns the host's copy of the parent array, N entries in original
// labels.
func (e *Engine) Parents(ctx context.Context) ([]engine.Vertex, error) {
	if e.current {
		return e.copied, nil
	}
	if err := e.allocateCopy(); err != nil {
		return nil, err
	}
	err := e.on("copying of parents", func() error {
		const piece = copyPiece / 4
		for at := 0; at < len(e.copied); at += piece {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := e.parents.Read(at, e.copied[at:min(at+piece, len(e.copied))]); err != nil {
				return err
			}
		}
		e.current = true
		return nil
	})
	return e.copied, err
}

// SetParents has the host's copy of the parent array filled and copies it to
// the device.
func (e *Engine) SetParents(fill func(parents []engine.Vertex) error) error {
	e.current = false
	if err := e.allocateCopy(); err != nil {
		return err
	}
	if err := fill(e.copied); err != nil {
		return err
	}
	return e.on("copying of parents", func() error { return e.parents.Write(0, e.copied) })
}

func (e *Engine) allocateCopy() (err error) {
	if e.copied == nil {
		e.copied, err = memory.Alloc[engine.Vertex](int(e.vertices))
	}
	return err
}

// Close gives all memory back, and the device.
func (e *Engine) Close() error {
	err := e.on("closing", func() error {
		var errs []error
		if e.validator != nil {
			errs = append(errs, e.validator.Close())
		}
		errs = append(errs, e.trees.Close())
		if e.searcher != nil {
			errs = append(errs, e.searcher.Close())
		}
		if e.graph != nil {
			errs = append(errs, e.graph.Close())
		}
		return errors.Join(append(errs, e.clearing.Close(), e.parents.Free(), e.tuples.Close())...)
	})
	for _, later := range []error{e.device.Close(), memory.Free(e.copied)} {
		if err == nil {
			err = later
		}
	}
	*e = Engine{}
	return err
}
