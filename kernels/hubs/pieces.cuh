// Where the pieces of lists lie. In kernels that are compiled for split rows some are in host memory,
// which the device reads over the bus: of the list of rows next to a row its tail, which is what
// follows a prefix; of each other kind of list the last pieces of all.
#pragma once
#include "../hostreads.cuh"
#include "../wraps.cuh"
#include "search.cuh"

#ifdef SPLIT_ROWS
constexpr bool split = true;
#else
constexpr bool split = false;
#endif

// manyPieces is whether lists of split rows can have 2^32 pieces or more on a device. The low bits of their numbers are
// enough otherwise, by which a search with 8 GiB at scale 26 is 1 % faster.
#ifdef MANY_PIECES
constexpr bool manyPieces = true;
#else
constexpr bool manyPieces = false;
#endif

__device__ inline bool isOnHost(const Pieces &of, u32 i) { return split && i >= of.deviceEnd; }
__device__ inline const uint4 *addressOf(const Pieces &of, u32 i) { return (isOnHost(of, i) ? of.onHost : of.onDevice) + i; }

// pieceAt returns piece i.
__device__ inline uint4 pieceAt(const Pieces &of, u32 i) {
	countHostRead(isOnHost(of, i), addressOf(of, i));
	return __ldg(addressOf(of, i));
}

// pieceOnce returns piece i, which is used once.
__device__ inline uint4 pieceOnce(const Pieces &of, u32 i) {
	countHostRead(isOnHost(of, i), addressOf(of, i));
	return __ldcs(addressOf(of, i));
}

// pieceIf returns piece i, which is used once, if on, else one without hubs and rows.
__device__ inline uint4 pieceIf(bool on, const Pieces &of, u32 i) {
	countHostRead(on && isOnHost(of, i), addressOf(of, i));
	return streamIf(on, addressOf(of, i), noHubs());
}

// RowList is the pieces of the list of the rows next to a row. They have the numbers that they would
// have in g.rowLists if it had the whole list. If rows are split, these can be low bits (pieceNumber), and end below at.
struct RowList {
	u32 at, end;

	__device__ inline void splitFrom(u32 prefix) { end = prefix + (end - at), at = prefix; }
	__device__ inline bool isEmpty() const { return at == end; }
};

// rowListOf returns the list of a row, of which `of` are the arrays of its device.
template <typename Of> __device__ inline RowList rowListOf(const Of &of, u32 row) {
	RowList list{__ldg(of.rowListAt + row), __ldg(of.rowListAt + row + 1)};
	if (split)
		list.splitFrom(__ldg(g.rowPrefixAt + row));
	return list;
}

// rowListIf returns the list of a row if on, else an empty one.
__device__ inline RowList rowListIf(bool on, u32 row) {
	RowList list{cachedIf(on, g.rowListAt + row, 0), cachedIf(on, g.rowListAt + row + 1, 0)};
	if (split)
		list.splitFrom(cachedIf(on, g.rowPrefixAt + row, 0));
	return list;
}

// isInTail returns whether piece i of the list of a row is in host memory.
__device__ inline bool isInTail(u32 i) { return split && i >= g.rowPrefix; }

// addressInTail returns the address of piece i of the list of a row. In host memory are the tails of
// the lists, one after the other.
__device__ inline const uint4 *addressInTail(u32 row, u32 i) {
	const u32 tail = __ldg(g.rowListAt + row) - __ldg(g.rowPrefixAt + row);
	return g.rowTails + ((manyPieces ? wholeNumber(tail, row, g.tailWrap) : tail) + (i - g.rowPrefix));
}

// pieceNumber returns the number of piece i of the list of a row, which has the low bits `at`.
__device__ inline u64 pieceNumber(u32 row, u32 i, u32 at) { return manyPieces ? wholeNumber(at - i, row, g.prefixWrap) + i : at; }

// addressInRow returns the address of piece i of the list of a row, which has the number `at`, if on.
__device__ inline const uint4 *addressInRow(bool on, u32 row, u32 i, u32 at) {
	const uint4 *from = g.rowLists + pieceNumber(row, i, at);
	if (on && isInTail(i))
		from = addressInTail(row, i);
	countHostRead(on && isInTail(i), from);
	return from;
}

// pieceInRow returns piece i of the list of a row, which has the number `at`.
__device__ inline uint4 pieceInRow(u32 row, u32 i, u32 at) { return __ldg(addressInRow(true, row, i, at)); }

// pieceInRowIf returns this piece, which is used once, if on, else one without rows.
__device__ inline uint4 pieceInRowIf(bool on, u32 row, u32 i, u32 at) { return streamIf(on, addressInRow(on, row, i, at), noHubs()); }
