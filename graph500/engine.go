package main

import (
	"context"

	"graph500/engine"
	"graph500/kronecker"
)

// Engine is what the benchmark needs of an engine and nothing else. The
// driver owns the order of the calls and the clock:
//
//	Generate or Load, Tuples if they are wanted in a file, Construct,
//	then for each root Clear, Search, and Validate or CountEdges.
//
// Every call that can take long returns the cause of the context's end soon
// after it ends.
type Engine interface {
	// Name is the value of -engine that selects this one.
	Name() string

	// Hardware describes what the engine runs on, one line for people.
	Hardware() string

	// Threads is the number of workers on the host.
	Threads() int

	// Plan lists the memory the engine will take for the given numbers of
	// vertices and tuples.
	Plan(vertices, tuples uint64) []engine.Allocation

	// Generate makes the tuples of the Kronecker graph in the engine's memory.
	Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error

	// Load takes tuples from elsewhere over; the caller gives them up.
	// They come from graph.Read... and were made by memory.Alloc.
	Load(vertices uint64, tuples []engine.Edge) error

	// Tuples hands out all tuples in order, in pieces that are valid during
	// the call only, until yield returns an error.
	Tuples(ctx context.Context, yield func(tuples []engine.Edge) error) error

	// Construct is kernel 1: from the tuples to a graph ready to search.
	Construct(ctx context.Context) (engine.Graph, error)

	// Usable reports whether v has an edge other than a self loop.
	Usable(v engine.Vertex) bool

	// Clear sets every parent to engine.None, as the benchmark wants it done
	// before the clock starts.
	Clear()

	// Search is kernel 2: it fills the parents of every vertex reachable from
	// root. The levels are valid until the next call.
	Search(ctx context.Context, root engine.Vertex) ([]engine.Level, error)

	// Validate checks the parents against the tuples by the Graph500 rules.
	Validate(ctx context.Context, root engine.Vertex) (engine.Tree, error)

	// CountEdges returns the same facts without checking (Depth is 0).
	CountEdges(ctx context.Context) (engine.Tree, error)

	// Parents returns the parent array in original labels, N entries; it is
	// the engine's own and is overwritten by the next search. A caller may
	// fill it (-check-parents) before Validate.
	Parents() []engine.Vertex

	// Close gives everything back.
	Close() error
}
