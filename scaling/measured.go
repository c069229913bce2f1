package scaling

// Measurement is a measured rate of the program: a harmonic mean over 64 searches, in
// 10^9 edges per second.
type Measurement struct {
	GPUs  int // of one host
	Scale int
	GTEPS float64
}

// Measured returns the figures of docs/performance.md, "Two GPUs", that the model is
// fitted to.
func Measured() []Measurement {
	return []Measurement{
		{1, 20, 386}, {1, 22, 843}, {1, 24, 1183}, {1, 26, 1676}, {1, 28, 1560},
		{2, 20, 182}, {2, 22, 529}, {2, 24, 1281}, {2, 26, 2263}, {2, 28, 2412}, {2, 29, 2247}, {2, 30, 1860},
	}
}

// Sketch returns measured figures of a plain program with the same exchange on H200 of one
// host, two blocks per multiprocessor and no tables of hubs: 64 searches, GPU clock; for 4
// GPUs at scales 24 and 28 the middle of two runs, 1,183 and 1,342, 1,994 and 2,193.
func Sketch() []Measurement {
	return []Measurement{
		{2, 24, 1092}, {2, 26, 1630}, {2, 28, 1236},
		{4, 24, 1263}, {4, 26, 2343}, {4, 28, 2094},
	}
}

// Run returns the model's run of a measurement.
func (m Measurement) Run(machine Machine, p Profile) Run {
	machine.GPUs = m.GPUs
	return Run{Machine: machine, Profile: p, Scale: m.Scale, Nodes: 1}
}

// StatedError is the largest relative difference between Measured and the model.
const StatedError = 0.10
