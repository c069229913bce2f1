// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 listThreads = 256; // words of the frontier's bitmap per block
constexpr u32 scanThreads = 1024; // threads of a block that adds up counts of blocks
constexpr u32 lineArcs = 32; // neighbours in a line of 128 bytes

// Active is a row of the frontier. Its degree is the difference of the next one's offset
// and its own. Behind the last one is an entry that has only an offset.
struct alignas(16) Active {
	u64 offset; // neighbours of the rows before it in the list
	u32 label;
	u32 sector; // of Graph.Tails, with which its neighbours begin
};

// Span is the range of the rows in the list that have neighbours in a partition. All bits
// are set if there are none.
struct alignas(8) Span {
	u32 first;
	u32 notLast; // complement of the last one
};
