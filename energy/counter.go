// Package energy measures how much energy a run takes: by counters of the machine, and by the log
// of a power meter outside of it. It knows nothing of graphs, searches or phases.
//
// A Meter first finds out how often each counter changes. It is read at the begin and end of
// intervals, and once a second by its sampler, so that no start at 0 is missed. It gives no figure
// for an interval in which a counter changes fewer than ten times.
package energy

// Part is what a measurement covers. Its text is what reports show, so that nobody takes
// the energy of a part for that of the whole system.
type Part string

// The parts that can be measured.
const (
	Boards   Part = "GPU boards only" // of the GPUs that the run uses
	Packages Part = "packages only"   // all processor packages of the host, with whatever runs on them
	System   Part = "whole system"    // by a meter outside the machine
)

// Counter counts the energy of one device since an arbitrary start.
type Counter struct {
	Part  Part
	Name  string                 // of the device
	Range uint64                 // microjoules after which it starts again at 0; 0: never
	Read  func() (uint64, error) // microjoules
}

// Amount is the energy of a part over some time.
type Amount struct {
	Part    Part    `json:"measured"` // GPU boards only, packages only or whole system
	Joules  float64 `json:"joules"`   // energy
	Seconds float64 `json:"seconds"`  // time over which it was measured
}

// Watts is the mean power, or 0 for an amount over no time.
func (a Amount) Watts() float64 {
	if a.Seconds == 0 {
		return 0
	}
	return a.Joules / a.Seconds
}
