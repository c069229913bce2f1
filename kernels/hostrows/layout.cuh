// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 listThreads = 256; // words of the frontier's bitmap per block
constexpr u32 scanThreads = 1024; // threads of a block that adds up counts of blocks
constexpr u32 lineArcs = 32; // neighbours in a line of 128 bytes
constexpr u32 pieceSectors = 128; // sectors that a warp examines: 1,024 neighbours

// Active is a row of the frontier.
struct alignas(8) Active {
	u32 label;
	u32 degree;
};

// Place is where the neighbours of a row of the frontier are. The difference of the next
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
