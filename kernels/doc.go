// Package kernels holds the CUDA C++ sources, each .cu beside the Go file that
// launches it, and the device layer under them: one GPU with its context, one
// stream and its modules; arrays in its memory; kernels; events; errors.
//
// The compiled forms, .ptx for compute capability 8.0 and later and .cubin for
// 9.0, are made by scripts/kernels.sh and embedded. Without the build tag cuda
// the package is empty.
//
// It must not know the engine above it: no phases, no flags, no clock of the
// benchmark. A call works on arrays that the caller gives it.
package kernels
