// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 listThreads = 256; // words of a bitmap per block
constexpr u32 scanThreads = 1024; // threads of a block that adds up counts of blocks
constexpr u32 lineArcs = 32; // neighbours in a line of 128 bytes
constexpr u32 pieceSectors = 128; // sectors that a warp examines: 1,024 neighbours

// Totals has the sums of a list. Pairs are rows, and the sectors of their neighbours.
struct Totals {
	u64 frontier[2]; // found by the last level
	u64 visited[2]; // found by all levels
	u64 listed[2];
	u64 arcs; // neighbours in the list
	u64 lines; // of these
	u64 pull; // 1 if the listed rows are those of unvisited vertices
};

// Active is a row of the list. Of some rows it has the first neighbours only, or the others.
struct alignas(8) Active {
	u32 label;
	u32 degree; // neighbours in the list
};

// Place is where the neighbours of a row of the list are. The difference of the next
// row's offset and its own is the number of their sectors. Behind the last row is an entry
// that has only an offset.
struct alignas(8) Place {
	u32 offset; // sectors of the rows before it in the list
	u32 sector; // of Graph.Tails, with which its neighbours begin
};

// Span is the range of the rows in the list that have neighbours in a partition. All bits
// are set if there are none.
struct alignas(8) Span {
	u32 first;
	u32 notLast; // complement of the last one
};
