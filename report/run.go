// Package report computes statistics of a run and writes the results: the official
// result block, JSON, CSV, Go benchmark lines, charts and text tables. It knows no
// engine and runs nothing: the command fills a Run, and this package writes it.
// docs/results.md describes the files.
package report

import (
	"cmp"
	"slices"
	"time"

	"graph500/energy"
	"graph500/engine"
)

// Setup holds the data that exist before the first search: program, machine, engine
// and graph. It is the common part of Run and Comparison.
type Setup struct {
	Started     time.Time         `json:"started"`
	Command     []string          `json:"command"`     // command line as typed, beginning with the program
	Environment map[string]string `json:"environment"` // recorded environment variables: job, modules
	Warnings    []string          `json:"warnings"`    // as printed

	Program   Program `json:"program"`
	Machine   Machine `json:"machine"`
	Processes []Rank  `json:"ranks"` // of the run, by number
	Engine    Engine  `json:"engine"`
	Device    *Device `json:"device"`  // nil for an engine on the host; the first one of several
	Devices   []GPU   `json:"devices"` // all devices, in order
	Input     Input   `json:"input"`
	Graph     Graph   `json:"graph"`

	Generation   float64 `json:"graph_generation"`  // seconds; not part of construction
	Construction float64 `json:"construction_time"` // seconds of kernel 1
	Phases       []Phase `json:"phases"`            // in order
}

// Program names the executable.
type Program struct {
	Version   string `json:"version"`
	Commit    string `json:"commit"` // version-control revision; empty if unknown
	GoVersion string `json:"go_version"`
}

// Machine is the machine of the run, with several hosts that of rank 0.
type Machine struct {
	Host      string `json:"host"`
	Processor string `json:"processor"`    // model name
	Cores     int    `json:"cores"`        // logical processors available to the process
	Memory    uint64 `json:"memory_bytes"` // of the machine, regardless of limits on the process
	OS        string `json:"os"`           // "linux/amd64", kernel release
}

// Engine describes the engine, with several ranks that of rank 0.
type Engine struct {
	Name      string `json:"name"`       // value of -engine
	Hardware  string `json:"hardware"`   // one line
	Threads   int    `json:"threads"`    // worker threads on the host
	LabelBits int    `json:"label_bits"` // width of a vertex number in the engine's arrays

	Exchange  engine.Exchange `json:"exchange,omitempty"`  // of data between several devices
	Partition string          `json:"partition,omitempty"` // policy that divides the graph between ranks; empty: ranges of vertices
	NCCL      string          `json:"nccl,omitempty"`      // version of the library, if it exchanges data
}

// Device describes the GPU of an engine.
type Device struct {
	GPU

	// CopyBandwidth is the copy bandwidth of the device's memory measured in this
	// run: bytes read plus bytes written per second; 0 if not measured.
	CopyBandwidth float64 `json:"copy_bandwidth"`

	// Peak is the most bytes of its memory that arrays of the run took at once, with
	// several devices of that with most; 0 if unknown.
	Peak uint64 `json:"peak_bytes"`
}

// Kronecker is the Source of a generated graph.
const Kronecker = "kronecker"

// Input identifies the graph.
type Input struct {
	Source     string  `json:"source"`     // Kronecker, or the path of the file
	Scale      int     `json:"scale"`      // for a graph from a file: ceil(log2 N)
	EdgeFactor float64 `json:"edgefactor"` // M/N
	Seed1      uint64  `json:"seed1"`
	Seed2      uint64  `json:"seed2"`

	// Weights says where those of a loaded graph come from: file, unit or drawn. Empty for
	// a generated graph, and without SSSP.
	Weights string `json:"weights"`

	// Checksum identifies a graph that is not the generator's, by its edges and the weights
	// that were read with them (graph.Checksum), in 16 hexadecimal digits; else empty.
	Checksum string `json:"checksum,omitempty"`
}

// Phase is one phase of a run.
type Phase struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"` // wall clock
	Tuples  int64   `json:"tuples"`  // input tuples processed; 0 if a rate has no meaning

	Energy []energy.Amount `json:"energy"` // of the parts measured; empty for a phase too short
}

// Run holds all data of one run of the benchmark.
type Run struct {
	Setup

	// NotConforming holds the reasons why the run does not conform to the rules of
	// the Graph500 list, such as label width, no validation, another edge factor or
	// fewer than 64 searches. It is empty for a conforming run.
	NotConforming []string `json:"not_conforming"`

	EnergyCounters []energy.Description `json:"energy_counters"` // that measured energy; empty without -energy

	PeakMemory uint64      `json:"peak_memory_bytes"` // maximum resident memory, the sum of all processes
	Kernels    []KernelRun `json:"kernels"`           // in the order of the run
}

// Conforming reports whether the run conforms to the rules of the Graph500 list.
func (r *Run) Conforming() bool { return len(r.NotConforming) == 0 }

// Validated reports whether every search was validated.
func (r *Run) Validated() bool {
	for i := range r.Kernels {
		if !r.Kernels[i].Validated() {
			return false
		}
	}
	return true
}

// Kernel returns the run's searches of a kernel, or nil if it has none.
func (r *Run) Kernel(k engine.Kernel) *KernelRun {
	for i := range r.Kernels {
		if r.Kernels[i].Kernel == k {
			return &r.Kernels[i]
		}
	}
	return nil
}

// KernelRun holds the searches of one kernel.
type KernelRun struct {
	Kernel   engine.Kernel `json:"kernel"`
	Strategy string        `json:"strategy"` // value of -strategy
	Delta    float32       `json:"delta"`    // width of the strategy's buckets; 0 for a strategy without buckets of fixed width

	// ValidatedTogether is the number of searches in a validation batch (the last
	// can be smaller); 1 if each was validated alone, or none.
	ValidatedTogether int `json:"validated_together"`

	Searches []Search `json:"searches"` // in the order of the run

	Repetition *Repetition `json:"repetition"` // of the searches; nil without -repeat-for
	Energy     []Energy    `json:"energy"`     // of the parts measured
}

// Validated reports whether every search was validated.
func (k *KernelRun) Validated() bool {
	for _, s := range k.Searches {
		if s.ValidateSeconds == nil {
			return false
		}
	}
	return true
}

// Rates returns the statistics of the TEPS.
func (k *KernelRun) Rates() Rates { return rates(k.Searches) }

// Median returns the index of the search with the median time; for an even number of
// searches, of the lower of the two in the middle.
func (k *KernelRun) Median() int {
	order := make([]int, len(k.Searches))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(k.Searches[a].Seconds, k.Searches[b].Seconds)
	})
	return order[(len(order)-1)/2]
}

// Search is one timed search from one root.
type Search struct {
	Root    engine.Vertex `json:"root"`
	Seconds float64       `json:"seconds"` // wall clock
	Tree

	// ValidateSeconds is the validation time: an equal share of that of the batch;
	// nil if the search was not validated. Depth and MaxDistance are unknown then.
	ValidateSeconds *float64 `json:"validate_seconds"`

	Profile
}

// TEPS returns the traversed edges per second of the search. It is 0 for a search that
// traversed no edge, or whose time is 0 because it was too short for the clock.
func (s Search) TEPS() float64 {
	if s.Edges <= 0 || s.Seconds <= 0 {
		return 0
	}
	return float64(s.Edges) / s.Seconds
}
