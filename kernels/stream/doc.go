// Package stream has operations on whole arrays at the bandwidth of the GPU's memory:
// it converts labels and measures the bandwidth of a copy. It must not know the searches.
// Without the build tag cuda it is empty.
package stream
