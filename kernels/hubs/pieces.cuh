// Where the pieces of lists lie: all on the device, or the last ones of a kind, and of each list of a
// row, in host memory, which the device reads over the bus.
#pragma once
#include "hostreads.cuh"

__device__ inline bool isOnHost(const Pieces &of, u32 i) { return i >= of.deviceEnd; }
__device__ inline const uint4 *addressOf(const Pieces &of, u32 i) { return (isOnHost(of, i) ? of.onHost : of.onDevice) + i; }

// pieceAt returns piece i.
__device__ inline uint4 pieceAt(const Pieces &of, u32 i) {
	countHostRead(isOnHost(of, i), addressOf(of, i));
	return __ldg(addressOf(of, i));
}

// pieceIf returns piece i, which is used once, if on, else one without hubs and rows.
__device__ inline uint4 pieceIf(bool on, const Pieces &of, u32 i) {
	countHostRead(on && isOnHost(of, i), addressOf(of, i));
	return streamIf(on, addressOf(of, i), noHubs());
}

// isInTail returns whether piece i of the list of a row is in host memory.
__device__ inline bool isInTail(u32 i) { return i >= g.rowPrefix; }

// addressInRow returns the address of piece i of the list of a row (RowList).
__device__ inline const uint4 *addressInRow(u32 at, u32 tailAt, u32 i) { return isInTail(i) ? g.rowTails + u32(tailAt + i) : g.rowLists + (at + i); }

// pieceInRow returns piece i of the list of a row, which is used once, if on, else one without rows.
__device__ inline uint4 pieceInRow(bool on, u32 at, u32 tailAt, u32 i) {
	countHostRead(on && isInTail(i), addressInRow(at, tailAt, i));
	return streamIf(on, addressInRow(at, tailAt, i), noHubs());
}
