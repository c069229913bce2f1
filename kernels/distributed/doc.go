// Package distributed is the breadth-first search on GPUs that cannot access each other's
// memory: level-synchronous, direction-optimizing, steered by the host, which exchanges the
// frontier between the levels (package exchange). The package does not know the engine above
// it. Without the build tag cuda it is empty.
package distributed
