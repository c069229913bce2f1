package run

import (
	"context"

	"graph500/engine"
	"graph500/kronecker"
	"graph500/memory"
)

// Engine holds one graph. This package determines the order of the calls and
// measures their times:
//
//	Prepare; CopyBandwidth; Generate or Load; Tuples to write them to a file;
//	Construct; NewSearcher, once per strategy. Usable follows Construct.
//
// One of several ranks has a part of the tuples (graph.PartOf).
//
// A call with a context returns the cause of the context's end soon after the end.
type Engine interface {
	// Info describes the engine.
	Info() engine.Info

	// Memory returns the limit on the device memory that the engine takes. The
	// limit has no source if the engine has no device.
	Memory() memory.Limit

	// Plan lists the memory that the engine will take for a job. If generated
	// tuples do not fit, the engine can plan to generate them again when needed.
	Plan(job engine.Job) engine.Plan

	// Prepare does the one-time work for jobs that differ only in their
	// strategies. Each of them fits into memory. The plans are of Plan. If that takes long, it calls progress, unless
	// nil, with numbers of bytes.
	Prepare(ctx context.Context, plans []engine.Plan, progress func(done, total int64)) error

	// CopyBandwidth measures the copy bandwidth of the device's memory: bytes read
	// plus bytes written per second; 0 without a device. It is called before the
	// tuples exist.
	CopyBandwidth() (bytesPerSecond float64, err error)

	// DevicePeak returns the most bytes of the device's memory that arrays have taken so
	// far, with several devices of that with most; 0 without a device.
	DevicePeak() uint64

	// Generate generates this rank's tuples of the Kronecker graph in the engine's
	// memory, with their weights if a job of Prepare needs them.
	Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error

	// Load passes this rank's tuples to the engine, which becomes their owner. The slices were
	// allocated by memory.Alloc. There are weights if a job of Prepare needs them. Labels have 48
	// bits if the job says so (LoadedWide), else the engine widens them if it needs that.
	Load(ctx context.Context, vertices uint64, tuples engine.Tuples) error

	// Tuples calls yield with this rank's tuples in order, piece by piece, until yield
	// returns an error. A piece is valid during the call of yield.
	Tuples(ctx context.Context, yield func(tuples engine.Tuples) error) error

	// AllTuples is Tuples for the tuples of all ranks. An engine without access to those
	// of other ranks returns an error.
	AllTuples(ctx context.Context, yield func(tuples engine.Tuples) error) error

	// Construct is kernel 1 without the data structures of a strategy, which
	// NewSearcher builds.
	Construct(ctx context.Context) (engine.Graph, error)

	// Usable reports for each vertex whether it has an edge other than a self loop.
	Usable(ctx context.Context, vertices []engine.Vertex) ([]bool, error)

	// NewSearcher returns a searcher for one of the engine's strategies. The
	// previous searcher of the same kernel must be closed. Searchers are closed in the
	// reverse order of their creation.
	NewSearcher(ctx context.Context, strategy engine.Strategy) (engine.Searcher, error)

	// Close frees all resources.
	Close() error
}
