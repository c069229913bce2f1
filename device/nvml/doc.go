// Package nvml reads counters and states of GPU boards from the NVIDIA Management Library:
// energy, clocks, limits, processes. It knows neither runs nor reports. Like package driver it
// loads the library at run time, so that the same executable runs with and without it. Without
// the build tag cuda no board can be opened.
package nvml
