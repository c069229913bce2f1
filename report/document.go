package report

import (
	"encoding/json"
	"io"
	"time"

	"graph500/engine"
)

// SchemaVersion is the version of Document. A new field leaves it; a field
// that is renamed, dropped or given another meaning raises it.
const SchemaVersion = 1

// Document is the form of a run in JSON, result.json. Times are in seconds of
// wall clock, sizes in bytes, all at full precision. Lists and maps are never
// null.
type Document struct {
	SchemaVersion int `json:"schema_version"`

	// Conforming says whether the run keeps the rules of the Graph500 list,
	// label width aside; NotConforming holds the reasons why not.
	Conforming    bool     `json:"conforming"`
	NotConforming []string `json:"not_conforming"`
	// LabelBits is the width of a vertex number in memory; the specification
	// asks for 48 or more.
	LabelBits int `json:"label_bits"`

	Started     time.Time         `json:"started"`     // RFC 3339
	Command     []string          `json:"command"`     // command line as typed, program first
	Environment map[string]string `json:"environment"` // what a submission script passed on: job, modules
	Warnings    []string          `json:"warnings"`
	Program     ProgramRecord     `json:"program"`
	Machine     MachineRecord     `json:"machine"`
	Engine      EngineRecord      `json:"engine"`
	Device      *DeviceRecord     `json:"device"` // null for an engine on the host
	Input       InputRecord       `json:"input"`
	Graph       GraphRecord       `json:"graph"`

	GraphGeneration  float64       `json:"graph_generation"`  // seconds; not part of construction
	ConstructionTime float64       `json:"construction_time"` // seconds of kernel 1
	Phases           []PhaseRecord `json:"phases"`            // in order

	NBFS      int  `json:"nbfs"`      // number of timed searches
	Validated bool `json:"validated"` // every search was validated
	// ValidatedTogether is the number of searches that one look at the tuples
	// validated; each has an equal share of its time. It is 1 where each was
	// validated by itself, or none.
	ValidatedTogether int `json:"validated_together"`

	BFS        KernelRecord   `json:"bfs"`
	Searches   []SearchRecord `json:"searches"`          // in the order of the run
	PeakMemory uint64         `json:"peak_memory_bytes"` // bytes, largest resident memory of the process
}

// ProgramRecord names the executable.
type ProgramRecord struct {
	Version   string `json:"version"`
	Commit    string `json:"commit"` // version-control revision, empty when unknown
	GoVersion string `json:"go_version"`
}

// MachineRecord is the machine of the run.
type MachineRecord struct {
	Host      string `json:"host"`
	Processor string `json:"processor"`    // model name
	Cores     int    `json:"cores"`        // logical processors that the process could use
	Memory    uint64 `json:"memory_bytes"` // bytes
	OS        string `json:"os"`           // system, architecture and kernel release
}

// EngineRecord names what searched.
type EngineRecord struct {
	Name     string `json:"name"`     // value of -engine
	Hardware string `json:"hardware"` // the engine's own line
	Strategy string `json:"strategy"` // value of -strategy
	Threads  int    `json:"threads"`
}

// DeviceRecord is the processor of an engine that does not run on the host.
type DeviceRecord struct {
	Name            string `json:"name"`
	Driver          string `json:"driver"`       // version of the driver's interface
	Architecture    string `json:"architecture"` // compute capability
	BusID           string `json:"bus_id"`       // PCI domain:bus:device.function
	Memory          uint64 `json:"memory_bytes"`
	Multiprocessors int    `json:"multiprocessors"`
	ClockMHz        int    `json:"clock_mhz"`        // highest of the processor
	MemoryClockMHz  int    `json:"memory_clock_mhz"` // highest of the memory
	// CopyBandwidth is in bytes read and written a second, by a plain copy
	// inside the device's memory in this run; 0 if not measured.
	CopyBandwidth float64 `json:"copy_bandwidth"`
}

