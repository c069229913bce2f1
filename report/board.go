package report

import (
	"fmt"
	"strings"
)

// Board is the state of a GPU's board during the searches of a run, as its driver tells it.
type Board struct {
	BusID   string `json:"bus_id"`  // PCI domain:bus:device.function
	Samples int    `json:"samples"` // readings: after each warm-up, batch of searches and repetition

	SMClock     Clock   `json:"sm_clock"`          // of the multiprocessors
	MemoryClock Clock   `json:"memory_clock"`      // of the memory
	PowerLimit  float64 `json:"power_limit_watts"` // watts, as enforced; 0 if unknown
	ECC         *bool   `json:"ecc"`               // error correction of the memory is on; null if unknown

	// why the driver lowered the clocks: power limit, heat, power brake, hardware
	Slowed []string `json:"slowed_by"`

	// most other processes that computed on the GPU; null if unknown
	OtherProcesses *int `json:"other_processes"`
}

// Clock is the range of a clock over the readings.
type Clock struct {
	Min int `json:"min_mhz"` // over the readings; 0 if unknown
	Max int `json:"max_mhz"` // over the readings; 0 if unknown
}

// Warnings returns what can have made the searches slower, one line each.
func (b *Board) Warnings() (lines []string) {
	if len(b.Slowed) > 0 {
		lines = append(lines, fmt.Sprintf("GPU %s was slowed down during the searches (%s; its clock was %s): cool it, or raise its power limit", b.BusID, strings.Join(b.Slowed, ", "), b.SMClock))
	}
	if n := b.OtherProcesses; n != nil && *n > 0 {
		lines = append(lines, fmt.Sprintf("%d other processes compute on GPU %s: the searches can take longer", *n, b.BusID))
	}
	return lines
}

// String returns the range as text.
func (c Clock) String() string {
	switch {
	case c.Max == 0:
		return "unknown"
	case c.Min == c.Max:
		return fmt.Sprintf("%d MHz", c.Max)
	}
	return fmt.Sprintf("%d to %d MHz", c.Min, c.Max)
}

// BoardLines returns one line of text for each board of the run.
func BoardLines(r *Run) (lines []string) {
	for _, b := range r.Boards {
		facts := []string{fmt.Sprintf("clock %s, memory %s", b.SMClock, b.MemoryClock)}
		if b.PowerLimit > 0 {
			facts = append(facts, fmt.Sprintf("power limit %.0f W", b.PowerLimit))
		}
		if b.ECC != nil {
			facts = append(facts, map[bool]string{true: "ECC on", false: "ECC off"}[*b.ECC])
		}
		if len(b.Slowed) > 0 {
			facts = append(facts, "slowed by "+strings.Join(b.Slowed, ", "))
		}
		if b.OtherProcesses != nil {
			facts = append(facts, fmt.Sprintf("%d other processes", *b.OtherProcesses))
		}
		lines = append(lines, fmt.Sprintf("GPU %s during the searches: %s (%d readings)", b.BusID, strings.Join(facts, ", "), b.Samples))
	}
	return lines
}
