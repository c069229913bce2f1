// Package driver loads the CUDA driver at run time, so that the same executable runs
// with and without a GPU. It also adds driver calls that gorgonia.org/cu does not
// provide. gorgonia.org/cu links only together with this package, because its driver
// calls resolve to the entry points defined here.
//
// The package is independent of graphs, of kernels and of the use of the device.
// Without the build tag cuda it contains only Load, which returns an error, and the
// minimum versions.
package driver

// MinVersion is the lowest CUDA version, in the encoding of cuDriverGetVersion,
// whose drivers accept the kernels. The kernels are compiled to PTX with nvcc 11.8.
const MinVersion = 11080

// MinCompute is the lowest major compute capability that runs the kernels.
const MinCompute = 8
