// The dense passes of the bottom-up steps: every unvisited vertex looks for a visited
// neighbour.
//
// There are two kinds. A marking pass (stepDense, stepDenseHubs) marks the vertices
// that it finds in the bitmap of visited vertices, and leaves the parents of those
// found at their first neighbour to a later pass: it marks them in g.deferred. A
// writing pass (stepDenseParents) writes the parents of both passes.
//
// A row begins with the neighbour of highest degree, which is visited for 60 to 98 %
// of the found vertices. So a dense pass examines first neighbours, of all labels in
// order and with many independent loads in flight. It collects the vertices that are
// not found there and have further neighbours until they fill a warp. If each lane
// walked its own row in the dense pass, the warp would wait for the longest walk.
#pragma once
#include "hubs.cuh"
#include "levels.cuh"
#include "neighbors.cuh"

// rowStart and rowDegree unpack Further.row. rowDegree needs the vertex v, because a
// long row has its degree in g.rows only.
__device__ inline u64 rowStart(u64 row) { return row & ((1ull << 40) - 1); }
__device__ inline u32 rowDegree(u64 row, u32 v) {
	const u32 degree = row >> 40;
	return degree == maxFurtherDegree ? g.rows[rowNumber(v)].degree : degree;
}

// PassKind is the kind of a dense pass: a marking pass that examines all neighbours,
// one that tests them in the filter first, one that examines hubs only, a writing
// pass, or a writing pass that also writes ordered parents.
enum PassKind { markAny, markFiltered, markHubs, writeParents, writeOrdered };

// markPiece examines the first neighbours of one piece, tasks t to stop-1, in a
// marking pass. It reads two bytes per label, the hub number of the first neighbour,
// and looks it up in the bitmap of hubs in shared memory. Unless the pass is for hubs
// only, it also reads the lists g.minors and g.exceptions. It looks minor hubs up in
// their own bitmap, which fits into the first-level cache, and the first neighbours
// of exceptions in the bitmap visited.
//
// It writes the bitmap visitedAfter, updates g.deferred (initial: overwrites it), and
// leaves the vertices whose further neighbours must be examined in the warp's bitmap
// further. It returns the number of vertices that the thread found. All lanes of the
// warp must call it.
template <PassKind kind> __device__ inline u32 markPiece(u32 t, u32 stop, const u32 *visited, u32 *visitedAfter, bool initial) {
	constexpr bool hubsOnly = kind == markHubs;
	const u32 lane = threadIdx.x & 31;
	u32 *hit = shared<BottomUp>().warp[threadIdx.x / 32].hit;
	u32 found = 0;
	constexpr int parts = taskLabels / 256; // eight labels per lane in each part
	uint4 numbers[parts];
	u32 seen[parts], hasMore[parts];
	auto load = [&](u32 u) {
#pragma unroll
		for (int k = 0; k < parts; k++) {
			const u64 at = u64(u) * (taskLabels / 8) + 32 * k + lane;
			numbers[k] = streamIf(true, reinterpret_cast<const uint4 *>(g.firstHub) + at, uint4{});
			seen[k] = loadIf(true, reinterpret_cast<const u8 *>(visited) + at, 0);
			hasMore[k] = streamIf(true, reinterpret_cast<const u8 *>(hubsOnly ? g.secondIsHub : g.hasFurther) + at, 0);
		}
	};
	const u32 begin = streamIf(!hubsOnly, g.exceptionStart + t, 0), end = streamIf(!hubsOnly, g.exceptionStart + stop, 0);
	const u32 minorBegin = streamIf(!hubsOnly, g.minorStart + t, 0), minorEnd = streamIf(!hubsOnly, g.minorStart + stop, 0);
	load(t);
	for (u32 i = lane; i < pieceTasks * taskWords; i += 32)
		hit[i] = 0;
	__syncwarp();
	for (u32 i = minorBegin + lane; i - lane < minorEnd; i += 128) {
		u32 x[4], word[4];
#pragma unroll
		for (int k = 0; k < 4; k++)
			x[k] = streamIf(i + 32 * k < minorEnd, g.minors + i + 32 * k, none);
#pragma unroll
		for (int k = 0; k < 4; k++)
			word[k] = cachedIf(x[k] != none, g.minorBits + (x[k] >> minorShift) / 32, 0);
#pragma unroll
		for (int k = 0; k < 4; k++)
			if (word[k] >> (x[k] >> minorShift & 31) & 1)
				atomicOr(&hit[((x[k] - t * taskLabels) & ((1 << minorShift) - 1)) / 32], 1u << (x[k] & 31));
	}
	for (u32 i = begin + lane; i - lane < end; i += 128) {
		uint2 x[4];
		u32 first[4], valid = 0;
#pragma unroll
		for (int k = 0; k < 4; k++)
			x[k] = streamIf(i + 32 * k < end, g.exceptions + i + 32 * k, make_uint2(none, 0));
#pragma unroll
		for (int k = 0; k < 4; k++)
			valid |= (i + 32 * k < end) << k, first[k] = x[k].y;
		const u32 hits = lookUpVisited<kind == markFiltered>(visited, valid, first);
#pragma unroll
		for (int k = 0; k < 4; k++)
			if (hits >> k & 1)
				atomicOr(&hit[x[k].x / 32 - t * taskWords], 1u << (x[k].x & 31));
	}
	__syncwarp();
	for (u32 u = t; u < stop; u++) {
		uint4 numbers0[parts];
		u32 seen0[parts], hasMore0[parts];
#pragma unroll
		for (int k = 0; k < parts; k++)
			numbers0[k] = numbers[k], seen0[k] = seen[k], hasMore0[k] = hasMore[k];
		if (u + 1 < stop)
			load(u + 1);
#pragma unroll
		for (int k = 0; k < parts; k++) {
			const u64 at = u64(u) * (taskLabels / 8) + 32 * k + lane;
			u8 *mine = reinterpret_cast<u8 *>(hit) + (u - t) * (taskLabels / 8) + 32 * k + lane;
			u32 hits = *mine;
			const u32 pair[4] = {numbers0[k].x, numbers0[k].y, numbers0[k].z, numbers0[k].w};
#pragma unroll
			for (int j = 0; j < 8; j++)
				hits |= hubBit(pair[j / 2] >> (16 * (j & 1)) & 0xFFFF) << j;
			hits &= ~seen0[k] & 0xFF;
			found += __popc(hits);
			reinterpret_cast<u8 *>(visitedAfter)[at] = seen0[k] | hits;
			*mine = hasMore0[k] & ~(seen0[k] | hits);
			u8 *mark = reinterpret_cast<u8 *>(g.deferred) + at;
			*mark = initial ? hits : __ldcg(mark) | hits;
		}
	}
	return found;
}

