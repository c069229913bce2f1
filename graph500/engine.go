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
//	then for each root Clear, Search (timed), Profile, and Validate or
//	CountEdges, or those of a batchEngine for several roots together.
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
	// vertices and tuples, which are either loaded or generated. An engine may
	// plan to make generated tuples again where they have no room.
	Plan(vertices, tuples uint64, loaded bool) []engine.Allocation

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

	// UseStrategy makes the searches that follow work by the strategy of that
	// name, and Plan list its memory.
	UseStrategy(ctx context.Context, name string) error

	// Usable reports whether v has an edge other than a self loop.
	Usable(v engine.Vertex) bool

	// Clear sets every parent to engine.None, as the benchmark wants it done
	// before the clock starts. It is done when Clear returns.
	Clear() error

	// Search is kernel 2: it fills the parents of every vertex reachable from
	// root, in the engine's memory.
	Search(ctx context.Context, root engine.Vertex) error

	// Profile returns what was noted of the last search. It is valid until
	// the next one.
	Profile() (engine.Profile, error)

	// Validate checks the parents against the tuples by the Graph500 rules.
	Validate(ctx context.Context, root engine.Vertex) (engine.Tree, error)

	// CountEdges returns the same facts without checking (Depth is 0).
	CountEdges(ctx context.Context) (engine.Tree, error)

	// Parents returns the parent array in original labels, N entries, in the
	// host's memory. It is the engine's own and valid until the next search.
	Parents(ctx context.Context) ([]engine.Vertex, error)

	// SetParents hands the parent array, N entries, to fill, and takes the
	// parents over unless fill fails: Validate then looks at them.
	SetParents(fill func(parents []engine.Vertex) error) error

	// Close gives everything back.
	Close() error
}

// batchEngine is what an engine is that can validate several searches together.
type batchEngine interface {
	// Batch returns how many searches the engine would have validated together,
	// 1 if each by itself. It is called after Construct.
	Batch() int

	// Keep copies the parents of the last search, which was from root, aside.
	Keep(root engine.Vertex) error

	// ValidateKept is Validate for every search kept since the last call, in
	// order. Where one breaks a rule, the error is a *validate.Error and comes
	// with the facts of those before it.
	ValidateKept(ctx context.Context) ([]engine.Tree, error)

	// CountKept is CountEdges for every search kept since the last call.
	CountKept(ctx context.Context) ([]engine.Tree, error)
}

// deviceEngine is what an engine that works on a device with memory of its own
// can say besides.
type deviceEngine interface {
	Engine

	// Device describes it.
	Device() engine.Device

	// DeviceMemory returns how many bytes of its memory are free.
	DeviceMemory() (free uint64, err error)

	// MaxVertices is the largest number of vertices that it can tell apart.
	MaxVertices() uint64

	// CopyBandwidth measures how many bytes a second a plain copy inside the
	// device's memory reads and writes. It is called before the tuples are
	// there.
	CopyBandwidth() (bytesPerSecond float64, err error)
}