// InputRecord names the graph.
type InputRecord struct {
	Source     string `json:"source"`     // "kronecker", or the path of a file
	Scale      int    `json:"scale"`      // for a file: ceil(log2 N)
	EdgeFactor int    `json:"edgefactor"` // for a file: round(M/N)
	Seed1      uint64 `json:"seed1"`
	Seed2      uint64 `json:"seed2"`
}

// GraphRecord holds the exact counts of the graph.
type GraphRecord struct {
	Vertices      int64   `json:"vertices"`       // N, isolated ones included
	Tuples        int64   `json:"tuples"`         // M, input tuples
	Isolated      int64   `json:"isolated"`       // vertices without an edge to another vertex
	IsolatedShare float64 `json:"isolated_share"` // isolated / vertices, 0..1
	SelfLoops     int64   `json:"self_loops"`     // tuples with equal ends, dropped
	Duplicates    int64   `json:"duplicates"`     // tuples that repeat an edge and were dropped
	Arcs          int64   `json:"arcs"`           // stored directed edges
	MaxDegree     int64   `json:"max_degree"`     // largest number of distinct neighbours
	// TuplesRegenerated says that the tuples were not kept in memory, but made
	// again within construction and within validation.
	TuplesRegenerated bool `json:"tuples_regenerated"`
}

// PhaseRecord is one step of the run.
type PhaseRecord struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	Tuples  int64   `json:"tuples"` // input tuples gone through, 0 where that is no measure of the phase
}

// KernelRecord holds the statistics of a kernel.
type KernelRecord struct {
	Time  Statistics `json:"time"`  // seconds
	Nedge Statistics `json:"nedge"` // tuples inside the component, duplicates counted, self loops not
	TEPS  Rates      `json:"teps"`  // traversed edges per second
	// Validate is in seconds a search; null in a run without validation.
	Validate *Statistics `json:"validate"`
}

// SearchRecord is one timed search.
type SearchRecord struct {
	Root    engine.Vertex `json:"root"`
	Seconds float64       `json:"seconds"`
	// DeviceSeconds is the time by the device's clock, without the host's
	// part; null where there is no such clock.
	DeviceSeconds *float64 `json:"device_seconds"`
	Nedge         int64    `json:"nedge"`
	TEPS          float64  `json:"teps"`       // 0 for a search without edges
	Visited       int64    `json:"visited"`    // vertices of the tree, the root included
	SelfLoops     int64    `json:"self_loops"` // self-loop tuples inside the component
	// Depth is the largest distance from the root, and ValidateSeconds the
	// time of the rules, or a share of that of searches validated together;
	// both null in a run without validation.
	Depth           *int64   `json:"depth"`
	ValidateSeconds *float64 `json:"validate_seconds"`
	// LevelCount is the number of levels expanded, and Levels holds the first
	// 1000 of them.
	LevelCount int64         `json:"level_count"`
	Levels     []LevelRecord `json:"levels"`
}

// LevelRecord is the expansion of one level of a search.
type LevelRecord struct {
	Direction string  `json:"direction"` // "top-down" or "bottom-up"
	Frontier  int64   `json:"frontier"`  // vertices expanded from
	Found     int64   `json:"found"`     // vertices newly reached
	Examined  int64   `json:"examined"`  // neighbour entries looked at
	Bytes     int64   `json:"bytes"`     // of memory traffic asked for, an estimate; 0 if unknown
	Seconds   float64 `json:"seconds"`
}

// JSON writes the run as a Document.
func JSON(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r.document())
}

