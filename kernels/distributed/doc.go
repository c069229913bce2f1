// Package distributed is the search on GPUs that cannot access each other's memory, steered by
// the host: breadth-first search, level-synchronous and direction-optimizing, and shortest
// paths, with a rising bound, a pull and a tail. The host exchanges what a level or a round has
// found (package exchange). The package does not know the engine above it. Without the build
// tag cuda it is empty.
package distributed
