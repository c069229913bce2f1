// Where the neighbours of a row lie: in g.neighbors, or, in kernels that are compiled for
// split rows, the first ones there and the others, the row's tail, in host memory
// (construct.Split).
//
// The start of a row, or of a part of it, is an index of g.neighbors. With split rows, it
// is that of the row's first neighbour, with the number of neighbours before the part in
// the bits from partShift on.
#pragma once
#include "search.cuh"

#ifdef SPLIT_ROWS
constexpr bool splitRows = true;
__constant__ Tails tails;
#else
constexpr bool splitRows = false;
#endif

constexpr int partShift = 40;

// partFrom returns the start of the part of a row from neighbour n on.
__device__ inline u64 partFrom(u64 start, u32 n) { return splitRows ? start + (u64(n) << partShift) : start + n; }

#ifdef SPLIT_ROWS

__device__ inline u64 firstOf(u64 start) { return start & ((u64(1) << partShift) - 1); }

// tailOf returns the offset in tails.tails at which the tail of a row begins. The row must
// have one.
__device__ inline u64 tailOf(u64 start) { return u64(__ldg(g.neighbors + firstOf(start) + tails.prefix)) * sectorArcs; }

// Part is the neighbours of a row from one on.
struct Part {
	u64 start;   // index of the first one in g.neighbors
	u64 rest;    // index in tails.tails of the first one, if the tail began as much earlier
	u32 inFront; // the number of them in g.neighbors

	// The part has n neighbours.
	__device__ inline Part(u64 begin, u32 n) {
		const u32 before = begin >> partShift;
		start = firstOf(begin) + before;
		inFront = before < tails.prefix ? tails.prefix - before : 0;
		rest = n > inFront ? tailOf(begin) + before - tails.prefix : 0;
	}
	__device__ inline const u32 *at(u64 i) const { return i < inFront ? g.neighbors + start + i : tails.tails + (rest + i); }
};

// Ends is a part of a row in two: where it lies in g.neighbors, and the tail, of which
// start is an index of g.neighbors, too, although the memory is another.
struct Ends {
	u64 start, tail;
	u32 length, tailLength;

	// The part has n neighbours from neighbour skipped of row on.
	__device__ inline Ends(u64 row, u32 skipped, u32 n) {
		const u32 before = u32(row >> partShift) + skipped;
		start = firstOf(row) + before;
		length = before < tails.prefix ? min(n, tails.prefix - before) : 0;
		tailLength = n - length;
		tail = tailLength ? tailOf(row) + before + length - tails.prefix + (tails.tails - g.neighbors) : 0;
	}
};

#else

struct Part {
	u64 start;
	__device__ inline Part(u64 begin, u32) : start(begin) {}
	__device__ inline const u32 *at(u64 i) const { return g.neighbors + start + i; }
};

#endif
