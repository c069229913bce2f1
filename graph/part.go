package graph

import "graph500/parallel"

// Part is the part of the entries of a file that a rank reads or writes: entries
// First..First+Count-1 of All.
type Part struct {
	All, First, Count uint64
}

// Whole is the part of a single rank.
func Whole(all uint64) Part { return Part{All: all, Count: all} }

// PartOf returns the part of one of several ranks. All parts differ in length by at most one.
func PartOf(all uint64, ranks, rank int) Part {
	lo, hi := parallel.Split(int(all), ranks, rank)
	return Part{All: all, First: uint64(lo), Count: uint64(hi - lo)}
}
