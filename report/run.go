// Package report turns what a run measured into statistics and prints them:
// the official result block, JSON, CSV, Go benchmark lines, pictures, and tables
// for people. It knows no engine and runs nothing: the command fills a Run, and
// this package writes it. docs/results.md describes the files.
package report

import (
	"encoding/json"
	"time"

	"graph500/engine"
)

// Setup is what a run has before its first search: program, machine, engine and
// graph. A Run and a Comparison have it in common.
type Setup struct {
	Started     time.Time         `json:"started"`
	Command     []string          `json:"command"`     // command line as typed, program first
	Environment map[string]string `json:"environment"` // what a submission script passed on: job, modules
	Warnings    []string          `json:"warnings"`    // as printed

	Program Program      `json:"program"`
	Machine Machine      `json:"machine"`
	Engine  Engine       `json:"engine"`
	Device  *Device      `json:"device"` // what the engine works on, where that is not the host; else nil
	Input   Input        `json:"input"`
	Graph   engine.Graph `json:"graph"`

	Generation   float64 `json:"graph_generation"`  // seconds; not part of construction
	Construction float64 `json:"construction_time"` // seconds of kernel 1
	Phases       []Phase `json:"phases"`            // in order
}

// Program names the executable.
type Program struct {
	Version   string `json:"version"`
	Commit    string `json:"commit"` // version-control revision, empty when unknown
	GoVersion string `json:"go_version"`
}

// Machine is the machine of the run.
type Machine struct {
	Host      string `json:"host"`
	Processor string `json:"processor"`    // model name
	Cores     int    `json:"cores"`        // logical processors that this process may use
	Memory    uint64 `json:"memory_bytes"` // of the machine; a limit on the process is not counted
	OS        string `json:"os"`           // "linux/amd64", kernel release
}

// Engine is what searches.
type Engine struct {
	Name      string `json:"name"`               // value of -engine
	Hardware  string `json:"hardware"`           // the engine's own line
	Strategy  string `json:"strategy,omitempty"` // value of -strategy; none in a Comparison
	Threads   int    `json:"threads"`            // workers on the host
	LabelBits int    `json:"label_bits"`         // width of a vertex number in the engine's arrays
}

// Device is the processor of an engine that does not work on the host.
type Device struct {
	engine.Device

	// CopyBandwidth is the number of bytes a second that a plain copy inside the
	// device's memory read and wrote in this run; 0 if not measured.
	CopyBandwidth float64 `json:"copy_bandwidth"`
}

// Kronecker is the source of a generated graph.
const Kronecker = "kronecker"

// Input names the graph.
type Input struct {
	Source     string  `json:"source"`     // Kronecker, or the path of the graph's file
	Scale      int     `json:"scale"`      // for a graph from a file: ceil(log2 N)
	EdgeFactor float64 `json:"edgefactor"` // M/N
	Seed1      uint64  `json:"seed1"`
	Seed2      uint64  `json:"seed2"`
}

// Phase is one step of a run.
type Phase struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"` // wall clock
	Tuples  int64   `json:"tuples"`  // input tuples gone through, for the rate; 0 where a rate says nothing
}

// Run is everything that one run of the benchmark produced.
type Run struct {
	Setup

	// NotConforming holds the reasons why this is no run by the rules of the
	// list: label width, no validation, another edge factor, fewer than 64
	// searches, ... . It is empty for a conforming run.
	NotConforming []string `json:"not_conforming"`

	// ValidatedTogether is the number of searches validated at a time, the last
	// ones aside; 1 if each was validated by itself, or none.
	ValidatedTogether int `json:"validated_together"`

	PeakMemory uint64   `json:"peak_memory_bytes"` // largest resident memory of the process
	Searches   []Search `json:"searches"`          // in the order of the run
}

// Conforming reports whether the run keeps the rules of the list.
func (r *Run) Conforming() bool { return len(r.NotConforming) == 0 }

// Validated reports whether every search was validated.
func (r *Run) Validated() bool {
	for _, s := range r.Searches {
		if s.ValidateSeconds == nil {
			return false
		}
	}
	return true
}

// Search is one timed search from one root.
type Search struct {
	Root    engine.Vertex `json:"root"`
	Seconds float64       `json:"seconds"` // kernel 2, wall clock
	engine.Tree

	// ValidateSeconds is an equal share of the time of the searches validated
	// together; nil if the search was not validated, and then Depth is unknown.
	ValidateSeconds *float64 `json:"validate_seconds"`

	engine.Profile
}

// TEPS returns the traversed edges per second of the search. It is 0, and not
// infinite or undefined, for a search that traversed no edge or was too short
// for the clock.
func (s Search) TEPS() float64 {
	if s.Edges <= 0 || s.Seconds <= 0 {
		return 0
	}
	return float64(s.Edges) / s.Seconds
}

// MarshalJSON adds the TEPS and writes null for what is not known.
func (s Search) MarshalJSON() ([]byte, error) {
	type fields Search
	out := struct {
		fields
		TEPS          float64        `json:"teps"`
		Depth         *int64         `json:"depth"`
		DeviceSeconds *float64       `json:"device_seconds"`
		Levels        []engine.Level `json:"levels"`
	}{fields: fields(s), TEPS: s.TEPS(), Levels: list(s.Levels)}
	if s.ValidateSeconds != nil {
		out.Depth = &s.Depth
	}
	if s.DeviceSeconds > 0 {
		out.DeviceSeconds = &s.DeviceSeconds
	}
	return json.Marshal(out)
}
