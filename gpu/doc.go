// Package gpu is the engine for a team of one or more NVIDIA GPUs, of one process or of
// ranks. It plans and reserves the memory of each, stores tuples, graph and results there, and
// combines the packages in kernels/ and techniques/. The number of GPUs, the width of labels,
// where neighbours are, and how GPUs get data of each other are values, of which strategy.go
// chooses the search and plan.go the memory. The package is independent of flags, clocks,
// reports and the order of the benchmark's phases.
//
// Without the build tag cuda it contains only Available, which returns an error, and
// the names of the strategies.
package gpu

import "graph500/device/driver"

// Available returns nil if this machine has a GPU and a driver that run the
// program's kernels, else an error of one line that names the missing requirement.
func Available() error { return driver.Load() }
