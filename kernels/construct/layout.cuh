// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 tileLabels = 1024; // labels per block in the kernels over all vertices
constexpr u32 ownerShift = 36; // low bits of the start of a row that are its offset on its device; the device is above
constexpr u32 sectorArcs = 8; // neighbours in a sector of host memory

// Row is the CSR row of a vertex.
struct Row {
	u64 start; // offset in Graph.Neighbors, below 2^40
	u32 degree; // number of distinct neighbours
	u32 label;
};

// Arc is a directed edge to a neighbour, which is the number of a row.
struct Arc {
	u32 to;
	float weight;
};

// Head is the first two arcs of a row. A second arc that does not exist has an infinite
// weight and leads to the neighbour of the first.
struct Head {
	Arc first;
	Arc second;
};

// WeightedRow is the row of a vertex in the order of the weights.
struct alignas(16) WeightedRow {
	Head head;
	u64 start;
	u32 degree; // number of arcs
	u32 place; // of the row in the order of the labels
};

// Facts are the results that the kernels return to the host.
struct Facts {
	u64 loops; // self loops
	u64 outside; // number of the first tuple with a label out of range, or ~0
	u32 maxTuples; // largest number of tuples at one vertex
	u32 maxDegree; // largest number of distinct neighbours; of a weighted graph, of arcs
};
