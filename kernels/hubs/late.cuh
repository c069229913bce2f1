// The last levels: rows without hubs that are far from the hubs.
#pragma once
#include "rows.cuh"

// LateRow is a row of the list for the late levels, with what every level needs of it.
struct LateRow {
	u32 row; // none if it was found
	RowList list;
	uint4 piece; // the first one of the list

	// A LateRow is entry i of the list, if there.
	__device__ LateRow(bool there, u32 i) : row(loadIf(there, g.leftRows + i, none)) {
		list = rowListIf(row != none, row);
		piece = pieceInRowIf(!list.isEmpty(), row, 0, list.at);
	}

	// The row of an entry of a list that all devices know (giveLate).
	__device__ explicit LateRow(const uint4 *entry) : piece(__ldcg(entry)) {
		const uint4 of = __ldcg(entry + 1);
		row = of.x, list = {of.y, of.z};
	}

	// parentIn returns a neighbour that the level before found, else none.
	__device__ u32 parentIn(u32 level) const {
		return firstOf([=](const u32 (&x)[4], bool (&found)[4]) { wereFound(level, x, found); });
	}

	// wereFound returns which of four neighbours the level before found. In late level 0 those are all rows
	// with hubs and the rows of g.late[0]: what was found earlier is next to no row of the list.
	__device__ void wereFound(u32 level, const u32 (&x)[4], bool (&found)[4]) const {
		u32 word[4];
#pragma unroll
		for (int k = 0; k < 4; k++) {
			const Late late(level & 1, x[k] != none ? x[k] : row);
			word[k] = loadIf(x[k] != none && late.there, late.at, x[k] != none && level == 0 ? ~0u : 0);
		}
#pragma unroll
		for (int k = 0; k < 4; k++)
			found[k] = bitOf(word[k], x[k]);
	}

	// firstOf returns a neighbour in the first piece with one that wereFound(four neighbours, result) says was found, else none.
	template <typename WereFound> __device__ u32 firstOf(WereFound wereFound) const {
		u32 parent = none;
		for (u32 at = list.at; at != list.end && parent == none; at++) {
			const uint4 next = at == list.at ? piece : rowPiece(row, at - list.at, at);
			const u32 x[4] = {next.x, next.y, next.z, next.w};
			bool found[4];
			wereFound(x, found);
#pragma unroll
			for (int k = 3; k >= 0; k--)
				if (found[k])
					parent = x[k];
		}
		return parent;
	}

	// find gives the row, which has that label, a parent.
	__device__ void find(u32 level, u32 label, u32 parent) {
		storeParent(label, labelOfRow(parent));
		setBit(g.late[~level & 1], row - g.singleEnd);
		row = none;
		list.end = list.at;
	}
};

// LateLabels are the labels of a row without hubs, if on, and of its leaves.
struct LateLabels {
	u32 row, leaf;         // the row and its first leaf
	u32 leaves, leavesEnd; // places of the leaves

	__device__ LateLabels(bool on, u32 of) {
		const u32 *const at = g.leavesAt + (on ? of - g.singleEnd : 0);
		row = cachedIf(on, g.rowLabels + of, none);
		leaves = cachedIf(on, at, 0), leavesEnd = cachedIf(on, at + 1, 0);
		leaf = cachedIf(leaves < leavesEnd, g.leaves + leaves, none);
	}

	// clear resets their parents.
	__device__ void clear() const {
		storeParent(row, none);
		for (u32 at = leaves; at < leavesEnd; at++)
			storeParentAt(at == leaves ? leaf : __ldg(g.leaves + at), none);
	}
};

// LateTile is the shared memory of a block that finds the late rows of all devices.
struct LateTile {
	static constexpr u32 places = 2 * lateEntries;
	u32 row[lateEntries];    // none if it was found
	u32 parent[lateEntries]; // in the current level, or none
	u32 found[places];       // a set of the rows that were found, each at the first free place after that of its number
	u32 count;               // of the rows that the level has found

	__device__ static u32 placeOf(u32 row) { return row * 2654435761u >> 19; }
	static_assert(places == 1 << 32 - 19);

	__device__ void add(u32 x) {
		u32 at = placeOf(x);
		while (atomicCAS(found + at, none, x) != none)
			at = (at + 1) % places;
	}

	__device__ bool has(u32 x) const {
		u32 at = placeOf(x);
		while (found[at] != x && found[at] != none)
			at = (at + 1) % places;
		return found[at] == x;
	}
};

static_assert(sizeof(LateTile) <= sizeof(TopDown), "the dynamic shared memory has room for a TopDown");

// lateLevel lets the rows of the list look for rows that the level before found. It returns the number of
// rows that the thread found.
__device__ inline u32 lateLevel(u32 level, u32 count) {
	u32 found = 0;
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
		LateRow row(true, i);
		const u32 parent = row.parentIn(level);
		if (parent == none)
			continue;
		row.find(level, __ldg(g.rowLabels + row.row), parent);
		g.leftRows[i] = none;
		found++;
	}
	return found;
}

// clearRow resets the parents of a row without hubs and of its leaves.
__device__ inline void clearRow(u32 row) { LateLabels(true, row).clear(); }

// clearLeft resets the parents of the rows that stay on the list, and of their leaves.
__device__ inline void clearLeft(u32 count) {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS)
		if (const u32 row = __ldcg(g.leftRows + i); row != none)
			clearRow(row);
}
