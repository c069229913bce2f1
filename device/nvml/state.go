package nvml

// State is what the driver tells of a board at one time. A value of 0 or nil is unknown.
type State struct {
	SMClock, MemoryClock int      // MHz
	PowerLimit           float64  // watts, enforced
	ECC                  *bool    // error correction of the memory is on
	Slowed               []string // reasons for which the clocks are lower than they could be now
	Processes            *int     // that compute on the GPU
}