// appendToList appends one vertex v per lane that has one, with its first neighbour,
// to the list of unvisited vertices. furtherFlag in first says that the vertex has
// further neighbours. Beyond the capacity of the list, vertices are counted but not
// stored. All lanes of the warp must call it.
__device__ inline void appendToList(bool hasVertex, u32 v, u32 first) {
	BottomUp &s = shared<BottomUp>();
	const u32 ballot = __ballot_sync(~0u, hasVertex), n = __popc(ballot);
	if (!n)
		return;
	const u32 lane = threadIdx.x & 31, leader = __ffs(ballot) - 1;
	u32 at, beyond = 0;
	if (lane == leader) {
		at = atomicAdd(&s.listed, n);
		if (at + n > blockListCapacity)
			beyond = atomicAdd(&g.control->listed, min(n, at + n - blockListCapacity));
	}
	at = __shfl_sync(~0u, at, leader);
	beyond = __shfl_sync(~0u, beyond, leader) - max(at, blockListCapacity);
	const u32 place = at + __popc(ballot & ((1u << lane) - 1));
	if (hasVertex && place < blockListCapacity)
		s.list[place] = make_uint2(v, first);
	else if (hasVertex && beyond + place < g.listCapacity)
		g.list[beyond + place] = make_uint2(v, first);
}

