// Package report turns what a run measured into statistics and prints them:
// the official result block, JSON, CSV, Go benchmark lines, and tables for
// people. It knows no engine and runs nothing: the command fills a Run, and
// this package writes it.
package report

import (
	"slices"
	"time"

	"graph500/engine"
)

// Run is everything that one run of the benchmark produced. Machine fills the
// first part, the command the rest.
type Run struct {
	Version     string // of this program
	Commit      string // version-control revision, empty when unknown
	GoVersion   string
	Host        string
	Processor   string // model name
	Cores       int    // logical processors that this process may use
	MemoryBytes uint64 // memory of the machine; a limit on the process is not counted
	OS          string // "linux/amd64", kernel release

	Started  time.Time
	Command  []string // command line as typed
	Engine   string   // value of -engine
	Hardware string   // the engine's own line
	Strategy string   // value of -strategy
	Threads  int      // workers
	// LabelBits is the width of a vertex number in the engine's arrays.
	LabelBits int
	Device    *engine.Device // what the engine works on beside the host; may be nil
	// CopyBandwidth is the number of bytes a second that a plain copy inside
	// the device's memory read and wrote in this run; 0 if not measured.
	CopyBandwidth float64
	Environment   map[string]string // what a submission script passed on: job, modules; may be nil

	Source       string // "kronecker", or the path of the graph's file
	Scale        int    // for a graph from a file: ceil(log2 N)
	EdgeFactor   int    // for a graph from a file: round(M/N)
	Seed1, Seed2 uint64
	Graph        engine.Graph

	Generation   float64 // seconds; not part of construction
	Construction float64 // seconds of kernel 1
	Phases       []Phase // all phases in order
	Searches     []Search
	Validated    bool // every search was validated
	// ValidatedTogether is the number of searches validated at a time, the last
	// ones aside; 0 and 1 both say that each was validated by itself.
	ValidatedTogether int
	PeakBytes         uint64   // largest resident memory of the process
	Warnings          []string // as printed
	// NotConforming holds the reasons why this is no run by the rules of the
	// list: no validation, another edge factor, fewer than 64 searches, ... .
	// It is empty for a conforming run. The label width is stated beside it.
	NotConforming []string
}

// Phase is one step of a run.
type Phase struct {
	Name    string
	Seconds float64 // wall clock
	Tuples  int64   // input tuples gone through, for the rate; 0 where a rate says nothing
}

// Search is one timed search from one root.
type Search struct {
	Root          engine.Vertex
	Seconds       float64 // kernel 2, wall clock
	DeviceSeconds float64 // the same by the device's clock, without the host's part; 0 = unknown
	Tree          engine.Tree
	// ValidateSeconds is an equal share of the time of the searches validated
	// together; it has no meaning in a run without validation.
	ValidateSeconds float64
	Levels          []engine.Level // the first engine.MaxLevels levels expanded; may be nil
	LevelCount      int64          // number of all of them
	Examined        int64          // neighbour entries that all of them looked at
}

// SetProfile keeps a copy.
func (s *Search) SetProfile(p engine.Profile) {
	s.Levels, s.LevelCount, s.Examined = slices.Clone(p.Levels), p.LevelCount, p.Examined
	s.DeviceSeconds = p.Device.Seconds()
}

// TEPS returns the traversed edges per second of the search. It is 0, and not
// infinite or undefined, for a search that traversed no edge or was too short
// for the clock.
func (s Search) TEPS() float64 {
	if s.Tree.Edges <= 0 || s.Seconds <= 0 {
		return 0
	}
	return float64(s.Tree.Edges) / s.Seconds
}
