// The steps of the dense level after the dense pass that examine lists, flat over the block: the
// further hubs of long rows, and the lists of rows.
#pragma once
#include "dense.cuh"

// addToTile adds the lists of the lanes with pieces to a tile. All lanes of the warp must call it. The sum of the block counts
// entries and, in the low half, pieces.
template <typename SomeTile> __device__ inline void addToTile(SomeTile &t, u32 item, u32 at, u32 pieces) {
	const u64 mine = pieces ? 1ull << 32 | pieces : 0, before = reserve(&fixed().sum, mine);
	if (!mine)
		return;
	const u32 j = before >> 32;
	t.pieces[j] = u32(before);
	t.item[j] = item;
	t.at[j] = at;
}

// emptyTile empties the tile. All threads of the block must call it.
__device__ inline void emptyTile() {
	__syncthreads();
	if (threadIdx.x == 0)
		fixed().sum = 0;
	__syncthreads();
}

// foundHub records that a long row has a hub in the frontier.
__device__ inline void foundHub(u32 row, u32 hub) {
	storeParent(__ldg(g.rowLabels + row), __ldg(g.hubLabels + hub));
	setBit(g.visited, row);
}

// examineLongRows examines the further hubs of the block's long rows: two pieces by a thread, then
// the rest of a tile of rows together. It returns the number of rows that the thread found. All
// threads of the block must call it.
__device__ __noinline__ u32 examineLongRows(bool look) {
	constexpr int each = 2;
	const u32 *rows = blockLongRows(), count = fixed().longRows, tid = threadIdx.x;
	Tile &t = shared<Tile>();
	u32 found = 0;
	for (u32 start = 0; start < count; start += Tile::capacity) {
#pragma unroll 1
		for (u32 base = start, stop = min(count, start + Tile::capacity); base < stop; base += each * THREADS) {
			u32 row[each], at[each], end[each];
			uint4 piece[each][2];
#pragma unroll
			for (int k = 0; k < each; k++) {
				const u32 i = base + k * THREADS + tid;
				row[k] = i < count ? rows[i] : none;
				at[k] = cachedIf(row[k] != none, g.furtherAt + row[k], 0);
				end[k] = cachedIf(row[k] != none, g.furtherAt + row[k] + 1, 0);
			}
#pragma unroll
			for (int k = 0; k < each; k++)
#pragma unroll
				for (int i = 0; i < 2; i++)
					piece[k][i] = pieceIf(at[k] + i < end[k], g.further, at[k] + i);
#pragma unroll
			for (int k = 0; k < each; k++) {
				const bool on = row[k] != none;
				u32 hub = noHub;
				if (on) {
					hub = firstInFrontier(piece[k][0]);
					if (hub == noHub)
						hub = firstInFrontier(piece[k][1]);
					if (hub != noHub) {
						foundHub(row[k], hub);
						found++;
					}
				}
				const bool more = on && hub == noHub && at[k] + 2 < end[k];
				addToTile(t, row[k], at[k] + 2, more ? end[k] - at[k] - 2 : 0);
				const u32 listed = __ballot_sync(~0u, look && on && hub == noHub && !more);
				if (listed)
					append(blockList(), fixed().listed, listed, row[k]);
			}
		}
		if (tid < Tile::capacity / 32)
			fixed().hit[tid] = 0;
		__syncthreads();
		const u32 entries = fixed().sum >> 32, pieces = u32(fixed().sum);
		for (u32 i = tid; i < pieces; i += THREADS) {
			const u32 j = lastAtOrBefore(t.pieces, entries, i);
			const u32 hub = firstInFrontier(pieceOnce(g.further, t.at[j] + (i - t.pieces[j])));
			if (hub != noHub && !bitOf(atomicOr(&fixed().hit[j >> 5], 1u << (j & 31)), j)) {
				foundHub(t.item[j], hub);
				found++;
			}
		}
		__syncthreads();
		for (u32 j = tid; look && j - (tid & 31) < entries; j += THREADS) {
			const u32 listed = __ballot_sync(~0u, j < entries && !bitOf(fixed().hit[j >> 5], j));
			if (listed)
				append(blockList(), fixed().listed, listed, j < entries ? t.item[j] : 0);
		}
		emptyTile();
	}
	return found;
}