// writePiece examines the first neighbours of one piece, tasks t to stop-1, in a
// writing pass, and writes the parents of the found vertices, one label per lane.
//
// If writesDeferred, it also writes the parents that marking passes left, and reads
// and writes again all older parents, because partly written sectors cost the memory
// more. Small graphs skip the older parents (skipsOlder): the second-level cache
// holds the array. If the pass is for ordered parents, those of the last top-down
// level come from ordered.
//
// Instead of the loads for a next task, lane 0 takes the warp's next ticket early,
// and returns it in next. With a register of its own the ticket would be spilled, and
// the warp would wait for it.
//
// If the plan says so (g.prefetch), the warp prefetches the first neighbours of its
// next piece. base is the number of pieces that are assigned without a ticket, and
// pieceLength the number of tasks in a piece. The pass is 8 % faster with it at scale
// 24 and 9 % slower at scale 28, where the data are evicted before they are used.
//
// It adds to moved the words that it moved, and returns the number of vertices that
// the thread found. All lanes of the warp must call it.
template <PassKind kind, Size size> __device__ inline u32 writePiece(u32 t, u32 stop, u32 base, u32 pieceLength, u32 *ticket, u32 &next, const u32 *visited, u32 *visitedAfter, bool writesDeferred, const u32 *ordered, u32 &moved) {
	constexpr bool skipsOlder = size == few, orders = kind == writeOrdered;
	// The branch on prefetches is useful even where g.prefetch is 0: without it,
	// loads of ordered parents waited for each other (1,000 -> 2,000 µs).
	const bool prefetches = size != few && g.prefetch;
	const u32 lane = threadIdx.x & 31;
	u32 found = 0;
	const bool lowerHalf = lane < taskWords;
	u32 *further = shared<BottomUp>().warp[threadIdx.x / 32].further;
	// Loads for the next task. The upper half of the lanes holds other data than the
	// lower half. With one more register, that register would be spilled as soon as
	// it is loaded, and the warp would wait for the load: a fifth of the pass.
	u32 visitedOrDeferred, rowsOrStart, orderedNext = 0; // upper half: g.deferred, and the start of the ordered parents
	auto load = [&](u32 u) {
		const u32 w = u * taskWords + lane % taskWords;
		visitedOrDeferred = loadIf(lowerHalf || writesDeferred, (lowerHalf ? visited : g.deferred) + w, 0);
		rowsOrStart = orders ? loadIf(true, lowerHalf ? g.hasRow + w : g.orderedStart + u, 0) : streamIf(lowerHalf, g.hasRow + w, 0);
		if (orders)
			orderedNext = __ldcg(reinterpret_cast<const u16 *>(g.hasOrdered) + u * 32 + lane);
	};
	load(t);
	for (u32 u = t; u < stop; u++) {
		const u32 orderedBits = orderedNext, start = orders ? __shfl_sync(~0u, rowsOrStart, taskWords) : 0;
		const u32 upper = __shfl_down_sync(~0u, visitedOrDeferred, taskWords), deferred = lowerHalf ? upper : 0;
		const u32 seen = lowerHalf ? visitedOrDeferred : ~0u, rowBits = rowsOrStart;
		// Bit k of the transposed words is label 32 k + lane of the task.
		const u32 open = transpose(~seen), isDeferred = transpose(deferred);
		const u32 older = writesDeferred ? transpose(seen & ~deferred & rowBits) : 0, stays = skipsOlder ? 0 : older;
		u32 nowVisited = seen;
		if (u + 1 < stop)
			load(u + 1);
		else if (lane == 0)
			visitedOrDeferred = atomicAdd(ticket, 1);
		const u32 label = u * taskLabels + lane;
		u32 inside = ~0u;
		if ((u + 1) * taskLabels > g.vertices) // the array of parents ends in this task
			inside = ~(~0u << (max(g.vertices, label) - label + 31) / 32);
		const u32 *first = g.first + label;
		u32 *parents = g.parents + label;
		u32 x[taskWords], word[taskWords], hits = 0;
		if (orders) {
			u32 before = __popc(orderedBits);
#pragma unroll
			for (int d = 1; d < 32; d *= 2) {
				const u32 n = __shfl_up_sync(~0u, before, d);
				if (lane >= d)
					before += n;
			}
			const u32 *place = ordered + (start + before - __popc(orderedBits));
#pragma unroll
			for (int k = 0; k < taskWords; k++) {
				const u32 *from = (stays & 1 << k ? parents : first) + k * 32;
				x[k] = loadIf((open | isDeferred | stays) & 1 << k, orderedBits & 1 << k ? place : from, 0);
				place += orderedBits >> k & 1;
			}
		} else
#pragma unroll
			for (int k = 0; k < taskWords; k++)
				x[k] = loadIf((open | isDeferred | stays) & 1 << k, (stays & 1 << k ? parents : first) + k * 32, 0);
#pragma unroll
		for (int k = 0; k < taskWords; k++)
			word[k] = loadIf(open & 1 << k, visited + x[k] / 32, 0);
#pragma unroll
		for (int k = 0; k < taskWords; k++)
			hits |= (word[k] >> (x[k] & 31) & 1) << k;
		if (prefetches && u + 1 == stop) {
			const u32 ours = firstTask() + (base + __shfl_sync(~0u, visitedOrDeferred, 0)) * pieceLength + lane / taskWords;
			prefetchIf(ours < g.tasks, g.first + u64(ours) * taskLabels + lane % taskWords * 32);
		}
		const u32 hasParent = isDeferred | hits | stays, stores = writesDeferred ? inside & (skipsOlder ? ~older : ~0u) : hits;
#pragma unroll
		for (int k = 0; k < taskWords; k++)
			if (stores & 1 << k)
				parents[k * 32] = hasParent & 1 << k ? x[k] : none;
		nowVisited |= transpose(hits);
		constexpr u32 labelBits = (1u << taskWords) - 1; // bits that belong to labels
		moved += __popc((open | isDeferred | stays) & labelBits) + __popc(stores & labelBits);
		if (lowerHalf) {
			visitedAfter[u * taskWords + lane] = nowVisited;
			further[(u - t) * taskWords + lane] = ~nowVisited;
		}
		found += __popc(hits);
	}
	next = visitedOrDeferred;
	return found;
}

