package engine

// Job is what an engine is asked to do, as far as its memory goes.
type Job struct {
	Vertices, Tuples uint64
	Loaded           bool     // the tuples come from a file
	Strategy         Strategy // of the searches
	Searches         int      // how many there are
}

// Allocation is one line of a memory plan.
type Allocation struct {
	Name  string
	Bytes uint64
	Phase Phase // phase in which it is alive
	Place Place // memory that it is taken from
}

// Place is a memory that an allocation can lie in.
type Place uint8

const (
	HostMemory   Place = iota
	DeviceMemory       // the engine's device's own
)

func (p Place) String() string {
	if p == DeviceMemory {
		return "device"
	}
	return "host"
}

// Phase says when an allocation of a memory plan is alive.
type Phase uint8

const (
	Always       Phase = iota // from its making to the end of the run
	Construction              // only while the graph is built
	Searching                 // only after construction
	Loading                   // only until the tuples are in the engine
)

func (p Phase) String() string {
	switch p {
	case Construction:
		return "construction"
	case Searching:
		return "search"
	case Loading:
		return "loading"
	}
	return "whole run"
}

// Peak returns the largest number of bytes of a memory alive at once.
func Peak(plan []Allocation, place Place) uint64 {
	var sum [4]uint64
	for _, a := range plan {
		if a.Place == place {
			sum[a.Phase] += a.Bytes
		}
	}
	return sum[Always] + max(sum[Construction], sum[Searching], sum[Loading])
}
