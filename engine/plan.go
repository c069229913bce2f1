package engine

import "strings"

// Job holds the parameters of a run that determine its memory use.
type Job struct {
	Vertices, Tuples uint64
	Loaded           bool         // the tuples are read from a file
	Wide             bool         // tuples with labels of 48 bits (Edge48), parents of 64 bits
	LoadedWide       bool         // the loaded tuples have labels of 48 bits already, only if Wide
	Integers         bool         // weights of SSSP are whole numbers (IntegerWeight), its distances have 64 bits (Results.Exact)
	Connected        uint64       // most vertices that have an edge to another vertex; 0 if unknown
	Partition        string       // policy that divides the graph between ranks; empty: ranges of vertices
	Strategies       []Strategy   // whose searchers exist at the same time, at most one per kernel
	Beside           []Strategy   // of other jobs, with whose graphs this one exists at the same time
	Searches         int          // number of searches of each kernel
	Delta            float32      // width of a bucket in units of the distance, for strategies with UsesDelta; above 0
	Others           []Allocation // memory of one process that others than the engine take
}

// Strategy returns the job's strategy for a kernel. It has no name if the job does
// not run the kernel.
func (j Job) Strategy(k Kernel) Strategy {
	for _, s := range j.Strategies {
		if s.Kernel == k {
			return s
		}
	}
	return Strategy{}
}

// Weighted reports whether the tuples need weights.
func (j Job) Weighted() bool { return j.Strategy(SSSP).Name != "" }

// Plan is the memory that a job takes.
type Plan struct {
	Job
	Memory []Allocation

	// Chosen is how the engine that made the plan will use the memory, for its Prepare; nil if
	// there was nothing to choose.
	Chosen any
}

// Allocation is one line of a memory plan.
type Allocation struct {
	Name  string
	Bytes uint64
	Phase Phase // phases in which the memory is allocated
	Place Place
}

// Place is the memory in which an allocation resides.
type Place uint8

const (
	HostMemory   Place = iota
	DeviceMemory       // of the engine's device
)

func (p Place) String() string {
	if p == DeviceMemory {
		return "device"
	}
	return "host"
}

// Phase is a set of phases of a run.
type Phase uint8

const (
	Measuring    Phase = 1 << iota // bandwidth measurement of the device, the first phase
	Loading                        // generation or reading of the tuples
	Construction                   // of the graph (kernel 1)
	Preparation                    // of the searches
	Search                         // searches and validation

	Searching = Preparation | Search // after construction

	Always Phase = 0 // all phases except Measuring
)

// phases lists the phases in chronological order.
var phases = []struct {
	phase Phase
	name  string
}{{Measuring, "measuring"}, {Loading, "loading"}, {Construction, "construction"}, {Preparation, "preparation"}, {Search, "search"}}

// has reports whether p includes the given phase.
func (p Phase) has(one Phase) bool {
	if p == Always {
		p = Loading | Construction | Searching
	}
	return p&one != 0
}

// String returns the name of the phase. For several phases, it names the first
// and the last one.
func (p Phase) String() string {
	if p == Always {
		return "whole run"
	}
	var names []string
	for _, one := range phases {
		if p.has(one.phase) {
			names = append(names, one.name)
		}
	}
	if len(names) > 2 {
		names = []string{names[0], names[len(names)-1]}
	}
	return strings.Join(names, " to ")
}

// Peak returns the largest number of bytes of a plan that are allocated at the
// same time in the given memory.
func Peak(plan []Allocation, place Place) uint64 {
	return PeakIn(plan, place, Measuring|Loading|Construction|Searching)
}

// PeakIn is Peak limited to the given phases.
func PeakIn(plan []Allocation, place Place, in Phase) (peak uint64) {
	for _, one := range phases {
		if in&one.phase == 0 {
			continue
		}
		var sum uint64
		for _, a := range plan {
			if a.Place == place && a.Phase.has(one.phase) {
				sum += a.Bytes
			}
		}
		peak = max(peak, sum)
	}
	return peak
}
