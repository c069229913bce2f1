// Package gpu is the engine that runs the benchmark's kernels on one NVIDIA
// GPU. It plans and reserves the device's memory, keeps tuples, graph and results
// there, and puts the parts of kernels/ and techniques/ together; it knows nothing
// of flags, clocks, reports or of how the benchmark orders its phases.
//
// Without the build tag cuda there are only Available, which says so, and the
// names of the strategies.
package gpu

import "graph500/device/driver"

// Available returns nil if this machine has a GPU and a driver that takes the
// program's kernels, and else one line that says what is missing.
func Available() error { return driver.Load() }
