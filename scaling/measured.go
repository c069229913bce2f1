package scaling

// Measurement is a measured rate of the program: a harmonic mean over 64 searches (scale 30:
// 16), in
// 10^9 edges per second.
type Measurement struct {
	GPUs  int // of one host
	Scale int
	GTEPS float64
}

// Measured returns the figures of docs/performance.md, "Earlier search", which is the search of
// the model. Four parameters are fitted to the figures of one and two GPUs; the figures of four
// were measured later.
func Measured() []Measurement {
	return []Measurement{
		{1, 20, 386}, {1, 22, 843}, {1, 24, 1183}, {1, 26, 1676}, {1, 28, 1560},
		{2, 20, 182}, {2, 22, 529}, {2, 24, 1281}, {2, 26, 2263}, {2, 28, 2412}, {2, 29, 2247}, {2, 30, 1860},
		{4, 24, 1419}, {4, 26, 2898}, {4, 28, 3403}, {4, 30, 2933},
	}
}

// Run returns the model's run of a measurement.
func (m Measurement) Run(machine Machine, p Profile) Run {
	machine.GPUs = m.GPUs
	return Run{Machine: machine, Profile: p, Scale: m.Scale, Nodes: 1}
}

// StatedError is the largest relative difference between Measured and the model.
const StatedError = 0.23
