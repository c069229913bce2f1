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
	Started     time.Time         `json:"started"`     // start of the program, RFC 3339
	Command     []string          `json:"command"`     // command line as typed
	Environment map[string]string `json:"environment"` // variables of the batch system and of this program, by name
	Warnings    []string          `json:"warnings"`    // as printed

	Program   Program `json:"program"`
	Machine   Machine `json:"machine"`
	Processes []Rank  `json:"ranks"` // by number; one without a launcher
	Engine    Engine  `json:"engine"`
	Device    *Device `json:"device"`  // the first GPU; null on cores
	Devices   []GPU   `json:"devices"` // all GPUs, by rank
	Input     Input   `json:"input"`
	Graph     Graph   `json:"graph"`

	Generation   float64 `json:"graph_generation"`  // seconds to generate or read the tuples; not part of construction
	Construction float64 `json:"construction_time"` // seconds of kernel 1; in a comparison without the data structures of a strategy
	Phases       []Phase `json:"phases"`            // in order
}

// Program names the executable.
type Program struct {
	Version   string `json:"version"`    // of the program's module
	Commit    string `json:"commit"`     // revision, with -dirty if files were modified; empty if unknown
	GoVersion string `json:"go_version"` // of the Go compiler
}

// Machine is the machine of the run, with several hosts that of rank 0.
type Machine struct {
	Host      string `json:"host"`         // name of the host of rank 0
	Processor string `json:"processor"`    // model name
	Cores     int    `json:"cores"`        // logical processors available to the process
	Memory    uint64 `json:"memory_bytes"` // memory of the machine, whatever the process may use
	OS        string `json:"os"`           // system, architecture, kernel release
}

// Engine describes the engine, with several ranks that of rank 0.
type Engine struct {
	Name     string `json:"name"`     // value of -engine: cpu or gpu
	Hardware string `json:"hardware"` // its hardware, one line
	Threads  int    `json:"threads"`  // worker threads on the host, of rank 0

	// bits of a vertex number: 48 with -label-bits=48, else 32 on cores, 30 on one GPU, 31 on
	// several; the specification requires 48
	LabelBits int `json:"label_bits"`

	Exchange  engine.Exchange `json:"exchange,omitempty"`  // between several GPUs: peer, nccl or host
	Partition string          `json:"partition,omitempty"` // policy of -partition
	NCCL      string          `json:"nccl,omitempty"`      // version of NCCL, if it exchanges data
}

// Device describes the GPU of an engine.
type Device struct {
	GPU

	// bytes read plus written per second by a copy in the memory of the device; 0: not measured
	CopyBandwidth float64 `json:"copy_bandwidth"`

	// most bytes that arrays took at once, on the device with most; 0 if unknown
	Peak uint64 `json:"peak_bytes"`
}

// Kronecker is the Source of a generated graph.
const Kronecker = "kronecker"

// Input identifies the graph.
type Input struct {
	Source     string  `json:"source"`     // kronecker for edges of the generator, also from a file; else the file
	Scale      int     `json:"scale"`      // log2 N, rounded up
	EdgeFactor float64 `json:"edgefactor"` // M/N, exact; the official block rounds it
	Seed1      uint64  `json:"seed1"`      // seed of the generator
	Seed2      uint64  `json:"seed2"`      // seed of the search keys
	Weights    string  `json:"weights"`    // of SSSP on a loaded graph: file, integer, unit or drawn; else empty

	// of a graph that is not the generator's: 16 hexadecimal digits of its edges, in any
	// order, and of the weights read with them
	Checksum string `json:"checksum,omitempty"`
}

// Phase is one phase of a run.
type Phase struct {
	Name    string  `json:"name"`    // with two kernels, bfs or sssp first if it is a phase of one
	Seconds float64 `json:"seconds"` // time of the phase
	Tuples  int64   `json:"tuples"`  // input tuples processed; 0 if a rate has no meaning

	Energy []energy.Amount `json:"energy"` // empty without -energy, and for a phase too short
}

// Run holds all data of one run of the benchmark.
type Run struct {
	Setup

	// reasons why the run does not conform
	NotConforming []string `json:"not_conforming"`

	EnergyCounters []energy.Description `json:"energy_counters"` // those that worked

	Boards []Board `json:"boards"` // of all GPUs; empty where the library of the driver (NVML) is missing

	PeakMemory uint64      `json:"peak_memory_bytes"` // maximum resident memory, sum of all ranks, in which what they share counts for each; 0 if unknown
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
	Kernel   engine.Kernel `json:"kernel"`   // bfs (kernel 2) or sssp (kernel 3)
	Strategy string        `json:"strategy"` // value of -strategy
	Delta    float32       `json:"delta"`    // value of -delta; 0 for a strategy that does not use it

	// searches validated in one pass, in the last maybe fewer; 1 also without validation
	ValidatedTogether int `json:"validated_together"`

	Searches []Search `json:"searches"` // in the order of the run

	Repetition *Repetition `json:"repetition"` // null without -repeat-for
	Energy     []Energy    `json:"energy"`     // of the searches of -repeat-for, else of the timed ones
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
	Root    engine.Vertex `json:"root"`    // where it started
	Seconds float64       `json:"seconds"` // time of kernel 2 or 3
	Tree

	// seconds of validation, an equal share for each search of a group; null if not validated
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
