// The dense pass. It finds the hubs of its level and the rows with a hub in the frontier, and
// writes the parents of all labels.
//
// A group of threads works on one chunk at a time. The first neighbours of its labels, as numbers of
// hubs, and the places of its rows come into shared memory by bulk copies, while the group works
// on the chunk before. A row whose first hub is in the frontier needs nothing more. The others are
// listed, and their further hubs are examined: one that is in the frontier takes the first one's
// place. Then the labels of these hubs leave as parents. A row none of whose hubs is in the frontier
// has a parent that is right one level later, because all hubs are found by then (else the search
// goes on: Search.goOn in search.cu). Rows with very many hubs are examined when the block has no
// more chunks.
#pragma once
#include "lists.cuh"

// inFrontier returns whether a hub can be the parent of a row: of one that is not visited, if the
// hub is in the frontier; of one that was found by the level before, if the hub was visited then.
__device__ __forceinline__ bool inFrontier(u32 hub, u32 visited) { return bitOf(hubBits()[visited * hubWords + (hub >> 5)], hub); }

// firstInFrontier returns the first of eight hubs that is in the frontier, else noHub.
__device__ inline u32 firstInFrontier(uint4 piece, u32 visited) {
	const u32 x[4] = {piece.x, piece.y, piece.z, piece.w};
	u32 hub = noHub;
#pragma unroll
	for (int k = 7; k >= 0; k--)
		if (inFrontier(hubIn(x, k), visited))
			hub = hubIn(x, k);
	return hub;
}

// copyBits fills the bitmaps of hubs in shared memory and counts the hubs in the frontier.
// marked: the level before only marked its finds (last in topdown.cuh); otherwise all visited
// rows have their parents elsewhere. All threads of the block must call it.
__device__ inline void copyBits(u32 level, bool marked) {
	__syncthreads();
	for (u32 i = threadIdx.x; i < hubWords; i += THREADS) {
		const u32 visited = __ldcg(g.hubsBefore + i), now = __ldcg(frontier(level) + i);
		hubBits()[i] = visited | now;
		hubBits()[hubWords + i] = marked ? visited : ~0u;
		const u32 count = __reduce_add_sync(~0u, __popc(marked ? now & ~visited : now));
		if ((threadIdx.x & 31) == 0)
			atomicAdd(&fixed().frontierHubs, count);
	}
	__syncthreads();
}

// append appends the rows of a word's set bits to the block's list. All lanes of the warp must
// call it.
__device__ __forceinline__ void append(u32 *list, u32 bits, u32 row) {
	const u32 lane = threadIdx.x & 31;
	u32 place = 0;
	if (lane == 0)
		place = atomicAdd(&fixed().listed, __popc(bits));
	place = __shfl_sync(~0u, place, 0) + __popc(bits & (1u << lane) - 1);
	if (bits >> lane & 1)
		list[place] = row;
}

__device__ inline u32 *blockList() { return g.list + u64(blockIdx.x) * g.blockList; }
__device__ inline u32 *blockLongRows() { return g.longRows + u64(blockIdx.x) * g.blockLong; }

// leaveHub records that neither the dense pass nor a level before has found a hub.
__device__ inline void leaveHub(u32 hub) {
	setBit(g.leftHubs, hub);
	atomicAdd(&fixed().left, 1);
}

