// The last levels: rows without hubs that are far from the hubs.
#pragma once
#include "rows.cuh"

// lateLevel lets the rows of the list, from `from` on by `step`, look for rows that the level
// before found. In late level 0 those are all rows with hubs and the rows of g.late[0]: what was
// found earlier is next to no row of the list. It returns the number of rows that the thread found.
__device__ inline u32 lateLevel(u32 level, u32 count, u32 from, u32 step) {
	u32 found = 0;
	for (u32 i = from; i < count; i += step) {
		const u32 row = __ldcg(g.leftRows + i);
		if (row == none)
			continue;
		u32 parent = none;
		const RowList list = rowListOf(row);
		for (u32 at = list.at; at < list.end && parent == none; at++) {
			const uint4 piece = pieceInRow(row, at - list.at, at);
			const u32 x[4] = {piece.x, piece.y, piece.z, piece.w};
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
			continue;
		storeParent(__ldg(g.rowLabels + row), labelOfRow(parent));
		setBit(g.late[~level & 1], row - g.singleEnd);
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
__device__ inline void clearLeft(u32 count, u32 from, u32 step) {
	for (u32 i = from; i < count; i += step)
		if (const u32 row = __ldcg(g.leftRows + i); row != none)
			clearRow(row);
}
