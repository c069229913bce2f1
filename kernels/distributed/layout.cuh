// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 blockThreads = 256; // threads of a block
constexpr u32 ownNeighbors = 32; // first neighbours that a vertex's own thread examines bottom-up

// Pair is a vertex that a device found top-down, with its parent.
struct alignas(8) Pair {
	u32 vertex;
	u32 parent;
};

// Counts are the results of the kernels of a level on a device.
struct Counts {
	u32 found; // vertices that the device found, of any device top-down
	u32 queued; // vertices of the device in the next frontier
	u64 arcs; // of the rows of the device's vertices in the next frontier
	u64 examined; // neighbours, in a bottom-up level
};
