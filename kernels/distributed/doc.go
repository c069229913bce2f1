// Package distributed is the search on GPUs that cannot access each other's memory, steered by the
// host, of one host or several. After each step the host exchanges what was found (package
// exchange). The package does not know the engine above it, or how data is exchanged. Without the
// build tag cuda it is empty.
//
// Breadth-first search is level-synchronous and direction-optimizing. A bottom-up level ends with a
// gather of the slices of the bitmap, a top-down level with one of the lists of found vertices and
// their parents, piece by piece, from which the owner of a vertex takes its parent. The direction
// follows from sums over all ranks.
//
// Shortest paths (paths.go, paths.cu) have the pushes, pull and tail of one GPU, with few
// exchanges. A device has the distances of all vertices, of other ranges the least that it has sent
// or received. It makes several rounds of pushes alone, of arcs that end below a bound; then all
// devices exchange improvements (vertex, parent, distance). When nothing changes any more, the
// bound rises to the next distance at which an arc would improve a vertex, and a step above it.
// Once 1 % of the vertices are reached, one exchange brings all devices the distances below the
// bound and the improvements by the nearest vertices. If a sample says that the pull decides most
// vertices, each device pulls its own ones, and a gather completes the distances. The tail pulls
// those again that an arc could still improve, and after each sweep the devices exchange what has
// changed. A graph of large diameter takes an exchange wherever a path leads to another range.
//
// No list can run full. The thread that lowers a distance writes a pair of distance and parent with
// an atomic minimum; a distance of a vertex is in one pair only, so that the parent belongs to it.
// A vertex gets into a list when its pair was empty, so it is there once.
package distributed
