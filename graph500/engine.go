package main

import (
	"context"

	"graph500/engine"
	"graph500/kronecker"
	"graph500/memory"
)

// Engine is what the benchmark needs of an engine and nothing else. The driver
// owns the order of the calls and the clock:
//
//	Prepare, CopyBandwidth, Generate or Load, Tuples if they are wanted in a
//	file, Construct, Usable, and NewSearcher for each strategy.
//
// Every call that can take long returns the cause of the context's end soon
// after it ends.
type Engine interface {
	// Info says what the engine is.
	Info() engine.Info

	// Memory returns how much of its device's memory the engine may take. The
	// limit has no source where there is no device.
	Memory() memory.Limit

	// Plan lists the memory that the engine will take for a job. An engine may
	// plan to make generated tuples again where they have no room.
	Plan(job engine.Job) []engine.Allocation

	// Prepare readies the engine for jobs that differ in their strategies
	// alone, of which each fits: what takes time once is done here.
	Prepare(ctx context.Context, jobs []engine.Job) error

	// CopyBandwidth measures how many bytes a second a plain copy inside the
	// device's memory reads and writes; 0 where there is no device. It is called
	// before the tuples are there.
	CopyBandwidth() (bytesPerSecond float64, err error)

	// Generate makes the tuples of the Kronecker graph in the engine's memory.
	Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error

	// Load takes tuples from elsewhere over; the caller gives them up.
	// They come from graph.Read... and were made by memory.Alloc.
	Load(vertices uint64, tuples []engine.Edge) error

	// Tuples hands out all tuples in order, in pieces that are valid during
	// the call only, until yield returns an error.
	Tuples(ctx context.Context, yield func(tuples []engine.Edge) error) error

	// Construct is kernel 1: from the tuples to a graph. The first NewSearcher
	// is its last step.
	Construct(ctx context.Context) (engine.Graph, error)

	// Usable says of each vertex whether it has an edge other than a self loop.
	Usable(ctx context.Context, vertices []engine.Vertex) ([]bool, error)

	// NewSearcher returns a search by one of the engine's strategies. The one
	// before must be closed.
	NewSearcher(ctx context.Context, strategy engine.Strategy) (engine.Searcher, error)

	// Close gives everything back.
	Close() error
}
