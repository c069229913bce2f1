// Package sssp is the default search of shortest paths on GPUs: two persistent kernels per search,
// steered on the device (search.cu, settle.cuh). Its method is that of package cpu's default:
// bounded pushes, one pull from the lightest arcs, and sweeps over what an arc can still improve
// (the tail). What is new here is that most pushes go over light arcs, without queues (light.cuh),
// and that the rows of the highest degrees are pulled before the others (hubs.cuh). A search whose
// lists run full is made again without lists (fallback.cu). The package does not know the engine
// above it: no flags, no clock of the benchmark. Without the build tag cuda it is empty.
//
// peers.cu is the search of several GPUs: the kernels of one, compiled for several. peerowners.cuh
// is the only place that knows what lies on which GPU. A GPU has the rows of its range, numbered by
// falling degree; arcs lead to numbers of rows, of which every 32 in turn belong to one GPU. It has
// the record of every row, with its first two arcs, its label, its light arcs and a distance. Each GPU
// makes the near step and all pushes for itself, since they look at few arcs. Then it makes hubs, pull
// and tail of its own rows. All GPUs get the distances of the hubs once, then lists of
// those that a sweep lowers. In the tail, a GPU asks each owner once for the sources of its kept
// arcs, and the owner then tells every change: in lists, since random access to another GPU is
// slow. After the pushes, a row's distance and parent are lowered by its own GPU only, from a distance
// that the source has, so parents form no cycle. policy.go says how much the pushes do.
//
// split.cu and splitpeers.cu are for rows of which only the lightest arcs are on the GPUs, the
// others in host memory; arcs.cuh is the only place that knows where an arc lies. On several GPUs
// each reads host memory of all, which ranks share (device.Share).
package sssp
