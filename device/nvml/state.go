package nvml

// State is what the driver tells of a board at one time. A value of 0 or nil is unknown.
type State struct {
	SMClock, MemoryClock int      // MHz
	PowerLimit           float64  // watts, enforced
	ECC                  *bool    // error correction of the memory is on
	Slowed               []string // reasons for which the clocks are lower than they could be now
	Processes            *int     // that compute on the GPU
}

// slowdowns are the reasons for lower clocks that a run should know (nvmlClocksEventReasons).
// Not among them: an idle GPU, clocks that the user asked for, and the display.
var slowdowns = []struct {
	bit  uint64
	name string
}{
	{0x4, "power limit"},
	{0x8, "hardware"},
	{0x20, "heat"},
	{0x40, "heat"}, // found by the hardware
	{0x80, "power brake"},
}

// slowedBy returns the names of the reasons, each once.
func slowedBy(reasons uint64) (names []string) {
	for _, s := range slowdowns {
		if reasons&s.bit != 0 && (len(names) == 0 || names[len(names)-1] != s.name) {
			names = append(names, s.name)
		}
	}
	return names
}