// flushList copies the block's part of the list to memory, with one reservation. All
// threads of the block must call it.
__device__ inline void flushList() {
	BottomUp &s = shared<BottomUp>();
	__syncthreads();
	const u32 n = min(s.listed, blockListCapacity);
	if (threadIdx.x == 0 && n)
		s.listStart = atomicAdd(&g.control->listed, n);
	__syncthreads();
	for (u32 i = threadIdx.x; i < n; i += THREADS)
		if (s.listStart + i < g.listCapacity)
			g.list[s.listStart + i] = s.list[i];
}

// walkRows walks n of the warp's waiting rows, from place at. n is at most walkers. A
// team of four lanes walks a row; each lane examines four neighbours per step. Most
// walks end soon. After teamLimit neighbours the whole warp walks what is left, row by
// row. It returns the number of vertices that the thread found. All lanes of the warp
// must call it.
template <bool writes, bool filtered> __device__ inline u32 walkRows(u32 at, u32 n, const u32 *visited, u32 *visitedAfter, u32 &examined, u32 &moved) {
	constexpr u32 members = 32 / walkers, teamLimit = 4 * 4 * members;
	BottomUp &s = shared<BottomUp>();
	const u32 lane = threadIdx.x & 31, team = lane / members, member = lane % members;
	const bool hasRow = team < n;
	const uint4 row = hasRow ? s.warp[threadIdx.x / 32].walk[at + team] : make_uint4(none, 0, 0, 0);
	const u64 start = u64(row.w) << 32 | row.z;
	const Part part(start, row.y);
	const u32 first = streamIf(writes && hasRow, g.first + row.x, 0);
	u32 left = row.y, parent = none;
	// look examines four neighbours per lane, from j at a distance of stride, in a
	// row of which left neighbours are left. It returns a visited one or none.
	auto look = [&](const Part &part, u32 j, u32 stride, u32 left) {
		u32 p[4], inRow = 0, got = none;
#pragma unroll
		for (int k = 0; k < 4; k++) {
			p[k] = streamIf(j + k * stride < left, part.at(u64(j) + k * stride), none);
			inRow |= (j + k * stride < left) << k;
		}
		examined += __popc(inRow);
		moved += __popc(inRow);
		const u32 hits = lookUpVisited<filtered>(visited, inRow, p);
#pragma unroll
		for (int k = 3; k >= 0; k--)
			if (hits >> k & 1)
				got = p[k];
		return got;
	};
#pragma unroll 1
	for (u32 i = 0; i < teamLimit && __any_sync(~0u, i < left); i += 4 * members) {
		const u32 p = look(part, i + member, members, left);
		const u32 hits = __ballot_sync(~0u, p != none) >> (team * members) & ((1 << members) - 1);
		const u32 got = __shfl_sync(~0u, p, team * members + (hits ? __ffs(hits) - 1 : 0));
		if (hits) {
			parent = got;
			left = 0;
		}
	}
	for (u32 longer = __ballot_sync(~0u, member == 0 && left > teamLimit); longer; longer &= longer - 1) {
		const int owner = __ffs(longer) - 1;
		const u64 from = __shfl_sync(~0u, start, owner);
		const u32 n = __shfl_sync(~0u, left, owner);
		const Part part(from, n);
		for (u32 i = teamLimit; i < n; i += 128) {
			const u32 p = look(part, i + lane, 32, n);
			const u32 hits = __ballot_sync(~0u, p != none);
			if (hits) {
				const u32 got = __shfl_sync(~0u, p, __ffs(hits) - 1);
				if (lane == owner)
					parent = got;
				break;
			}
		}
	}
	const bool found = member == 0 && parent != none;
	if (found)
		markFound(row.x, parent, visitedAfter);
	moved += found;
	if (writes)
		appendToList(member == 0 && hasRow && !found, row.x, first | furtherFlag);
	return found;
}

