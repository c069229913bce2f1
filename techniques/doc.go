// Package techniques is the program's textbook: the ways to search breadth
// first that the literature builds one on the other, each as its source
// describes it, written to be read. The fastest search is not here but in
// kernels/bfs.
//
// Each technique is a pair of files: a .cu, whose comment says what it does,
// what it costs, what its bottleneck is and where it is described, and a .go,
// which declares its memory and launches it. All lists them, and Texts what people
// read of them. What several share is in technique.cuh and technique.go, and by
// subject in queue, gather, bottomup, marking, depths and counters. The compiled
// forms are in the folder compiled; a technique's are loaded only when it is chosen.
//
// It stands upon package device and the graph of kernels/construct, and must not
// know the engine above it: no phases, no flags, no clock of the benchmark. Without
// the build tag cuda there are only the texts about the techniques.
package techniques