func (r *Run) document() *Document {
	d := &Document{
		SchemaVersion: SchemaVersion,
		Conforming:    len(r.NotConforming) == 0,
		NotConforming: list(r.NotConforming),
		LabelBits:     r.LabelBits,
		Started:       r.Started,
		Command:       list(r.Command),
		Environment:   r.Environment,
		Warnings:      list(r.Warnings),
		Program:       r.program(),
		Machine:       r.machine(),
		Engine:        EngineRecord{r.Engine, r.Hardware, r.Strategy, r.Threads},
		Device:        r.device(),
		Input:         r.input(),
		Graph:         r.graph(),

		GraphGeneration:  r.Generation,
		ConstructionTime: r.Construction,
		Phases:           make([]PhaseRecord, 0, len(r.Phases)),
		NBFS:             len(r.Searches),
		Validated:        r.Validated,

		ValidatedTogether: max(1, r.ValidatedTogether),

		BFS:        KernelRecord{Time: r.times(), Nedge: r.edges(), TEPS: rates(r.Searches)},
		Searches:   make([]SearchRecord, 0, len(r.Searches)),
		PeakMemory: r.PeakBytes,
	}
	if d.Environment == nil {
		d.Environment = map[string]string{}
	}
	if r.Validated {
		v := r.validations()
		d.BFS.Validate = &v
	}
	for _, p := range r.Phases {
		d.Phases = append(d.Phases, PhaseRecord(p))
	}
	for _, s := range r.Searches {
		d.Searches = append(d.Searches, s.record(r.Validated))
	}
	return d
}

func (r *Run) program() ProgramRecord { return ProgramRecord{r.Version, r.Commit, r.GoVersion} }

func (r *Run) machine() MachineRecord {
	return MachineRecord{r.Host, r.Processor, r.Cores, r.MemoryBytes, r.OS}
}

func (r *Run) input() InputRecord {
	return InputRecord{r.Source, r.Scale, r.EdgeFactor, r.Seed1, r.Seed2}
}

func (r *Run) graph() GraphRecord {
	g := r.Graph
	return GraphRecord{
		Vertices:      g.Vertices,
		Tuples:        g.Tuples,
		Isolated:      g.Isolated(),
		IsolatedShare: r.isolatedShare(),
		SelfLoops:     g.SelfLoops,
		Duplicates:    g.Duplicates,
		Arcs:          g.Arcs,
		MaxDegree:     g.MaxDegree,

		TuplesRegenerated: g.Regenerated,
	}
}

func (s Search) record(validated bool) SearchRecord {
	rec := SearchRecord{
		Root:      s.Root,
		Seconds:   s.Seconds,
		Nedge:     s.Tree.Edges,
		TEPS:      s.TEPS(),
		Visited:   s.Tree.Visited,
		SelfLoops: s.Tree.SelfLoops,

		LevelCount: s.LevelCount,
		Levels:     make([]LevelRecord, 0, len(s.Levels)),
	}
	if validated {
		rec.Depth, rec.ValidateSeconds = &s.Tree.Depth, &s.ValidateSeconds
	}
	if s.DeviceSeconds > 0 {
		rec.DeviceSeconds = &s.DeviceSeconds
	}
	for _, l := range s.Levels {
		rec.Levels = append(rec.Levels, LevelRecord{l.Direction.String(), l.Frontier, l.Found, l.Examined, l.Bytes, l.Time.Seconds()})
	}
	return rec
}

func (r *Run) device() *DeviceRecord {
	if r.Device == nil {
		return nil
	}
	return &DeviceRecord{
		Name:            r.Device.Name,
		Driver:          r.Device.Driver,
		Architecture:    r.Device.Architecture,
		BusID:           r.Device.BusID,
		Memory:          r.Device.Memory,
		Multiprocessors: r.Device.Multiprocessors,
		ClockMHz:        r.Device.ClockMHz,
		MemoryClockMHz:  r.Device.MemoryClockMHz,
		CopyBandwidth:   r.CopyBandwidth,
	}
}

func (r *Run) isolatedShare() float64 {
	if r.Graph.Vertices == 0 {
		return 0
	}
	return float64(r.Graph.Isolated()) / float64(r.Graph.Vertices)
}

// list makes an absent list an empty one.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
