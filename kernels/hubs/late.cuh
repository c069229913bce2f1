// The last levels: rows without hubs that are far from the hubs.
#pragma once
#include "rows.cuh"

// LateRow is a row of the list for the late levels, with what its thread needs at each level.
struct LateRow {
	u32 row; // none if it was found
	u32 label;
	RowList list;
	uint4 piece; // the first one of the list
	u32 leaf, leaves, leavesEnd; // the first leaf; its place and the end of their places

	// A LateRow is entry i of the list, whose data may be there or not.
	__device__ explicit LateRow(bool there, u32 i) : row(loadIf(there, g.leftRows + i, none)) {
		const bool on = row != none;
		const u32 *const at = g.leavesAt + (on ? row - g.singleEnd : 0);
		label = cachedIf(on, g.rowLabels + row, none);
		list = rowListIf(on, row);
		leaves = cachedIf(on, at, 0), leavesEnd = cachedIf(on, at + 1, 0);
		piece = pieceInRowIf(list.at < list.end, row, 0, list.at);
		leaf = cachedIf(leaves < leavesEnd, g.leaves + leaves, none);
	}

	// look looks for a row that the level before found. In late level 0 those are all rows with hubs and the
	// rows of g.late[0]: what was found earlier is next to no row of the list. It returns whether there is one.
	__device__ bool look(u32 level) {
		u32 parent = none;
		for (u32 at = list.at; at < list.end && parent == none; at++) {
			const uint4 next = at == list.at ? piece : pieceInRow(row, at - list.at, at);
			const u32 x[4] = {next.x, next.y, next.z, next.w};
			u32 word[4];
#pragma unroll
			for (int k = 0; k < 4; k++) {
				const Late late(level & 1, x[k] != none ? x[k] : row);
				word[k] = loadIf(x[k] != none && late.there, late.at, x[k] != none && level == 0 ? ~0u : 0);
			}
#pragma unroll
			for (int k = 3; k >= 0; k--)
				if (bitOf(word[k], x[k]))
					parent = x[k];
		}
		if (parent == none)
			return false;
		storeParent(label, labelOfRow(parent));
		setBit(g.late[~level & 1], row - g.singleEnd);
		row = none;
		list.end = list.at;
		return true;
	}

	// clear resets the parents of the row, if it was not found, and of its leaves.
	__device__ void clear() const {
		if (row == none)
			return;
		storeParent(label, none);
		for (u32 at = leaves; at < leavesEnd; at++)
			storeParentAt(at == leaves ? leaf : __ldg(g.leaves + at), none);
	}
};

// lateLevel lets the rows of the list look for rows that the level before found. It returns the number of
// rows that the thread found.
__device__ inline u32 lateLevel(u32 level, u32 count) {
	u32 found = 0;
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
		LateRow row(true, i);
		if (!row.look(level))
			continue;
		g.leftRows[i] = none;
		found++;
	}
	return found;
}

// clearRow resets the parents of a row without hubs and of its leaves.
__device__ inline void clearRow(u32 row) {
	storeParent(__ldg(g.rowLabels + row), none);
	for (u32 at = __ldg(g.leavesAt + (row - g.singleEnd)), end = __ldg(g.leavesAt + (row - g.singleEnd) + 1); at < end; at++)
		storeParentAt(__ldg(g.leaves + at), none);
}

// clearLeft resets the parents of the rows that stay on the list, and of their leaves.
__device__ inline void clearLeft(u32 count) {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS)
		if (const u32 row = __ldcg(g.leftRows + i); row != none)
			clearRow(row);
}