// rowIn returns the first of four rows that is in a bitmap of rows, else none.
__device__ inline u32 rowIn(uint4 piece, const u32 *bitmap) {
	const u32 x[4] = {piece.x, piece.y, piece.z, piece.w};
	u32 word[4], row = none;
#pragma unroll
	for (int k = 0; k < 4; k++)
		word[k] = loadIf(x[k] != none, bitmap + (x[k] >> 5), 0);
#pragma unroll
	for (int k = 3; k >= 0; k--)
		if (bitOf(word[k], x[k]))
			row = x[k];
	return row;
}

// lookAt examines four rows next to an unvisited one: is one of the frontier? It returns whether,
// and adds 1 to found if the thread is the first to find it.
__device__ inline bool lookAt(uint4 piece, u32 row, u32 &found) {
	const u32 parent = rowIn(piece, g.before);
	if (parent == none)
		return false;
	storeParent(__ldg(g.rowLabels + row), labelOfRow(parent));
	found += !bitOf(atomicOr(g.visited + (row >> 5), 1u << (row & 31)), row);
	return true;
}

// followTo gives the unvisited ones of four rows a row of the frontier as their parent. It returns
// the number of own rows that the thread found. turn is the number of the exchange that follows. On
// several devices all lanes of the warp must call it.
__device__ inline u32 followTo(uint4 piece, u32 row, u32 turn) {
	const u32 x[4] = {piece.x, piece.y, piece.z, piece.w};
	u32 word[4], found = 0;
#pragma unroll
	for (int k = 0; k < 4; k++)
		word[k] = loadIf(x[k] != none, g.visited + (x[k] >> 5), ~0u);
	bool all = true;
#pragma unroll
	for (int k = 0; k < 4; k++)
		all = all && bitOf(word[k], x[k]);
	if (several ? __all_sync(~0u, all) : all)
		return 0;
	const u32 parent = all ? none : __ldg(g.rowLabels + row);
#pragma unroll
	for (int k = 0; k < 4; k++)
		word[k] = orIf(!bitOf(word[k], x[k]), g.visited + (x[k] >> 5), 1u << (x[k] & 31), ~0u);
	bool offers[4];
#pragma unroll
	for (int k = 0; k < 4; k++) {
		const bool first = !bitOf(word[k], x[k]);
		offers[k] = first && !isOwnRow(x[k]);
		if (first && isOwnRow(x[k])) {
			storeParent(__ldg(g.rowLabels + x[k]), parent);
			found++;
		}
	}
	offer(offers, x, parent, turn);
	return found;
}

// examineLists examines the lists of rows of the block's list: by followTo, or with look by
// lookAt, the first piece of a row alone, because many need no more. A tile has the lists of eight rows
// a thread: with half as many, the block waits more often for the last pieces of a tile (up to 0.6 % of a search at scales 26 and
// 28). It returns the number of rows that the thread found. All threads of the block must call it.
template <bool look> __device__ __noinline__ u32 examineLists(u32 turn) {
	constexpr int each = look ? 4 : 2;
	constexpr u32 examined = look; // pieces of each list
	const u32 *rows = blockList(), count = fixed().listed, tid = threadIdx.x;
	Tile &t = shared<Tile>();
	u32 found = 0;
	for (u32 start = 0; start < count; start += Tile::capacity) {
		u32 row[each];
#pragma unroll 1
		for (u32 base = start, end = min(count, start + Tile::capacity); base < end; base += each * THREADS) {
			RowList list[each];
#pragma unroll
			for (int k = 0; k < each && base + k * THREADS < end; k++) { // instructions for rows that the block does not have would take 1 % of a search at scale 22
				const u32 i = base + k * THREADS + tid;
				row[k] = i < count ? rows[i] : none;
				list[k] = rowListIf(row[k] != none, row[k]);
			}
#pragma unroll
			for (int k = 0; k < each && base + k * THREADS < end; k++) {
				bool on = !list[k].isEmpty();
				if (look && on)
					on = !lookAt(pieceInRowIf(true, row[k], 0, list[k].at), row[k], found);
				list[k].at += examined;
				addToTile(t, row[k], list[k].at, on ? list[k].end - list[k].at : 0);
			}
		}
		__syncthreads();
		const u32 entries = fixed().sum >> 32, pieces = u32(fixed().sum);
		for (u32 i = tid; i - (tid & 31) < pieces; i += each * THREADS) {
			uint4 piece[each];
#pragma unroll
			for (int k = 0; k < each; k++) {
				const u32 p = i + k * THREADS;
				row[k] = none;
				u32 i = 0, at = 0;
				if (p < pieces) {
					const u32 j = lastAtOrBefore(t.pieces, entries, p);
					row[k] = t.item[j];
					i = p - t.pieces[j];
					at = t.at[j] + i;
				}
				piece[k] = pieceInRowIf(row[k] != none, row[k], i + examined, at);
			}
#pragma unroll
			for (int k = 0; k < each; k++)
				if (!look && (row[k] != none || several))
					found += followTo(piece[k], row[k], turn);
				else if (look && row[k] != none)
					lookAt(piece[k], row[k], found);
		}
		emptyTile();
	}
	return found;
}

