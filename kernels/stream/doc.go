// Package stream has operations on whole arrays at the bandwidth of the GPU's memory:
// it fills arrays and measures the bandwidth of a copy. It is independent of the
// contents of the arrays. Without the build tag cuda it is empty.
package stream
