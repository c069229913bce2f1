package engine

import "strings"

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
	Phase Phase // phases in which it is alive
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

// Phase is one or more phases of a run.
type Phase uint8

const (
	Measuring    Phase = 1 << iota // of the device, before anything else
	Loading                        // until the tuples are in the engine
	Construction                   // of the graph
	Preparation                    // of the search
	Search                         // and validation

	Searching = Preparation | Search // from construction to the end

	Always Phase = 0 // from loading to the end
)

// phases lists them in their order, with their names.
var phases = []struct {
	phase Phase
	name  string
}{{Measuring, "measuring"}, {Loading, "loading"}, {Construction, "construction"}, {Preparation, "preparation"}, {Search, "search"}}

// has reports whether p is alive in one phase.
func (p Phase) has(one Phase) bool {
	if p == Always {
		p = Loading | Construction | Searching
	}
	return p&one != 0
}

// String names a phase, or the first and the last of several.
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

// Peak returns the largest number of bytes of a memory alive at once.
func Peak(plan []Allocation, place Place) uint64 {
	return PeakIn(plan, place, Measuring|Loading|Construction|Searching)
}

// PeakIn returns the largest number of bytes alive at once in some phases.
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