// frontierRow returns an own row of the frontier that is next to a hub, else none. All lanes of the
// warp must call it.
__device__ inline u32 frontierRow(u32 hub) {
	const u32 lane = threadIdx.x & 31, end = __ldg(g.hubRowAt + hub + 1);
	for (u32 at = __ldg(g.hubRowAt + hub); at < end; at += 32) {
		u32 row = none;
		if (at + lane < end) {
			const uint4 y = __ldg(g.hubRowList + at + lane);
			const u32 x[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
			for (int k = 0; k < 4; k++)
				if (x[k] != none && bitOf(__ldcg(g.before + (x[k] >> 5)), x[k]))
					row = x[k];
		}
		if (const u32 found = __ballot_sync(~0u, row != none))
			return __shfl_sync(~0u, row, __ffs(found) - 1);
	}
	return none;
}

// HubPass finds the hubs of the level: it gives four own hubs per warp and round a parent, if they are
// not visited. Its loads are in flight while the warp works on a chunk. All lanes of the warp must
// call all functions.
struct HubPass {
	u32 hub, piece, end; // of the lane, its next piece and the end of its list
	bool open;           // the hub needs a parent
	uint4 hubs;          // the lane's first piece

	__device__ static u32 eighth() { return threadIdx.x & 7; }

	// begin begins a round.
	__device__ __forceinline__ void begin(u32 round) {
		const u32 i = ((round * warps + threadIdx.x / 32) * gridDim.x + blockIdx.x) * 4 + (threadIdx.x & 31) / 8;
		hub = i < ownHubs() ? ownHub(i) : noHub;
		open = hub != noHub && !inFrontier(hub, 0);
		piece = cachedIf(open, g.hubListAt + hub, 0) + eighth();
		end = cachedIf(open, g.hubListAt + hub + 1, 0);
	}

	// load loads the first pieces.
	__device__ __forceinline__ void load() { hubs = streamIf(open && piece < end, g.hubLists + piece, noHubs()); }

	// find ends the round.
	__device__ __forceinline__ void find() {
		for (bool on = open; __any_sync(~0u, on); on = open && piece - eighth() < end) {
			const u32 parent = firstInFrontier(hubs, 0);
			const u32 found = __ballot_sync(~0u, on && parent != noHub) >> (threadIdx.x & 24) & 0xFF;
			if (on && found) {
				if (eighth() == __ffs(found) - 1)
					g.hubParents[hub] = __ldg(g.hubLabels + parent);
				open = false;
			}
			piece += 8;
			load();
		}
		if constexpr (several) { // its rows are on all devices: hubsByRows
			if (open && eighth() == 0)
				leaveHub(hub);
		} else if (const u32 rest = __ballot_sync(~0u, open && eighth() == 0))
			findInRows(hub, rest);
	}

private:
	// findInRows gives the hubs of the lanes in rest a row of the frontier as their parent, or leaves them.
	__device__ static __noinline__ void findInRows(u32 hubOfLane, u32 rest) {
		for (; rest; rest &= rest - 1) {
			const u32 hub = __shfl_sync(~0u, hubOfLane, __ffs(rest) - 1), row = frontierRow(hub);
			if (threadIdx.x & 31)
				continue;
			if (row != none)
				g.hubParents[hub] = __ldg(g.rowLabels + row);
			else
				leaveHub(hub);
		}
	}
};

// Chunk is a chunk of a round.
struct Chunk {
	u32 number, row, rows; // first row with two hubs or more, and the number of these

	__device__ explicit Chunk(u32 number) : number(number), row(0), rows(0) {
		if (number < g.chunks) {
			row = __ldg(g.chunkStart + number);
			rows = __ldg(g.chunkStart + number + 1) - row;
		}
	}
};

// Group is the threads that work on a chunk together. With bulk copies, the chunk of the next
// round comes into shared memory while they work. g.groupBytes is the size of the group's memory.
struct Group {
	u32 number, thread, warp; // of the block; of the group

	__device__ Group() : number(threadIdx.x / groupThreads), thread(threadIdx.x % groupThreads), warp(thread / 32) {}

	__device__ u32 chunkOf(u32 round) const { return (round * groups + number) * gridDim.x + blockIdx.x; }
	__device__ u8 *memory() const { return behindHubBits() + number * g.groupBytes; }
	__device__ u32 *visited() const { return reinterpret_cast<u32 *>(memory()); }                                 // bitmap of rows
	__device__ u16 *open() const { return reinterpret_cast<u16 *>(memory() + (g.mostRows / 32 + 3) / 4 * 16); } // rows
	__device__ u16 *hubs(u32 round) const { return open() + g.mostRows + (round & g.bulk) * (g.chunkLabels + g.mostRows); } // by label
	__device__ u16 *places(u32 round) const { return hubs(round) + g.chunkLabels; }                                         // by row
	__device__ u32 *openCount() const { return &fixed().open[number]; }
	__device__ BulkBarrier *arrived(u32 round) const { return &fixed().arrived[number][round & 1]; }
	__device__ void wait() const { waitWarps(number + 1, groupThreads); }

	// start starts the copies of a round's chunk to shared memory. One thread of the group calls it.
	__device__ void start(u32 round) const {
		if (!bulkCopies || !g.bulk || chunkOf(round) >= g.chunks)
			return;
		const Chunk c(chunkOf(round));
		expectBulk(arrived(round), 2 * (g.chunkLabels + c.rows));
		readBulk(hubs(round), g.firstHubs + u64(c.number) * g.chunkLabels, 2 * g.chunkLabels, arrived(round));
		if (c.rows)
			readBulk(places(round), g.places + c.row, 2 * c.rows, arrived(round));
	}

	// receive waits until the round's chunk is in shared memory.
	__device__ void receive(u32 round, const Chunk &c) const {
		if (bulkCopies && g.bulk) {
			waitBulk(arrived(round), round / 2 & 1);
			return;
		}
		copy(hubs(round), g.firstHubs + u64(c.number) * g.chunkLabels, g.chunkLabels);
		copy(places(round), g.places + c.row, c.rows);
		wait();
	}

	// send writes the parents of the round's chunk, and starts the round after the next.
	__device__ void send(u32 round, const Chunk &c) const {
		const u32 from = __ldg(g.firstsAt + c.number), end = __ldg(g.firstsAt + c.number + 1);
		uint2 first = streamIf(from + thread < end, g.firsts + from + thread, make_uint2(none, none));
		sendHubs(round, c);
		wait();
		if (thread == 0)
			start(round + 2);
		// Where the first neighbour is no hub, there is none yet.
		for (u32 i = from + thread; i < end; i += groupThreads) {
			g.parents[first.x] = first.y;
			first = streamIf(i + groupThreads < end, g.firsts + i + groupThreads, first);
		}
	}

private:
	// copy copies a multiple of 16 bytes.
	__device__ void copy(u16 *to, const u16 *from, u32 elements) const {
		for (u32 i = 8 * thread; i < elements; i += 8 * groupThreads)
			*reinterpret_cast<uint4 *>(to + i) = __ldg(reinterpret_cast<const uint4 *>(from + i));
	}

	// sendHubs writes the labels of hubs that are parents. Other labels get none.
	__device__ void sendHubs(u32 round, const Chunk &c) const {
		constexpr int each = 4; // loads of four labels in flight
		const u64 label = g.firstLabel + u64(c.number) * g.chunkLabels;
		const u32 labels = u32(min(u64(g.chunkLabels), g.labels - label));
		for (u32 base = 4 * thread; base < labels; base += each * 4 * groupThreads) {
			u32 parent[each][4];
#pragma unroll
			for (int k = 0; k < each; k++) {
				const u32 at = base + k * 4 * groupThreads;
				uint2 x = make_uint2(none, none);
				if (at < labels)
					x = *reinterpret_cast<const uint2 *>(hubs(round) + at);
				const u32 hub[4] = {x.x & 0xFFFF, x.x >> 16, x.y & 0xFFFF, x.y >> 16};
#pragma unroll
				for (int i = 0; i < 4; i++)
					parent[k][i] = cachedIf(hub[i] < rowFirst, g.hubLabels + hub[i], none);
			}
#pragma unroll
			for (int k = 0; k < each; k++) {
				const u32 at = base + k * 4 * groupThreads;
				u32 *to = g.parents + label + at;
				if (at + 4 <= labels)
					*reinterpret_cast<uint4 *>(to) = make_uint4(parent[k][0], parent[k][1], parent[k][2], parent[k][3]);
				else
#pragma unroll
					for (int i = 0; i < 3; i++)
						if (at + i < labels)
							to[i] = parent[k][i];
			}
		}
	}
};

// Dense is the dense pass of a block.
struct Dense {
	bool look;  // unvisited rows will look for rows of the frontier; else these are followed
	u32 found = 0; // rows that the thread found

	// settle examines the first hubs of the rows of a round's chunk, and lists the rows whose further
	// hubs must be examined. beforeOfLane is the word of g.before of the warp's word number lane.
	__device__ __forceinline__ void settle(const Group &group, u32 round, const Chunk &c, u32 beforeOfLane) {
		const u32 lane = threadIdx.x & 31, words = c.rows / 32;
		const u16 *hubs = group.hubs(round), *places = group.places(round);
		u32 number = 0; // of the warp's word
		for (u32 w = group.warp; w < words; w += groupWarps) {
			const u32 before = __shfl_sync(~0u, beforeOfLane, number++), visited = before >> lane & 1;
			const u32 label = places[w * 32 + lane], hub = label != noPlace ? hubs[label] : noHub;
			const bool hit = inFrontier(hub, visited);
			const u32 now = __ballot_sync(~0u, hit) | before, open = __ballot_sync(~0u, !hit && hub != noHub);
			u32 place = 0;
			if (lane == 0) {
				group.visited()[w] = now;
				found += __popc(now & ~before);
				if (open)
					place = atomicAdd(group.openCount(), __popc(open));
			}
			if (open) {
				place = __shfl_sync(~0u, place, 0) + __popc(open & (1u << lane) - 1);
				if (open >> lane & 1)
					group.open()[place] = w * 32 + lane | visited << 15;
			}
			if (!look && before)
				append(blockList(), before, c.row + w * 32 + lane);
		}
	}

	// settleOpen examines the further hubs of the listed rows: those of the record and two pieces more. Rows
	// with more of them are left to examineLongRows.
	__device__ __forceinline__ void settleOpen(const Group &group, u32 round, const Chunk &c) {
		const u32 count = *group.openCount();
		for (u32 i = group.thread; i - (threadIdx.x & 31) < count; i += groupThreads) {
			const u32 x = i < count ? group.open()[i] : noPlace, visited = x >> 15, row = x & 0x7FFF;
			const bool on = x != noPlace;
			const Record r(streamIf(on, g.records + c.row + row, make_uint4(none, none, noHub, 0)));
			u32 parent = firstInFrontier(make_uint4(r.x.x, r.x.y, r.x.z | 0xFFFF0000, none), visited);
			const bool isLong = on && parent == noHub && r.count() > 0;
			uint4 piece[2];
#pragma unroll
			for (int k = 0; k < 2; k++)
				piece[k] = streamIf(isLong && k < r.count(), g.further + r.at() + k, noHubs());
#pragma unroll
			for (int k = 1; k >= 0; k--)
				if (isLong) {
					const u32 hub = firstInFrontier(piece[k], visited);
					if (hub != noHub)
						parent = hub;
				}
			const bool hit = on && parent != noHub, more = isLong && !hit && r.count() > 2;
			if (hit) {
				group.hubs(round)[group.places(round)[row]] = parent;
				if (!visited) {
					setBit(group.visited(), row);
					found++;
				}
			}
			if (more)
				blockLongRows()[atomicAdd(&fixed().longRows, 1)] = c.row + row | visited << 31;
			const u32 listed = __ballot_sync(~0u, look && on && !hit && !more && !visited);
			if (listed)
				append(blockList(), listed, c.row + row);
		}
	}

	// settleChunk examines the rows of a round's chunk in shared memory.
	__device__ __forceinline__ void settleChunk(const Group &group, u32 round, const Chunk &c, u32 beforeOfLane) {
		settle(group, round, c, beforeOfLane);
		group.wait();
		settleOpen(group, round, c);
		fenceBulk(); // the next chunk but one comes here
		group.wait();
		if (group.thread == 0)
			*group.openCount() = 0;
		for (u32 w = group.thread; w < c.rows / 32; w += groupThreads)
			g.visited[c.row / 32 + w] = group.visited()[w];
	}

	// single examines the rows with one hub, and copies the words of the rows without.
	__device__ __forceinline__ void otherRows() {
		const u32 lane = threadIdx.x & 31, step = gridDim.x * warps;
		constexpr int ahead = 4;
		for (u32 base = g.hubRows / 32 + threadIdx.x / 32 * gridDim.x + blockIdx.x; base < g.singleEnd / 32; base += ahead * step) {
			u32 hub[ahead], before[ahead];
#pragma unroll
			for (int k = 0; k < ahead; k++) {
				const u32 w = base + k * step;
				hub[k] = w < g.singleEnd / 32 ? __ldg(g.singleHub + w * 32 + lane - g.hubRows) : noHub;
				before[k] = loadIf(w < g.singleEnd / 32, g.before + w, 0);
			}
#pragma unroll
			for (int k = 0; k < ahead; k++) {
				const u32 w = base + k * step;
				const u32 hits = __ballot_sync(~0u, inFrontier(hub[k], 0)), real = __ballot_sync(~0u, hub[k] != noHub);
				const u32 listed = look ? real & ~hits & ~before[k] : before[k];
				if (lane == 0 && w < g.singleEnd / 32) {
					g.visited[w] = hits | before[k];
					found += __popc(hits & ~before[k]);
				}
				if (listed)
					append(blockList(), listed, w * 32 + lane);
			}
		}
		// A sector at a time, equally many for each block.
		for (u32 i = threadIdx.x; (i / wordsEach * gridDim.x + blockIdx.x) * wordsEach < (g.rows - g.singleEnd) / 32; i += THREADS) {
			const u32 w = g.singleEnd / 32 + (i / wordsEach * gridDim.x + blockIdx.x) * wordsEach + i % wordsEach;
			if (w >= g.rows / 32)
				continue;
			const u32 before = __ldcg(g.before + w);
			g.visited[w] = before;
			for (u32 rest = look ? 0 : before; rest; rest &= rest - 1)
				blockList()[atomicAdd(&fixed().listed, 1)] = w * 32 + __ffs(rest) - 1;
		}
	}

	// run makes the pass, after copyBits. It returns the number of found rows, in lane 0 of each
	// warp, without long rows. All threads of all blocks must call it.
	__device__ u32 run() {
		const Group group;
		if (group.thread == 0) {
			fenceBulk();
			group.start(0);
			group.start(1);
		}
		HubPass hubs;
		hubs.begin(0);
		otherRows();
		u32 round = 0;
		for (; group.chunkOf(round) < g.chunks; round++) {
			const Chunk c(group.chunkOf(round));
			const u32 w = group.warp + (threadIdx.x & 31) * groupWarps, before = loadIf(w < c.rows / 32, g.before + c.row / 32 + w, 0);
			hubs.load();
			group.receive(round, c);
			settleChunk(group, round, c, before);
			hubs.find();
			hubs.begin(round + 1);
			group.send(round, c);
		}
		for (const u32 perRound = gridDim.x * warps * 4; round * perRound < ownHubs(); hubs.begin(++round)) {
			hubs.load();
			hubs.find();
		}
		__syncthreads();
		return found;
	}
};
