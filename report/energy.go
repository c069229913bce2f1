package report

import (
	"fmt"
	"slices"
	"time"

	"graph500/energy"
)

// Repetition is a repetition of the searches of a kernel, one after the other and without
// validation. It is not part of the kernel's times.
type Repetition struct {
	Begin    time.Time `json:"begin"`    // RFC 3339
	End      time.Time `json:"end"`      // RFC 3339
	Seconds  float64   `json:"seconds"`  // between them, by the monotonic clock
	Searches int64     `json:"searches"` // in this time
	Edges    int64     `json:"nedge"`    // sum over these searches
}

// Energy is the energy that a part of the machine took for searches of a kernel: those
// of the repetition, else the timed ones. The clearing of results between the searches is
// part of it; validation is not.
type Energy struct {
	energy.Amount
	Searches int64 `json:"searches"` // in this time
	Edges    int64 `json:"nedge"`    // sum over these searches
}

// JoulesPerSearch is the mean energy of a search, or 0 without searches.
func (e Energy) JoulesPerSearch() float64 {
	if e.Searches == 0 {
		return 0
	}
	return e.Joules / float64(e.Searches)
}

// MTEPSPerWatt is 10^6 edges per second and watt, which is 10^6 edges per joule; 0 without
// energy. The time between the searches counts, too.
func (e Energy) MTEPSPerWatt() float64 {
	if e.Joules == 0 {
		return 0
	}
	return float64(e.Edges) / e.Joules / 1e6
}

// energyDocument is an Energy in JSON with the values computed from it.
type energyDocument struct {
	Energy
	Watts           float64 `json:"watts"`             // joules / seconds
	JoulesPerSearch float64 `json:"joules_per_search"` // joules / searches
	MTEPSPerWatt    float64 `json:"mteps_per_watt"`    // 10^-6 · nedge / joules
}

// energyDocuments returns the JSON form of energies, not nil.
func energyDocuments(list []Energy) []energyDocument {
	documents := make([]energyDocument, len(list))
	for i, e := range list {
		documents[i] = energyDocument{e, e.Watts(), e.JoulesPerSearch(), e.MTEPSPerWatt()}
	}
	return documents
}

// measuredPart is a part of the machine and its name in columns and units.
type measuredPart struct {
	part energy.Part
	name string
}

// measuredParts lists the parts in the order of their columns.
func measuredParts() []measuredPart {
	return []measuredPart{{energy.Boards, "boards"}, {energy.Packages, "packages"}, {energy.System, "system"}}
}

// energyOf returns the energy of a part for the kernel's searches, or nil if it was not
// measured.
func (k *KernelRun) energyOf(part energy.Part) *Energy {
	i := slices.IndexFunc(k.Energy, func(e Energy) bool { return e.Part == part })
	if i < 0 {
		return nil
	}
	return &k.Energy[i]
}

// EnergyLines returns one line of text for each energy of the run's kernels.
func EnergyLines(r *Run) (lines []string) {
	for _, k := range r.Kernels {
		for _, e := range k.Energy {
			lines = append(lines, fmt.Sprintf("%s, %s: %.4g W, %.4g J a search, %.4g MTEPS/W (%d searches in %.3g s)",
				k.Kernel.Title(), e.Part, e.Watts(), e.JoulesPerSearch(), e.MTEPSPerWatt(), e.Searches, e.Seconds))
		}
	}
	return lines
}
