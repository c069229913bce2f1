package engine

import (
	"context"
	"fmt"
)

// Searcher holds what one kernel and strategy need to search the engine's
// graph. The driver owns the order of the calls and the clock: for each root
// Clear, Search (timed), Profile and Keep; and Check and Drop when Room searches
// are kept, or all. Every call that can take long returns the cause of the
// context's end soon after it ends.
type Searcher interface {
	// Room is the number of searches that can be kept for one Check, at least
	// 1.
	Room() int

	// Clear sets every result to none, as the benchmark wants it done before
	// the clock starts. It is done when Clear returns.
	Clear() error

	// Search fills the results of every vertex reachable from root, which has
	// an edge to another vertex, in the engine's memory. All results are none
	// before.
	Search(ctx context.Context, root Vertex) error

	// Profile returns what was noted of the last search. It is valid until the
	// next one.
	Profile() (Profile, error)

	// Keep puts the results of the last search aside for Check. At most Room
	// are kept.
	Keep() error

	// Drop forgets the searches that are kept.
	Drop()

	// Set is Keep for results from elsewhere, which fill writes: those of a
	// search from root.
	Set(root Vertex, fill func(Results) error) error

	// Check validates the kept searches against the tuples and returns their
	// facts in the order in which they were kept. Where one breaks a rule, the
	// error is a *validate.Error and comes with the facts of those before it;
	// what comes with another error has no meaning.
	Check(ctx context.Context) ([]Tree, error)

	// CountEdges returns the facts without checking anything; Depth is 0.
	CountEdges(ctx context.Context) ([]Tree, error)

	// Results hands out those of kept search number i in the host's memory.
	// They are the engine's own and valid until the next call.
	Results(ctx context.Context, i int) (Results, error)

	// CountWork is Clear and Search in a form that counts what it does and is
	// slow; nil if there is none. Keep keeps this search then; Profile does not
	// tell of it.
	CountWork(ctx context.Context, root Vertex) (*Counts, error)

	// Close gives everything back.
	Close() error
}

// Results is what a search fills, an entry a vertex.
type Results struct {
	Parents []Local // None for a vertex that was not reached
}

// MaxLevels is the number of levels of a search that are kept one by one.
// Official graphs have about ten; a long path has as many as vertices, which in
// 64 searches would outgrow the graph.
const MaxLevels = 1000

// Profile is what an engine noted of a search besides its results.
type Profile struct {
	LevelCount int64 `json:"level_count"` // all levels
	Examined   int64 `json:"examined"`    // neighbour entries looked at, over all levels

	// DeviceSeconds is the search's time by the clock of the device that ran it,
	// without the host's part; 0 where there is no other device, or unknown.
	DeviceSeconds float64 `json:"device_seconds"`

	Levels []Level `json:"levels"` // the first MaxLevels
}

// Level describes the expansion of one level of a search.
type Level struct {
	Direction Direction `json:"direction"`
	Step      string    `json:"step"`     // what the engine did, where it has more ways than the two directions
	Frontier  int64     `json:"frontier"` // vertices expanded from
	Found     int64     `json:"found"`    // vertices newly reached
	Examined  int64     `json:"examined"` // neighbour entries looked at
	Bytes     int64     `json:"bytes"`    // that the step read and wrote; 0 = unknown
	Seconds   float64   `json:"seconds"`  // wall clock
}

// Direction is the way a level was expanded.
type Direction uint8

const (
	TopDown  Direction = iota // from the frontier to its neighbours
	BottomUp                  // from unvisited vertices to the frontier
)

func (d Direction) String() string {
	if d == BottomUp {
		return "bottom-up"
	}
	return "top-down"
}

// MarshalText returns the direction's name.
func (d Direction) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText takes the direction's name.
func (d *Direction) UnmarshalText(text []byte) error {
	for _, direction := range []Direction{TopDown, BottomUp} {
		if direction.String() == string(text) {
			*d = direction
			return nil
		}
	}
	return fmt.Errorf("%q is no direction of a level, they are %s and %s", text, TopDown, BottomUp)
}

// Add enters a level that has ended.
func (p *Profile) Add(l Level) {
	if len(p.Levels) < MaxLevels {
		p.Levels = append(p.Levels, l)
	}
	p.LevelCount++
	p.Examined += l.Examined
}

// Reset forgets a search and keeps the memory of its levels.
func (p *Profile) Reset() { *p = Profile{Levels: p.Levels[:0]} }

// Counts is what a search did, counted in a search apart from the timed ones.
type Counts struct {
	Examined      int64 `json:"examined"`       // neighbour entries looked at
	Atomics       int64 `json:"atomics"`        // read-modify-write operations on global memory, each of one thread
	SharedAtomics int64 `json:"shared_atomics"` // likewise, on the shared memory of a block
	Launches      int64 `json:"launches"`       // kernels launched
}

// Tree holds the facts of a parent tree that passed validation.
type Tree struct {
	Visited   int64 `json:"visited"`    // vertices in the tree, the root included
	Edges     int64 `json:"nedge"`      // tuples inside the component, self loops excluded
	SelfLoops int64 `json:"self_loops"` // self-loop tuples inside the component
	Depth     int64 `json:"depth"`      // largest distance from the root
}