// walkLongRows walks the long rows of a level with all blocks and returns the number
// of vertices found by all blocks. Without it, one vertex of high degree in another
// component would make all blocks wait for its warp. It must follow a grid barrier.
// All threads of all blocks must call it.
__device__ inline u32 walkLongRows(Progress &progress, const u32 *visited, u32 *visitedAfter) {
	const u32 waiting = min(__ldcg(&g.control->longRows), longRowCapacity);
	u32 examined = 0;
	for (u32 i = 0; i < waiting; i++) {
		const u64 start = __ldcg(&g.longRows[i].start);
		const u32 rest = __ldcg(&g.longRows[i].rest);
		const Part part(start, rest);
		for (u32 j = blockIdx.x * THREADS + threadIdx.x; j < rest; j += gridDim.x * THREADS) {
			const u32 p = __ldg(part.at(j));
			examined++;
			if (bitOf(visited, p)) {
				g.longParents[i] = p;
				break;
			}
		}
	}
	addCounts(examined, examined);
	progress.barrier.wait(0);
	u32 found = 0;
	if (blockIdx.x == 0) {
		for (u32 i = threadIdx.x; i < waiting; i += THREADS) {
			const u32 parent = __ldcg(g.longParents + i);
			if (parent != none) {
				markFound(__ldcg(&g.longRows[i].vertex), parent, visitedAfter);
				found++;
			}
		}
		__syncthreads();
		if (threadIdx.x == 0)
			g.control->longRows = 0;
	}
	addCounts(0, found);
	return u32(progress.waitCounted(found, 0));
}

