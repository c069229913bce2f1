// The steps of the dense level after the dense pass that examine lists, flat over the block: the
// further hubs of long rows, and the lists of rows.
#pragma once
#include "dense.cuh"

// addToTile adds the lists of the lanes that are on to the tile. All lanes of the warp must call
// it. The sum of the block counts entries and, in the low half, pieces.
__device__ inline void addToTile(bool on, u32 item, u32 at, u32 pieces) {
	const u64 mine = on && pieces ? 1ull << 32 | pieces : 0, before = reserve(&fixed().sum, mine);
	if (!mine)
		return;
	Tile &t = shared<Tile>();
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

// foundHub records that a long row has a hub in the frontier. It returns 1 if the row was not
// visited.
__device__ inline u32 foundHub(u32 row, u32 visited, u32 hub) {
	storeParent(__ldg(g.rowLabels + row), __ldg(g.hubLabels + hub));
	if (!visited)
		setBit(g.visited, row);
	return !visited;
}

// examineLongRows examines the further hubs of the block's long rows: two pieces by a thread, then
// the rest of all rows together. It returns the number of rows that the thread found. All
// threads of the block must call it.
__device__ __noinline__ u32 examineLongRows(bool look) {
	constexpr int each = 2;
	const u32 *rows = blockLongRows(), count = fixed().longRows, tid = threadIdx.x;
	const Tile &t = shared<Tile>();
	u32 found = 0;
	for (u32 base = 0; base < count; base += each * THREADS) {
		u32 entry[each], at[each], end[each];
		uint4 piece[each][2];
#pragma unroll
		for (int k = 0; k < each; k++) {
			const u32 i = base + k * THREADS + tid;
			entry[k] = i < count ? rows[i] : none;
			at[k] = cachedIf(entry[k] != none, g.furtherAt + (entry[k] & ~(1u << 31)), 0);
			end[k] = cachedIf(entry[k] != none, g.furtherAt + (entry[k] & ~(1u << 31)) + 1, 0);
		}
#pragma unroll
		for (int k = 0; k < each; k++)
#pragma unroll
			for (int i = 0; i < 2; i++)
				piece[k][i] = pieceIf(at[k] + i < end[k], g.further, at[k] + i);
#pragma unroll
		for (int k = 0; k < each; k++) {
			const bool on = entry[k] != none;
			const u32 row = entry[k] & ~(1u << 31), visited = entry[k] >> 31;
			u32 hub = noHub;
			if (on) {
				hub = firstInFrontier(piece[k][0], visited);
				if (hub == noHub)
					hub = firstInFrontier(piece[k][1], visited);
				if (hub != noHub)
					found += foundHub(row, visited, hub);
			}
			const bool more = on && hub == noHub && at[k] + 2 < end[k];
			addToTile(more, entry[k], at[k] + 2, more ? end[k] - at[k] - 2 : 0);
			const u32 listed = __ballot_sync(~0u, look && on && !visited && hub == noHub && !more);
			if (listed)
				append(blockList(), listed, row);
		}
		if (tid < Tile::capacity / 32)
			fixed().hit[tid] = 0;
		__syncthreads();
		const u32 entries = fixed().sum >> 32, pieces = u32(fixed().sum);
		for (u32 i = tid; i < pieces; i += THREADS) {
			const u32 j = lastAtOrBefore(t.pieces, entries, i), row = t.item[j] & ~(1u << 31), visited = t.item[j] >> 31;
			const u32 hub = firstInFrontier(pieceOnce(g.further, t.at[j] + (i - t.pieces[j])), visited);
			if (hub != noHub && !bitOf(atomicOr(&fixed().hit[j >> 5], 1u << (j & 31)), j))
				found += foundHub(row, visited, hub);
		}
		__syncthreads();
		for (u32 j = tid; look && j - (tid & 31) < entries; j += THREADS) {
			const bool open = j < entries && !bitOf(fixed().hit[j >> 5], j) && !(t.item[j] >> 31);
			const u32 listed = __ballot_sync(~0u, open);
			if (listed)
				append(blockList(), listed, j < entries ? t.item[j] & ~(1u << 31) : 0);
		}
		emptyTile();
	}
	return found;
}

// lookAt examines four rows next to an unvisited one: is one of the frontier? It returns whether,
// and adds 1 to found if the thread is the first to find it.
__device__ inline bool lookAt(uint4 piece, u32 row, u32 &found) {
	const u32 x[4] = {piece.x, piece.y, piece.z, piece.w};
	u32 word[4], parent = none;
#pragma unroll
	for (int k = 0; k < 4; k++)
		word[k] = loadIf(x[k] != none, g.before + (x[k] >> 5), 0);
#pragma unroll
	for (int k = 3; k >= 0; k--)
		if (bitOf(word[k], x[k]))
			parent = x[k];
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
// lookAt, the first piece of a row alone, because many need no more. It returns the number of rows
// that the thread found. All threads of the block must call it.
template <bool look> __device__ __noinline__ u32 examineLists(u32 turn) {
	constexpr int each = look ? 4 : 2;
	constexpr u32 examined = look; // pieces of each list
	const u32 *rows = blockList(), count = fixed().listed, tid = threadIdx.x;
	const Tile &t = shared<Tile>();
	u32 found = 0;
	for (u32 base = 0; base < count; base += each * THREADS) {
		u32 row[each];
		RowList list[each];
#pragma unroll
		for (int k = 0; k < each; k++) {
			const u32 i = base + k * THREADS + tid;
			row[k] = i < count ? rows[i] : none;
			list[k] = rowListIf(row[k] != none, row[k]);
		}
#pragma unroll
		for (int k = 0; k < each; k++) {
			bool on = list[k].at < list[k].end;
			if (look && on)
				on = !lookAt(pieceInRowIf(true, row[k], 0, list[k].at), row[k], found);
			list[k].at += examined;
			addToTile(on, row[k], list[k].at, list[k].end - list[k].at);
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

// inBitmap gives a row the first of its list that is in a bitmap of rows as its parent. It
// returns whether there is one.
__device__ inline bool inBitmap(u32 row, const u32 *bitmap) {
	const RowList list = rowListOf(row);
	for (u32 at = list.at; at < list.end; at++) {
		const uint4 piece = pieceInRow(row, at - list.at, at);
		const u32 x[4] = {piece.x, piece.y, piece.z, piece.w};
		u32 word[4], parent = none;
#pragma unroll
		for (int k = 0; k < 4; k++)
			word[k] = loadIf(x[k] != none, bitmap + (x[k] >> 5), 0);
#pragma unroll
		for (int k = 3; k >= 0; k--)
			if (bitOf(word[k], x[k]))
				parent = x[k];
		if (parent != none) {
			storeParent(__ldg(g.rowLabels + row), labelOfRow(parent));
			return true;
		}
	}
	return false;
}

// leaveRows appends rows of a word to the list for the late levels. All lanes of the warp must call it.
__device__ inline void leaveRows(u32 bits, u32 row) {
	const u32 lane = threadIdx.x & 31;
	u32 place = 0;
	if (lane == 0)
		place = atomicAdd(&g.control->left, __popc(bits));
	place = __shfl_sync(~0u, place, 0) + __popc(bits & (1u << lane) - 1);
	if (bits >> lane & 1)
		g.leftRows[place] = row;
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
		u32 visited[ahead], first[ahead], word[ahead];
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
			const u32 w = base + k * step, row = w * 32 + lane;
			if (w >= end)
				break;
			const bool open = first[k] != none;
			bool hit = open && bitOf(word[k], first[k]);
			if (open && !hit)
				hit = inBitmap(row, bitmap);
			const u32 now = __ballot_sync(~0u, hit);
			if (next) {
				const u32 left = __ballot_sync(~0u, open && !hit);
				if (left)
					leaveRows(left, row);
			}
			if (lane == 0) {
				if (next)
					g.late[0][w - g.singleEnd / 32] = now;
				else if (now)
					g.visited[w] = visited[k] | now;
				found += __popc(now);
			}
		}
	}
	return found;
}
