//go:build cuda

package nvml

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
