package report

import (
	"encoding/json"
	"slices"

	"graph500/engine"
)

// The types below are the records of values that engines return, whose package documents their
// fields. Conversions between the types need the same fields in both.

// GPU is the record of an engine.Device.
type GPU struct {
	Name            string `json:"name"`
	Driver          string `json:"driver"`
	Architecture    string `json:"architecture"`
	BusID           string `json:"bus_id"`
	Memory          uint64 `json:"memory_bytes"`
	Multiprocessors int    `json:"multiprocessors"`
	ClockMHz        int    `json:"clock_mhz"`
	MemoryClockMHz  int    `json:"memory_clock_mhz"`
}

// GPUs returns the records of devices.
func GPUs(devices []engine.Device) (gpus []GPU) {
	for _, d := range devices {
		gpus = append(gpus, GPU(d))
	}
	return gpus
}

// Graph is the record of an engine.Graph.
type Graph struct {
	Vertices    int64                 `json:"vertices"`
	Connected   int64                 `json:"connected"`
	Tuples      int64                 `json:"tuples"`
	SelfLoops   int64                 `json:"self_loops"`
	Duplicates  int64                 `json:"duplicates"`
	Arcs        int64                 `json:"arcs"`
	MaxDegree   int64                 `json:"max_degree"`
	Regenerated bool                  `json:"tuples_regenerated"`
	HostTuples  engine.HostMemoryKind `json:"host_tuples,omitempty"`
	Prefix      int64                 `json:"prefix,omitempty"`
	HostBytes   int64                 `json:"host_neighbor_bytes,omitempty"`
}

// graphFields is a Graph without its methods.
type graphFields Graph

// graphDocument is a Graph in JSON with the values computed from it.
type graphDocument struct {
	graphFields
	Isolated      int64   `json:"isolated"`       // vertices without an edge to another vertex
	IsolatedShare float64 `json:"isolated_share"` // isolated / vertices, 0 to 1
}

// MarshalJSON writes a graphDocument.
func (g Graph) MarshalJSON() ([]byte, error) {
	return json.Marshal(graphDocument{graphFields(g), engine.Graph(g).Isolated(), engine.Graph(g).IsolatedShare()})
}

// Tree is the record of an engine.Tree.
type Tree struct {
	Visited     int64   `json:"visited"`
	Edges       int64   `json:"nedge"`
	SelfLoops   int64   `json:"self_loops"`
	Depth       int64   `json:"depth"`
	MaxDistance float32 `json:"max_distance"`
	MaxExact    uint64  `json:"max_distance_exact,omitempty"`
}

// Level is the record of an engine.Level.
type Level struct {
	Direction    engine.Direction `json:"direction"`
	Step         string           `json:"step"`
	Frontier     int64            `json:"frontier"`
	Found        int64            `json:"found"`
	Examined     int64            `json:"examined"`
	Bytes        int64            `json:"bytes"`
	Seconds      float64          `json:"seconds"`
	HostBytes    int64            `json:"host_bytes,omitempty"`
	HostRequests int64            `json:"host_requests,omitempty"`
}

// Worklist is the record of an engine.Worklist.
type Worklist struct {
	Items          int64 `json:"items"`
	Useful         int64 `json:"useful"`
	StealsInGroup  int64 `json:"steals_in_group"`
	StealsInSocket int64 `json:"steals_in_socket"`
	StealsBeyond   int64 `json:"steals_beyond"`
}

// Profile is the record of an engine.Profile.
type Profile struct {
	LevelCount    int64     `json:"level_count"`
	Examined      int64     `json:"examined"`
	DeviceSeconds float64   `json:"device_seconds"`
	HostBytes     int64     `json:"host_bytes,omitempty"`
	HostRequests  int64     `json:"host_requests,omitempty"`
	RankBytes     int64     `json:"rank_bytes,omitempty"`
	Levels        []Level   `json:"levels"`
	Worklist      *Worklist `json:"worklist,omitempty"`
}

// ProfileOf returns the record of a profile, which does not share memory with it.
func ProfileOf(p engine.Profile) Profile {
	r := Profile{
		LevelCount: p.LevelCount, Examined: p.Examined, DeviceSeconds: p.DeviceSeconds,
		HostBytes: p.HostBytes, HostRequests: p.HostRequests, RankBytes: p.RankBytes,
	}
	for _, l := range p.Levels {
		r.Levels = append(r.Levels, Level(l))
	}
	if p.Worklist != nil {
		w := Worklist(*p.Worklist)
		r.Worklist = &w
	}
	return r
}

// TakeHost takes what went over the bus from a counted search with the same root, if that
// has the same levels.
func (p *Profile) TakeHost(c engine.Counts) {
	same := func(a Level, b engine.Level) bool {
		return a.Step == b.Step && a.Frontier == b.Frontier && a.Found == b.Found
	}
	if c.Profile == nil || !slices.EqualFunc(p.Levels, c.Profile.Levels, same) {
		return
	}
	p.HostBytes, p.HostRequests = c.HostBytes, c.HostRequests
	for i, l := range c.Profile.Levels {
		p.Levels[i].HostBytes, p.Levels[i].HostRequests = l.HostBytes, l.HostRequests
	}
}

// Counts is the record of an engine.Counts.
type Counts struct {
	Examined      int64 `json:"examined"`
	Atomics       int64 `json:"atomics"`
	SharedAtomics int64 `json:"shared_atomics"`
	Launches      int64 `json:"launches"`
	HostBytes     int64 `json:"host_bytes,omitempty"`
	HostRequests  int64 `json:"host_requests,omitempty"`
}

// CountsOf returns the record of counts; nil if there are none.
func CountsOf(c *engine.Counts) *Counts {
	if c == nil {
		return nil
	}
	return &Counts{c.Examined, c.Atomics, c.SharedAtomics, c.Launches, c.HostBytes, c.HostRequests}
}
