// Package driver finds the CUDA driver when the program asks for it, so that
// one program runs with and without a GPU, and adds the driver's calls that
// gorgonia.org/cu lacks. Linking it is what makes gorgonia.org/cu usable: that
// package's own calls go through the entry points defined here.
//
// It knows nothing of graphs, of kernels and of what is done with a device.
// Without the build tag cuda there is nothing of it but Load, which says so, and
// what it asks of a machine.
package driver

// MinVersion is the first CUDA version whose drivers accept the kernels, as
// cuDriverGetVersion counts: nvcc 11.8 makes them.
const MinVersion = 11080

// MinCompute is the first major compute capability that the kernels run on.
const MinCompute = 8
