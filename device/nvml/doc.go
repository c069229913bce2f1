// Package nvml reads the energy counters of GPUs from the NVIDIA Management Library. Like
// package driver it loads the library at run time, so that the same executable runs with
// and without it. Without the build tag cuda there is only a function that returns an
// error.
package nvml
