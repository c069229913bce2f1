// The dense pass. It finds the hubs of its level and the rows with a hub in the frontier, and
// writes the parents of all labels.
//
// A group of threads works on one chunk at a time and makes its parents in shared memory. Bulk
// copies bring there the first hubs of the chunk's rows, and the first neighbours of its other
// labels, which are their parents. The parent of a row is its first hub, or the first one among
// the second to fifth that is in the frontier if the first hub is not. A row none of whose hubs is
// in the frontier so has a parent that is right one level later, because all hubs are found by
// then (else the row is looked at again: rest.cuh). Rows with still more hubs are examined
// when the block has no more chunks. The parent of a row that the level before has marked (last.cuh) is the
// hub that marked it.
#pragma once
#include "lists.cuh"

constexpr u32 wordsAhead = 2; // words of 32 rows that a warp examines at a time

// frontierBit returns 1 if a hub is in the frontier or was in an earlier one, else 0. No unvisited row is next to a hub of
// an earlier one.
__device__ __forceinline__ u32 frontierBit(u32 hub) { return hubBits()[hub >> 5] >> (hub & 31) & 1; }
__device__ __forceinline__ bool inFrontier(u32 hub) { return frontierBit(hub); }

// firstInFrontier returns the first of eight hubs that is in the frontier, else noHub.
__device__ inline u32 firstInFrontier(uint4 piece) {
	const u32 x[4] = {piece.x, piece.y, piece.z, piece.w};
	u32 hub = noHub;
#pragma unroll
	for (int k = 7; k >= 0; k--)
		if (inFrontier(hubIn(x, k)))
			hub = hubIn(x, k);
	return hub;
}

// copyBits fills the bitmap of hubs in shared memory and counts the hubs in the frontier. marked:
// the level before was one of last.cuh. All threads of the block must call it.
__device__ inline void copyBits(u32 level, bool marked) {
	__syncthreads();
	for (u32 i = threadIdx.x; i < hubWords; i += THREADS) {
		const u32 visited = __ldcg(g.hubsBefore + i), now = __ldcg(frontier(level) + i);
		hubBits()[i] = visited | now;
		const u32 count = __reduce_add_sync(~0u, __popc(marked ? now & ~visited : now));
		if ((threadIdx.x & 31) == 0)
			atomicAdd(&fixed().frontierHubs, count);
	}
	__syncthreads();
}

// append appends the rows of the lanes whose bits are set to a list with that many entries so far. It returns the lane's
// place. All lanes of the warp must call it.
__device__ __forceinline__ u32 append(u32 *list, u32 &entries, u32 bits, u32 row) {
	const u32 lane = threadIdx.x & 31;
	u32 place = 0;
	if (lane == 0)
		place = atomicAdd(&entries, __popc(bits));
	place = __shfl_sync(~0u, place, 0) + __popc(bits & (1u << lane) - 1);
	if (bits >> lane & 1)
		list[place] = row;
	return place;
}