// examineFurther examines neighbours two to five of K vertices per lane. v[k] is none
// where a lane has no vertex. A marking pass looks hubs up in the bitmap of hubs in
// shared memory; a writing pass does not, because that bitmap is older than visited.
//
// The row of a vertex that is not found here and has more neighbours is appended to
// the warp's waiting rows, whose number is walking, or to g.longRows. A writing pass
// appends the other unvisited vertices to the list. examineFurther returns the number
// of vertices that the thread found. All lanes of the warp must call it.
template <bool writes, bool filtered, int K>
__device__ inline u32 examineFurther(const u32 (&v)[K], const u32 *visited, u32 *visitedAfter, u32 &walking, u32 &examined) {
	BottomUp &s = shared<BottomUp>();
	const u32 lane = threadIdx.x & 31;
	u32 parent[K], first[K], found = 0;
	uint4 low[K], high[K];
	uint2 index[K];
#pragma unroll
	for (int k = 0; k < K; k++)
		index[k] = __ldg(reinterpret_cast<const uint2 *>(g.index) + (v[k] != none ? v[k] / 32 : firstTask() * taskWords));
#pragma unroll
	for (int k = 0; k < K; k++) {
		const uint4 *f = reinterpret_cast<const uint4 *>(g.further + rowAt(index[k], v[k]));
		low[k] = streamIf(v[k] != none, f, make_uint4(noNeighbor << 16 | noNeighbor, noNeighbor << 16 | noNeighbor, 0, 0));
		high[k] = streamIf(v[k] != none, f + 1, make_uint4(0, 0, 0, 0));
		first[k] = streamIf(writes && v[k] != none, g.first + v[k], 0);
	}
	__syncwarp(); // without it, the assembler moves the loads of the second vertex behind the look-ups of the first
#pragma unroll
	for (int k = 0; k < K; k++) {
		const u32 p[4] = {low[k].z, low[k].w, high[k].x, high[k].y};
		u32 hit = 0, probe = 0;
#pragma unroll
		for (int j = 0; j < 4; j++) {
			const u32 h = (j < 2 ? low[k].x : low[k].y) >> (16 * (j & 1)) & 0xFFFF;
			examined += h != noNeighbor;
			hit |= (writes ? 0 : hubBit(h)) << j;
			probe |= (writes ? h != noNeighbor : h == noHub) << j;
		}
		hit |= lookUpVisited<filtered>(visited, hit ? 0 : probe, p);
		parent[k] = none;
#pragma unroll
		for (int j = 3; j >= 0; j--)
			if (hit >> j & 1)
				parent[k] = p[j];
	}
#pragma unroll
	for (int k = 0; k < K; k++) {
		const u32 label = v[k];
		const u64 row = u64(high[k].w) << 32 | high[k].z;
		bool longer = parent[k] == none && row >> 40 > 5, stored = false;
		if (longer && row >> 40 > longRowDegree) {
			const u32 at = atomicAdd(&g.control->longRows, 1);
			if (at < longRowCapacity) {
				g.longRows[at] = LongRow{partFrom(rowStart(row), 5), rowDegree(row, label) - 5, label};
				g.longParents[at] = none;
				atomicAdd(&s.longRows, 1);
				longer = false;
				stored = true;
			}
		}
		const u32 ballot = __ballot_sync(~0u, longer);
		if (longer) {
			const u64 start = partFrom(rowStart(row), 5);
			s.warp[threadIdx.x / 32].walk[walking + __popc(ballot & ((1u << lane) - 1))] = make_uint4(label, rowDegree(row, label) - 5, u32(start), u32(start >> 32));
		}
		walking += __popc(ballot);
		if (parent[k] != none) {
			markFound(label, parent[k], visitedAfter);
			found++;
		}
		if (writes)
			appendToList(label != none && !longer && !stored && parent[k] == none, label, first[k] | (row >> 40 > 1 ? furtherFlag : 0));
	}
	return found;
}

