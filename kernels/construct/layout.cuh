// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 tileLabels = 1024; // labels of a block of the kernels over all vertices

// Row says where the neighbours of a vertex stand.
struct Row {
	u64 start; // in Graph.Neighbors
	u32 degree; // number of distinct neighbours
	u32 label;
};

// Facts are the sums that construction brings to the host.
struct Facts {
	u64 loops; // tuples with equal ends
	u64 outside; // the first tuple with a label beyond the last, or ~0
	u32 tuplesAtOne; // the largest number of tuples at one vertex
	u32 maxDegree; // the largest number of distinct neighbours
};