// appendEach appends the rows of each lane's set bits to the block's list. All lanes of the warp must call it.
__device__ __forceinline__ void appendEach(u32 *list, u32 bits, u32 row) {
	const u32 count = __popc(bits), with = inclusiveSum(count);
	u32 place = 0;
	if ((threadIdx.x & 31) == 31)
		place = atomicAdd(&fixed().listed, with);
	place = __shfl_sync(~0u, place, 31) + with - count;
	for (; bits; bits &= bits - 1)
		list[place++] = row + __ffs(bits) - 1;
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
			const uint4 y = pieceAt(g.hubRowList, at + lane);
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

// findHubs gives four own hubs per warp a parent, if they are not visited. All lanes of the warp must
// call it, round 0 first.
__device__ inline void findHubs(u32 round) {
	const u32 lane = threadIdx.x & 31, eighth = lane & 7;
	const u32 first = ((round * warps + threadIdx.x / 32) * gridDim.x + blockIdx.x) * 4, i = first + lane / 8;
	if (first >= ownHubs())
		return;
	const u32 h = i < ownHubs() ? ownHub(i) : noHub;
	bool open = h != noHub && !inFrontier(h);
	u32 piece = 0, end = 0;
	if (open) {
		piece = __ldg(g.hubListAt + h) + eighth;
		end = __ldg(g.hubListAt + h + 1);
	}
	for (bool on = open && piece - eighth < end; __any_sync(~0u, on); on = open && piece - eighth < end) {
		const u32 hub = on && piece < end ? firstInFrontier(pieceAt(g.hubLists, piece)) : noHub;
		const u32 found = __ballot_sync(~0u, hub != noHub) >> (lane & 24) & 0xFF;
		if (on && found) {
			if (eighth == __ffs(found) - 1)
				g.hubParents[h] = __ldg(g.hubLabels + hub);
			open = false;
		}
		piece += 8;
	}
	if constexpr (several) { // its rows are on all devices: hubsByRows
		if (open && eighth == 0)
			leaveHub(h);
	} else // no hub: a row of the frontier?
		for (u32 rest = __ballot_sync(~0u, open && eighth == 0); rest; rest &= rest - 1) {
			const u32 hub = first + (__ffs(rest) - 1) / 8, row = frontierRow(hub);
			if (lane > 0)
				continue;
			if (row != none)
				g.hubParents[hub] = __ldg(g.rowLabels + row);
			else
				leaveHub(hub);
		}
}

// markerOf returns the hub that has marked a row with two hubs or more, if on, else noHub. If a row was visited otherwise,
// that is any hub, which does no harm: the row is in the queue or the root, and gets its parent later.
__device__ __forceinline__ u32 markerOf(bool on, u32 row) {
	const u32 hub = loadFresh(g.markedBy + (on ? row - g.firstRow : 0));
	return on ? hub : noHub;
}

// Chunk is what the device has of a chunk.
struct Chunk {
	u32 row, rows;     // with two hubs or more: the first one, and how many
	u32 first, firsts; // first neighbours of other labels, alike

	// There is nothing of a chunk that the device does not have.
	__device__ explicit Chunk(u32 number) {
		const bool on = number < g.chunks;
		const u32 *const starts = g.chunkStart + (on ? number : 0), *const firstAt = g.firstAt + (on ? number : 0);
		row = cachedIf(on, starts, 0), rows = cachedIf(on, starts + 1, 0);
		first = cachedIf(on, firstAt, 0), firsts = cachedIf(on, firstAt + 1, 0);
		rows -= row, firsts -= first;
	}
};

// Group is the threads that work on a chunk together. It has shared memory for the chunk's
// parents, the first hubs of its rows and, with bulk copies, the first neighbours of other labels.
struct Group {
	u32 number, thread, warp; // of the block; of the group

	__device__ Group() : number(threadIdx.x / groupThreads), thread(threadIdx.x % groupThreads), warp(thread / 32) {}

	// The last chunk is the first: its parents, which the host has set last, are in the second-level cache.
	__device__ u32 chunkOf(u32 round) const { return g.chunks - 1 - ((round * groups + number) * gridDim.x + blockIdx.x); }
	__device__ u32 *parents() const { return reinterpret_cast<u32 *>(behindHubBits() + number * g.groupBytes); }
	__device__ u32 *heads() const { return parents() + g.chunkLabels; }
	__device__ u32 *firsts(const Chunk &c) const { return heads() + c.rows; }
	__device__ u16 *firstPlaces(const Chunk &c) const { return reinterpret_cast<u16 *>(firsts(c) + c.firsts); }
	__device__ u32 *marks() const { return fixed().marks + number * chunkWords; }
	__device__ BulkBarrier *arrived() const { return &fixed().arrived[number]; }
	__device__ void wait() const { waitWarps(number + 1, groupThreads); }

	// start starts the copies of a round's chunk, if there is one, to shared memory. One thread of the group calls it.
	__device__ void start(u32 round, const Chunk &c) const {
		if (!bulkCopies || !g.bulk || chunkOf(round) >= g.chunks)
			return;
		expectBulk(arrived(), 4 * c.rows + 6 * c.firsts);
		if (c.rows)
			readBulk(heads(), g.heads + c.row, 4 * c.rows, arrived());
		if (c.firsts) {
			readBulk(firsts(c), g.firsts + c.first, 4 * c.firsts, arrived());
			readBulk(firstPlaces(c), g.firstPlaces + c.first, 2 * c.firsts, arrived());
		}
	}

	// receive waits until the round's chunk is in shared memory, and makes the parents of labels
	// that are no rows with two hubs or more. While it waits, the copy out of the parents before ends.
	__device__ void receive(u32 round, const Chunk &c) const {
		const bool bulk = bulkCopies && g.bulk;
		wait(); // the parents before have left
		fill(parents(), g.chunkLabels, none);
		if (!bulk)
			copy(heads(), g.heads + c.row, c.rows);
		wait();
		if (bulk) {
			waitBulk(arrived(), round & 1);
			place(firsts(c), firstPlaces(c), c.firsts);
		} else
			place(g.firsts + c.first, g.firstPlaces + c.first, c.firsts);
	}

	// send writes the round's chunk to the parents, which a bulk copy does until waitBulkWrites, and
	// starts the next round.
	__device__ void send(u32 round, u32 chunk, const Chunk &next) const {
		fenceBulk();
		wait();
		const u64 label = g.firstLabel + u64(chunk) * g.chunkLabels;
		const u32 labels = u32(min(u64(g.chunkLabels), g.labels - label));
		if (bulkCopies && g.bulk && labels % 4 == 0 && !g.wideParents) {
			if (thread == 0) {
				writeBulk(g.parents + label, parents(), 4 * labels);
				start(round + 1, next);
				waitBulkSources();
			}
			return;
		}
		if (thread == 0)
			start(round + 1, next);
		if (g.wideParents)
			for (u32 i = 2 * thread; i < labels; i += 2 * groupThreads)
				storeTwo(label + i, parents()[i], i + 1 < labels, parents()[i + 1]);
		else
			for (u32 i = thread; i < labels; i += groupThreads)
				g.parents[label + i] = parents()[i];
	}

private:
	// storeTwo stores parents of 64 bits, of two labels or one.
	__device__ static void storeTwo(u64 label, u32 parent, bool two, u32 next) {
		if (two)
			*reinterpret_cast<uint4 *>(g.wideParents + label) = make_uint4(parent, wideParent(parent) >> 32, next, wideParent(next) >> 32);
		else
			g.wideParents[label] = wideParent(parent);
	}

	// fill and copy write a multiple of four words.
	__device__ void fill(u32 *to, u32 words, u32 with) const {
		for (u32 i = 4 * thread; i < words; i += 4 * groupThreads)
			*reinterpret_cast<uint4 *>(to + i) = make_uint4(with, with, with, with);
	}
	__device__ void copy(u32 *to, const u32 *from, u32 words) const {
		for (u32 i = 4 * thread; i < words; i += 4 * groupThreads)
			*reinterpret_cast<uint4 *>(to + i) = __ldg(reinterpret_cast<const uint4 *>(from + i));
	}

	// place stores first neighbours as the parents of the labels at those places.
	__device__ __forceinline__ void place(const u32 *labels, const u16 *places, u32 count) const {
		for (u32 i = thread; i < count; i += groupThreads)
			if (labels[i] != none) // else the entry is unused, or the label has no parent
				parents()[places[i]] = labels[i];
	}
};

// Dense is the dense pass of a block. marked: the level before was one of last.cuh; else the parents of all
// visited rows are in the queue.
template <bool marked> struct Dense {
	bool look;  // unvisited rows will look for rows of the frontier; else these are followed
	u32 found = 0; // rows, by some lanes of each warp

	// settle examines the rows of a chunk, whose first hubs are in shared memory. beforeOfLane is the word of
	// g.before of the warp's word number lane.
	__device__ __forceinline__ void settle(const Group &group, const Chunk &c, u32 beforeOfLane) {
		const u32 lane = threadIdx.x & 31, misses = settleFirst(group, c, beforeOfLane);
		__syncwarp();
		settleMisses(group, c, misses);
		__syncwarp();
		const u32 w = group.warp + lane * groupWarps;
		if (w < c.rows / 32) {
			const u32 now = group.marks()[w];
			g.visited[c.row / 32 + w] = now;
			found += __popc(now & ~beforeOfLane);
		}
		if (!look && __any_sync(~0u, beforeOfLane))
			appendEach(blockList(), beforeOfLane, c.row + w * 32);
	}

	// give gives the other devices the words of a chunk's rows of the frontier, if they will look for these.
	__device__ __forceinline__ void give(const Group &group, const Chunk &c) const {
		if (several && look && group.thread < c.rows / 32)
			giveBefore(c.row / 32 + group.thread, __ldcg(g.before + c.row / 32 + group.thread));
	}

	// missOf returns the place of a miss of the warp: in its own words of the first hubs, which it has examined.
	__device__ static u32 *missOf(const Group &group, u32 i) { return group.heads() + (i / 32 * groupWarps + group.warp) * 32 + i % 32; }

	// settleFirst makes the parents of the rows that are visited or whose first hub is in the frontier, and for now the first
	// hub that of the others. It returns the number of these, which replace the first hubs: their numbers and, in the
	// upper half, their labels, both in the chunk.
	__device__ __forceinline__ u32 settleFirst(const Group &group, const Chunk &c, u32 beforeOfLane) {
		static_assert(chunkWords / groupWarps <= 32);
		const u32 lane = threadIdx.x & 31, words = c.rows / 32, *const heads = group.heads();
		u32 misses = 0, number = 0; // of the warp's word
		for (u32 base = group.warp; base < words; base += wordsAhead * groupWarps) {
			u32 head[wordsAhead], hub[wordsAhead], label[wordsAhead];
			bool visited[wordsAhead];
#pragma unroll
			for (int k = 0; k < wordsAhead; k++) {
				const u32 w = base + k * groupWarps;
				visited[k] = __shfl_sync(~0u, beforeOfLane, number++) >> lane & 1;
				hub[k] = marked ? markerOf(visited[k], c.row + w * 32 + lane) : noHub;
				head[k] = w < words ? heads[w * 32 + lane] : noHub;
			}
			__syncwarp(); // the places of these heads are free
#pragma unroll
			for (int k = 0; k < wordsAhead; k++) {
				const u32 w = base + k * groupWarps, first = head[k] & 0xFFFF;
				const bool in = !visited[k] && inFrontier(first), miss = !visited[k] && !in && first != noHub;
				if (!visited[k])
					hub[k] = first;
				const u32 now = __ballot_sync(~0u, visited[k] || in), missing = __ballot_sync(~0u, miss);
				if (lane == 0 && w < words)
					group.marks()[w] = now;
				label[k] = hub[k] != noHub ? __ldg(g.hubLabels + hub[k]) : none;
				if (miss)
					*missOf(group, misses + __popc(missing & (1u << lane) - 1)) = head[k] & 0xFFFF0000 | w * 32 + lane;
				misses += __popc(missing);
			}
#pragma unroll
			for (int k = 0; k < wordsAhead; k++)
				if (label[k] != none)
					group.parents()[head[k] >> 16] = label[k];
		}
		return misses;
	}

	// settleMisses examines the second to fifth hubs of the rows that settleFirst has left, one of each lane at a
	// time: more in flight are no faster.
	__device__ __forceinline__ void settleMisses(const Group &group, const Chunk &c, u32 misses) {
		const u32 lane = threadIdx.x & 31;
		for (u32 base = 0; base < misses; base += 32) {
			const bool on = base + lane < misses;
			const u32 miss = on ? *missOf(group, base + lane) : 0, row = miss & 0xFFFF;
			const uint2 seconds = streamIf(on, g.seconds + c.row + row, make_uint2(none, none));
			const u32 x[2] = {seconds.x, seconds.y};
			u32 hub = noHub;
#pragma unroll
			for (int i = 3; i >= 0; i--)
				if (const u32 other = i & 1 ? x[i / 2] >> 16 : x[i / 2] & 0xFFFF; inFrontier(other))
					hub = other;
			const bool hit = hub != noHub, isLong = on && !hit && x[1] >> 16 != noHub;
			const u32 label = hit ? __ldg(g.hubLabels + hub) : none;
			if (hit)
				atomicOr(group.marks() + row / 32, 1u << row % 32);
			if (const u32 bits = __ballot_sync(~0u, isLong))
				append(blockLongRows(), fixed().longRows, bits, c.row + row);
			if (const u32 bits = __ballot_sync(~0u, look && on && !hit && !isLong))
				append(blockList(), fixed().listed, bits, c.row + row);
			if (label != none)
				group.parents()[miss >> 16] = label;
		}
	}

	// otherRows examines the rows with one hub, and copies the words of the rows without. The warps of the block take shares of
	// the block's rows when they have no more chunks, because some groups have one chunk less than others.
	__device__ __forceinline__ void otherRows() {
		const u32 perShare = gridDim.x * singleEach * singlesAhead, before = blockIdx.x * singleEach, words = (g.singleEnd - g.hubRows) / 32;
		const u32 singleShares = words > before ? (words - before + perShare - 1) / perShare : 0;
		for (;;) {
			u32 share = 0;
			if ((threadIdx.x & 31) == 0)
				share = atomicAdd(&fixed().sharesTaken, 1);
			share = __shfl_sync(~0u, share, 0);
			if (share < singleShares)
				singleRows(g.hubRows / 32 + share * perShare + before);
			else if (!copyOthers(share - singleShares))
				break;
		}
	}

	static constexpr int singlesAhead = 4;

	// singleRows examines the rows with one hub of a share, whose first word is number `first`.
	__device__ __forceinline__ void singleRows(u32 first) {
		const u32 lane = threadIdx.x & 31, shift = 4 * (lane & 7), base = first + lane / 8, step = gridDim.x * singleEach; // four rows of a word each
		static_assert(singleEach * 8 == 32);
		uint2 hubs[singlesAhead];
		u32 before[singlesAhead];
#pragma unroll
		for (int k = 0; k < singlesAhead; k++) {
			const u32 w = base + k * step;
			const bool on = w < g.singleEnd / 32;
			hubs[k] = streamIf(on, reinterpret_cast<const uint2 *>(g.singleHub + (w * 32 + shift - g.hubRows)), make_uint2(none, none));
			before[k] = loadIf(on, g.before + w, 0);
		}
#pragma unroll
		for (int k = 0; k < singlesAhead; k++) {
			const u32 w = base + k * step, x[2] = {hubs[k].x, hubs[k].y};
			u32 hits = 0, real = 0;
#pragma unroll
			for (int i = 0; i < 4; i++) {
				const u32 hub = i & 1 ? x[i / 2] >> 16 : x[i / 2] & 0xFFFF;
				hits |= frontierBit(hub) << i; // a number: with truth values, ptxas has taken those of real for it
				real |= u32(hub != noHub) << i;
			}
			const u32 listed = (look ? real & ~hits & ~(before[k] >> shift) : before[k] >> shift) & 15;
			hits <<= shift;
#pragma unroll
			for (int d = 1; d < 8; d *= 2)
				hits |= __shfl_xor_sync(~0u, hits, d);
			if (shift == 0 && w < g.singleEnd / 32) {
				g.visited[w] = hits | before[k];
				if (look)
					giveBefore(w, before[k]);
				found += __popc(hits & ~before[k]);
			}
			if (__any_sync(~0u, listed))
				appendEach(blockList(), listed, w * 32 + shift);
		}
	}

	// copyOthers copies the words of the rows without hubs of a share, a sector at a time. It returns whether the block has such
	// a share.
	__device__ __forceinline__ bool copyOthers(u32 share) {
		const u32 lane = threadIdx.x & 31, words = (g.rows - g.singleEnd) / 32;
		const u32 i = ((share * (32 / wordsEach) + lane / wordsEach) * gridDim.x + blockIdx.x) * wordsEach + lane % wordsEach;
		if (__all_sync(~0u, i >= words))
			return false;
		if (i >= words)
			return true;
		const u32 w = g.singleEnd / 32 + i, before = __ldcg(g.before + w);
		g.visited[w] = before;
		if (look)
			giveBefore(w, before);
		for (u32 rest = look ? 0 : before; rest; rest &= rest - 1)
			blockList()[atomicAdd(&fixed().listed, 1)] = w * 32 + __ffs(rest) - 1;
		return true;
	}

	// run makes the pass, after copyBits. It returns the number of found rows, in some lanes of each
	// warp, without long rows. All threads of all blocks must call it.
	__device__ u32 run() {
		const Group group;
		Chunk c(group.chunkOf(0));
		if (group.thread == 0) {
			fenceBulk();
			group.start(0, c);
		}
		u32 round = 0;
		for (u32 chunk; (chunk = group.chunkOf(round)) < g.chunks; round++) {
			const Chunk next(group.chunkOf(round + 1)); // loaded a round ahead
			const u32 w = group.warp + (threadIdx.x & 31) * groupWarps, before = loadIf(w < c.rows / 32, g.before + c.row / 32 + w, 0);
			findHubs(round);
			group.receive(round, c);
			settle(group, c, before);
			group.send(round, chunk, next);
			give(group, c);
			c = next;
		}
		for (const u32 perRound = gridDim.x * warps * 4; round * perRound < ownHubs(); round++)
			findHubs(round);
		otherRows();
		if (group.thread == 0) {
			waitBulkWrites();
			fenceBulkWrites();
		}
		__syncthreads();
		return found;
	}
};
