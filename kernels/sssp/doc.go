// Package sssp is the default search of shortest paths on a GPU: two persistent kernels
// per search, steered on the device (search.cu, settle.cuh). Its method is that of package
// cpu's default: bounded pushes, one pull from the lightest arcs, and a tail. What is new here
// is that most pushes go over light arcs, without queues (light.cuh), and that the rows of the
// highest degrees are pulled before the others (hubs.cuh). A search whose lists run full is made again without lists (fallback.cu). The package does not know the
// engine above it: no flags, no clock of the benchmark. Without the build tag cuda it is
// empty.
package sssp
