// The levels after a dense level that has left hubs. A row whose first hub is visited has its parent.
// The hubs that are left, and the other rows that are not visited, are few in Kronecker graphs: they
// are in a list, in the memory of the queue, and look for a visited neighbour, level by level.
#pragma once
#include "exchange.cuh"

// isLeft returns whether a hub was not visited before the level.
__device__ inline bool isLeft(u32 hub) { return bitOf(__ldcg(leftHubs() + (hub >> 5)), hub); }

// listVertices appends the vertices of the lanes that are on to the list. All lanes of the warp must call it.
__device__ inline void listVertices(bool on, u32 vertex) {
	const u32 lane = threadIdx.x & 31, bits = __ballot_sync(~0u, on);
	if (!bits)
		return;
	u32 place = 0;
	if (lane == 0)
		place = atomicAdd(&g.control->left, __popc(bits));
	place = __shfl_sync(~0u, place, 0) + __popc(bits & (1u << lane) - 1);
	if (on)
		g.queue[place] = make_uint4(vertex, 0, none, none);
}

// firstIsVisited returns whether the first neighbour of a row is a hub that is visited.
__device__ inline bool firstIsVisited(u32 row) {
	if (row >= g.singleEnd)
		return false;
	return !isLeft(row < g.hubRows ? __ldg(g.heads + row) & 0xFFFF : __ldg(g.singleHub + (row - g.hubRows)));
}

// listRest makes the list. The rows that are not in it are found by the next level: g.before becomes
// the bitmap of the rows visited before it, g.visited that with its finds.
__device__ __noinline__ void listRest() {
	const u32 lane = threadIdx.x & 31, first = threadIdx.x / 32 * gridDim.x + blockIdx.x, step = gridDim.x * warps;
	for (u32 w = g.firstRow / 32 + first; w < g.rows / 32; w += step) {
		const u32 row = w * 32 + lane, visited = __ldcg(g.visited + w);
		const bool open = !bitOf(visited, lane) && __ldg(g.rowLabels + row) != none, found = open && firstIsVisited(row);
		const u32 now = visited | __ballot_sync(~0u, found);
		listVertices(open && !found, row);
		if (lane == 0) {
			g.before[w] = visited;
			g.visited[w] = now;
		}
	}
	for (u32 w = first; w < hubWords; w += step)
		listVertices(isLeft(w * 32 + lane), hubFlag | w * 32 + lane);
}

// visitedIn returns the label of a visited one among the neighbours of a piece, else none.
__device__ inline u32 visitedIn(uint4 piece, bool hubs) {
	const u32 x[4] = {piece.x, piece.y, piece.z, piece.w};
	if (!hubs) {
		for (u32 row : x)
			if (row != none && bitOf(__ldcg(g.before + (row >> 5)), row))
				return labelOfRow(row);
		return none;
	}
	for (int k = 0; k < 8; k++)
		if (const u32 hub = hubIn(x, k); hub != noHub && !isLeft(hub))
			return __ldg(g.hubLabels + hub);
	return none;
}

// takeBefore makes the words of other devices' rows in g.before current.
__device__ __noinline__ void takeBefore() { takeBitmap(g.before, false); }

// isFound returns whether an entry of the list was found.
__device__ inline bool isFound(u32 vertex) { return vertex & hubFlag ? !isLeft(vertex & ~hubFlag) : bitOf(__ldcg(g.visited + (vertex >> 5)), vertex); }

// lookForVisited lets the count entries of the list look for a neighbour that was visited before the
// level, each by eight lanes. It returns the number of those that the thread found.
__device__ __noinline__ u32 lookForVisited(u32 count) {
	constexpr u32 each = 8;
	const u32 lane = threadIdx.x & 31, part = lane % each;
	u32 found = 0;
	for (u32 base = (blockIdx.x * THREADS + threadIdx.x) / 32 * (32 / each); base < count; base += gridDim.x * (THREADS / each)) {
		const u32 i = base + lane / each, vertex = i < count ? __ldcg(g.queue + i).x : none;
		bool open = i < count && !isFound(vertex);
		Lists l{};
		if (open)
			l = listsOf(vertex, false);
		const u32 pieces = l.hubPieces + l.rowPieces;
		for (u32 first = 0; open = open && first < pieces, __any_sync(~0u, open); first += each) {
			const u32 p = first + part;
			u32 parent = none;
			if (open && p < pieces)
				parent = visitedIn(p < l.hubPieces ? hubPiece(vertex, l.hubAt, p) : rowPiece(vertex, p - l.hubPieces, l.rowAt + p - l.hubPieces), p < l.hubPieces);
			const u32 finders = __ballot_sync(~0u, parent != none) >> (lane - part) & (1u << each) - 1;
			if (!finders)
				continue;
			open = false;
			if (part != __ffs(finders) - 1)
				continue;
			found++;
			if (vertex & hubFlag) {
				g.hubParents[vertex & ~hubFlag] = parent;
				setBit(foundLeft(), vertex & ~hubFlag);
			} else {
				storeParent(__ldg(g.rowLabels + vertex), parent);
				setBit(g.visited, vertex);
			}
		}
	}
	return found;
}

// takeLeft takes the hubs that all devices have found in a level out of those that are left, and stores
// the parents of own ones. g.hubsBefore becomes the bitmap of those visited before the level.
__device__ __noinline__ void takeLeft() {
	const u32 lane = threadIdx.x & 31;
	for (u32 w = threadIdx.x / 32 * gridDim.x + blockIdx.x; w < hubWords; w += gridDim.x * warps) {
		const u32 left = __ldcg(leftHubs() + w), hub = w * 32 + lane;
		u32 parent = none;
		const u32 found = left ? findersOf(w, left, parent) : 0;
		if (parent != none)
			storeParent(__ldg(g.hubLabels + hub), parent);
		__syncwarp();
		if (lane == 0) {
			g.hubsBefore[w] = ~left;
			leftHubs()[w] = left & ~found;
		}
	}
}

// anyLeft returns whether hubs are left. All threads of the block must call it.
__device__ inline bool anyLeft() {
	u32 any = 0;
	for (u32 w = threadIdx.x; w < hubWords; w += THREADS)
		any |= __ldcg(leftHubs() + w);
	return __syncthreads_or(any);
}

// clearRest resets the parents of the rows of the list that were not found, and of their leaves. All
// hubs were found, so these rows have none.
__device__ __noinline__ void clearRest(u32 count) {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS)
		if (const u32 vertex = __ldcg(g.queue + i).x; !isFound(vertex))
			clearRow(vertex);
}
