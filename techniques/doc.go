// Package techniques implements the techniques of the literature for breadth-first search,
// from the simplest to direction-optimizing search, and for shortest paths (SSSP). Each
// follows the description in its source and is written to be read. The fastest search is in
// kernels/bfs.
//
// A technique is a pair of files. The comment of the .cu file explains what the technique
// does, what it costs, what its bottleneck is and which source describes it. The .go file
// declares its memory and launches its kernels. All lists the techniques, Texts their
// descriptions for users. Shared code is in technique.cuh and technique.go, and by subject
// in queue, gather, bottomup, marking, depths and counters, for SSSP in paths. The compiled
// kernels are in the folder compiled; a technique is loaded only if it is selected.
//
// The package depends on package device and the graph of kernels/construct. It is
// independent of the engine: no phases, flags or clock of the benchmark. Without the build
// tag cuda it contains only the texts.
package techniques