// pass is a dense pass. For each piece of the warp, it calls markPiece or writePiece
// (flag is initial of the one and writesDeferred of the other). It collects the
// vertices whose further neighbours must be examined. Once there is a batch of two per
// lane, it examines these, and then walks the rest of their rows. A writing pass
// appends every vertex that stays unvisited to the list. pass returns the number of
// vertices that the thread found. All threads of all blocks must call it.
//
// Each block has its own part of the labels, so that its loads are near each other. A
// warp's first piece follows from its number; tickets assign the others, so that all
// warps end at the same time. Above the size of bfsFew, a writing pass has one ticket
// counter for all blocks instead (ticket), because its stores are faster in one sweep
// through memory. Pieces at a fixed stride per warp are no such sweep: the pass took
// 256 µs instead of 243 at scale 26.
//
// Everything is inlined here, but this function itself is not. As calls within the
// loop, its parts saved and loaded more registers than the pass has data.
template <PassKind kind, Size size> __device__ __noinline__ u32 pass(u32 *ticket, const u32 *visited, u32 *visitedAfter, bool flag, const u32 *ordered) {
	constexpr bool writes = kind >= writeParents, ownPart = !writes || size == few, hubsOnly = kind == markHubs, filtered = kind == markFiltered;
	BottomUp &s = shared<BottomUp>();
	const u32 lane = threadIdx.x & 31, allWarps = gridDim.x * warps;
	const u32 tasks = g.tasks - firstTask(), part = (tasks + gridDim.x - 1) / gridDim.x;
	const u32 lo = firstTask() + (ownPart ? min(tasks, part * blockIdx.x) : 0), hi = ownPart ? min(g.tasks, lo + part) : g.tasks;
	const u32 pieceLength = min(writes ? pieceTasks / 2 : pieceTasks, (tasks + 2 * allWarps - 1) / (2 * allWarps));
	u32 *ring = s.warp[threadIdx.x / 32].ring;
	u32 found = 0, waiting = 0, walking = 0, examined = 0, moved = 0;
	bool last = false;
	for (u32 begin = lo + (ownPart ? threadIdx.x / 32 : threadIdx.x / 32 * gridDim.x + blockIdx.x) * pieceLength; !last;) {
		u32 nextTicket = 0;
		const u32 stop = min(begin + pieceLength, hi);
		last = begin >= hi;
		if (!last) {
			if (!writes && lane == 0) // not used before the end of the loop: a use would wait for it
				nextTicket = atomicAdd(&s.ticket, 1);
			// For examineFurther: computing here the row number of each vertex that
			// may get there would take longer than its few loads.
			prefetchNearIf(lane < stop - begin, g.index + (begin + lane) * taskWords);
			if (writes)
				found += writePiece<kind, size>(begin, stop, allWarps, pieceLength, ownPart ? &s.ticket : ticket, nextTicket, visited, visitedAfter, flag, ordered, moved);
			else
				found += markPiece<kind>(begin, stop, visited, visitedAfter, flag);
			__syncwarp(); // lanes read what other lanes wrote to hit, visitedAfter and the parents
		}
		u32 t = begin;
		do {
			const u32 word = s.warp[threadIdx.x / 32].further[(t - begin) * taskWords + lane / 2];
			if (__any_sync(~0u, !last && word)) {
				u32 open = lane & 1 ? word >> 16 : word & 0xFFFF, at = __popc(open);
#pragma unroll
				for (int d = 1; d < 32; d *= 2) {
					const u32 before = __shfl_up_sync(~0u, at, d);
					if (lane >= d)
						at += before;
				}
				const u32 total = __shfl_sync(~0u, at, 31);
				at += waiting - __popc(open);
				waiting += total;
				for (; open; open &= open - 1)
					ring[at++] = t * taskLabels + 16 * lane + __ffs(open) - 1;
				__syncwarp();
			}
			while (waiting >= batch || (last && (waiting || walking))) {
				const u32 n = min(waiting, batch);
				waiting -= n;
				u32 next[batch / 32];
#pragma unroll
				for (int k = 0; k < batch / 32; k++)
					next[k] = lane + 32 * k < n ? ring[waiting + lane + 32 * k] : none;
				__syncwarp();
				const u32 foundHere = hubsOnly ? examineHubs(next, visitedAfter, walking, examined) : examineFurther<writes, filtered>(next, visited, visitedAfter, walking, examined);
				found += foundHere;
				moved += foundHere;
				if (lane == 0)
					moved += n * ((hubsOnly ? sizeof(HubRow) : sizeof(Further)) / sizeof(u32));
				__syncwarp(); // lanes read rows that other lanes wrote
				constexpr u32 rowsAtOnce = hubsOnly ? hubWalkers : walkers;
				while (walking >= rowsAtOnce || (last && !waiting && walking)) {
					const u32 n = min(walking, rowsAtOnce);
					walking -= n;
					if (hubsOnly)
						found += walkHubs(walking, n, visitedAfter, examined, moved);
					else
						found += walkRows<writes, filtered>(walking, n, visited, visitedAfter, examined, moved);
					__syncwarp();
				}
			}
			t++;
		} while (t < stop);
		__syncwarp(); // the next piece overwrites hit
		begin = lo + ((ownPart ? warps : allWarps) + __shfl_sync(~0u, nextTicket, 0)) * pieceLength;
	}
	addCounts(examined, moved);
	return found;
}

// markingPass is a marking pass, see markPiece. It returns the number of vertices
// that the thread found. All threads of all blocks must call it.
template <PassKind kind, Size size> __device__ inline u32 markingPass(const u32 *visited, u32 *visitedAfter, bool initial) {
	loadHubBits();
	return pass<kind, size>(nullptr, visited, visitedAfter, initial, nullptr);
}

// writingPass is a writing pass, see writePiece. If ordered is not null, it also
// writes the ordered parents. It returns the number of vertices that the thread
// found. All threads of all blocks must call it.
template <Size size> __device__ inline u32 writingPass(u32 *ticket, const u32 *visited, u32 *visitedAfter, bool writesDeferred, const u32 *ordered) {
	BottomUp &s = shared<BottomUp>();
	if (threadIdx.x == 0)
		s.listed = s.longRows = s.ticket = 0;
	__syncthreads();
	const u32 found = size == many && ordered ? pass<size == many ? writeOrdered : writeParents, size>(ticket, visited, visitedAfter, writesDeferred, ordered)
	                                          : pass<writeParents, size>(ticket, visited, visitedAfter, writesDeferred, nullptr);
	flushList();
	return found;
}