// inBitmap gives the rows of the lanes for which open is true, `count` of each lane and `step` apart, the
// first of their lists that is in a bitmap of rows as their parent. hit becomes whether there is one. All lanes of the warp
// must call it.
template <u32 count> __device__ __forceinline__ void inBitmap(const bool (&open)[count], u32 row, u32 step, const u32 *bitmap, bool (&hit)[count]) {
	RowList list[count];
	uint4 piece[count];
#pragma unroll
	for (u32 k = 0; k < count; k++)
		list[k] = rowListIf(open[k], row + k * step);
#pragma unroll
	for (u32 k = 0; k < count; k++)
		piece[k] = pieceInRowIf(!list[k].isEmpty(), row + k * step, 0, list[k].at);
#pragma unroll
	for (u32 k = 0; k < count; k++) {
		u32 parent = rowIn(piece[k], bitmap);
		for (u32 i = 1; parent == none && i < list[k].end - list[k].at; i++)
			parent = rowIn(pieceInRow(row + k * step, i, list[k].at + i), bitmap);
		hit[k] = parent != none;
		if (hit[k])
			storeParent(__ldg(g.rowLabels + row + k * step), labelOfRow(parent));
	}
}

// examineOthers lets the rows without hubs that are not visited look for a row of a bitmap: in
// the dense level for one of the frontier (g.before), in the next level for a visited one. The
// parent of a row whose first neighbour is one is there already. Finds of the next level go to
// g.late[0], and the rows that find none to the list for the late levels. It returns the number
// of rows that the warp found, in lane 0. All threads of the block must call it.
template <bool next> __device__ __noinline__ u32 examineOthers() {
	constexpr int ahead = 4;
	const u32 lane = threadIdx.x & 31, end = g.rows / 32, step = gridDim.x * warps;
	const u32 *const bitmap = next ? g.visited : g.before;
	u32 found = 0;
	for (u32 base = g.singleEnd / 32 + threadIdx.x / 32 * gridDim.x + blockIdx.x; base < end; base += ahead * step) {
		u32 visited[ahead], first[ahead], word[ahead], hits[ahead], lefts[ahead], anyLeft = 0;
		bool open[ahead];
#pragma unroll
		for (int k = 0; k < ahead; k++) {
			const u32 w = base + k * step;
			visited[k] = loadIf(w < end, g.visited + w, ~0u);
			first[k] = streamIf(w < end, g.firstRows + (w * 32 + lane - g.singleEnd), none);
		}
#pragma unroll
		for (int k = 0; k < ahead; k++) {
			if (visited[k] >> lane & 1)
				first[k] = none;
			word[k] = loadIf(first[k] != none, bitmap + (first[k] >> 5), 0);
		}
#pragma unroll
		for (int k = 0; k < ahead; k++) {
			const bool hit = first[k] != none && bitOf(word[k], first[k]);
			open[k] = first[k] != none && !hit;
			hits[k] = __ballot_sync(~0u, hit);
			lefts[k] = __ballot_sync(~0u, open[k]);
			anyLeft |= lefts[k];
		}
		if (anyLeft) {
			bool hit[ahead];
			inBitmap(open, base * 32 + lane, step * 32, bitmap, hit);
#pragma unroll
			for (int k = 0; k < ahead; k++) {
				hits[k] |= __ballot_sync(~0u, hit[k]);
				lefts[k] &= ~hits[k];
				if (next && lefts[k]) {
					const u32 row = (base + k * step) * 32 + lane;
					giveLate(lefts[k], append(g.leftRows, g.control->left, lefts[k], row), row);
				}
			}
		}
#pragma unroll
		for (int k = 0; k < ahead; k++) {
			const u32 w = base + k * step;
			if (lane > 0 || w >= end)
				continue;
			if (next)
				g.late[0][w - g.singleEnd / 32] = hits[k];
			else if (hits[k])
				g.visited[w] = visited[k] | hits[k];
			found += __popc(hits[k]);
		}
	}
	return found;
}
