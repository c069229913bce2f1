// The bottom-up steps: every unvisited vertex looks for a visited neighbour.
//
// Rows begin with the neighbour of highest degree, which ends 60 to 98 % of
// these searches, so a dense pass looks at first neighbours, for all labels in
// order and with many independent loads in flight. What it leaves and has more
// neighbours is collected afterwards until it fills a warp: a lane that walked
// its own row in the dense pass would make its warp wait for the unluckiest.
#pragma once
#include "hubs.cuh"
#include "levels.cuh"

// rowStart and rowDegree take Further.row of vertex v apart.
__device__ inline u64 rowStart(u64 row) { return row & ((1ull << 40) - 1); }
__device__ inline u32 rowDegree(u64 row, u32 v) {
	const u32 degree = row >> 40;
	return degree == furtherDegree ? g.rows[rowNumber(v)].degree : degree;
}

// What a dense pass does: look at first neighbours and then further ones, in the
// filter first or not, or at those that are hubs only; or the first of these and write
// parents, also ordered ones.
enum Pass { byNeighbors, byNeighborsFiltered, byHubs, emitting, emittingOrdered };

// firstGroup looks at the first neighbours of one piece and leaves the parents
// to emit: it reads two bytes a label, the neighbour's number among the hubs,
// and looks at the bitmap of hubs in shared memory. Unless hubsOnly, vertices whose
// first neighbour is a minor hub stand in a list of their own, with its number, and are
// looked up in the bitmap of these, which the first-level cache holds; all others are
// exceptions. byFirst is fresh on the first such pass of a search. It returns what the
// thread found.
template <Pass kind> __device__ inline u32 firstGroup(u32 t, u32 stop, const u32 *visited, u32 *after, bool fresh) {
	constexpr bool hubsOnly = kind == byHubs;
	const u32 lane = threadIdx.x & 31;
	u32 *hit = shared<BottomUp>().warp[threadIdx.x / 32].hit;
	u32 found = 0;
	constexpr int parts = task / 256; // eight labels a lane each
	uint4 slot[parts];
	u32 seen[parts], more[parts];
	auto load = [&](u32 u) {
#pragma unroll
		for (int k = 0; k < parts; k++) {
			const u64 at = u64(u) * (task / 8) + 32 * k + lane;
			slot[k] = streamIf(true, reinterpret_cast<const uint4 *>(g.slots) + at, uint4{});
			seen[k] = loadIf(true, reinterpret_cast<const u8 *>(visited) + at, 0);
			more[k] = streamIf(true, reinterpret_cast<const u8 *>(hubsOnly ? g.moreHubs : g.more) + at, 0);
		}
	};
	const u32 begin = streamIf(!hubsOnly, g.exceptionStart + t, 0), end = streamIf(!hubsOnly, g.exceptionStart + stop, 0);
	const u32 minorBegin = streamIf(!hubsOnly, g.minorStart + t, 0), minorEnd = streamIf(!hubsOnly, g.minorStart + stop, 0);
	load(t);
	for (u32 i = lane; i < groupTasks * taskWords; i += 32)
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
				atomicOr(&hit[((x[k] - t * task) & ((1 << minorShift) - 1)) / 32], 1u << (x[k] & 31));
	}
	for (u32 i = begin + lane; i - lane < end; i += 128) {
		uint2 x[4];
		u32 first[4], on = 0;
#pragma unroll
		for (int k = 0; k < 4; k++)
			x[k] = streamIf(i + 32 * k < end, g.exceptions + i + 32 * k, make_uint2(none, 0));
#pragma unroll
		for (int k = 0; k < 4; k++)
			on |= (i + 32 * k < end) << k, first[k] = x[k].y;
		const u32 hits = lookUp<kind == byNeighborsFiltered>(visited, on, first);
#pragma unroll
		for (int k = 0; k < 4; k++)
			if (hits >> k & 1)
				atomicOr(&hit[x[k].x / 32 - t * taskWords], 1u << (x[k].x & 31));
	}
	__syncwarp();
	for (u32 u = t; u < stop; u++) {
		uint4 slot0[parts];
		u32 seen0[parts], more0[parts];
#pragma unroll
		for (int k = 0; k < parts; k++)
			slot0[k] = slot[k], seen0[k] = seen[k], more0[k] = more[k];
		if (u + 1 < stop)
			load(u + 1);
#pragma unroll
		for (int k = 0; k < parts; k++) {
			const u64 at = u64(u) * (task / 8) + 32 * k + lane;
			u8 *mine = reinterpret_cast<u8 *>(hit) + (u - t) * (task / 8) + 32 * k + lane;
			u32 hits = *mine;
			const u32 pair[4] = {slot0[k].x, slot0[k].y, slot0[k].z, slot0[k].w};
#pragma unroll
			for (int j = 0; j < 8; j++)
				hits |= hubBit(pair[j / 2] >> (16 * (j & 1)) & 0xFFFF) << j;
			hits &= ~seen0[k] & 0xFF;
			found += __popc(hits);
			reinterpret_cast<u8 *>(after)[at] = seen0[k] | hits;
			*mine = more0[k] & ~(seen0[k] | hits);
			u8 *mark = reinterpret_cast<u8 *>(g.byFirst) + at;
			*mark = fresh ? hits : __ldcg(mark) | hits;
		}
	}
	return found;
}

// enlist enters one vertex of each lane that has one in the list, with its first
// neighbour, and moreFlag if it has others; beyond the list's room it is only
// counted. All lanes of the warp call it.
__device__ inline void enlist(bool on, u32 v, u32 first) {
	BottomUp &s = shared<BottomUp>();
	const u32 ballot = __ballot_sync(~0u, on), n = __popc(ballot);
	if (!n)
		return;
	const u32 lane = threadIdx.x & 31, leader = __ffs(ballot) - 1;
	u32 at, beyond = 0;
	if (lane == leader) {
		at = atomicAdd(&s.listed, n);
		if (at + n > listRoom)
			beyond = atomicAdd(&g.control->listed, min(n, at + n - listRoom));
	}
	at = __shfl_sync(~0u, at, leader);
	beyond = __shfl_sync(~0u, beyond, leader) - max(at, listRoom);
	const u32 place = at + __popc(ballot & ((1u << lane) - 1));
	if (on && place < listRoom)
		s.list[place] = make_uint2(v, first);
	else if (on && beyond + place < g.listRoom)
		g.list[beyond + place] = make_uint2(v, first);
}

// emitGroup looks at the first neighbours of one piece and writes parents, those
// of firstGroup too (pending), a label a lane. Then it reads older parents, too,
// and writes all of them: sectors of which a part is written cost the memory more,
// unless the second-level cache holds the array (around). Lane 0 takes the warp's next
// ticket in time, in place of what others load for a next task: a register of its own
// would be spilled, and so waited for. The first neighbours of the next piece, base groups
// before it, are asked for in time, too; where that is far, they are gone before they are
// used: 8 % faster at scale 24, 9 % slower at 28. So the plan says whether they are (g.ahead). If orders, parents of the last top-down
// level are those of order.
template <Pass kind, Size size> __device__ inline u32 emitGroup(u32 t, u32 stop, u32 base, u32 group, u32 *ticket, u32 &next, const u32 *visited, u32 *after, bool pending, const u32 *ordered, u32 &moved) {
	constexpr bool around = size == few, orders = kind == emittingOrdered;
	// Where this is never so, it costs nothing and helps all the same: without the branch
	// that it makes, loads of ordered parents waited for each other (1,000 -> 2,000 µs).
	const bool ahead = size != few && g.ahead;
	const u32 lane = threadIdx.x & 31;
	u32 found = 0;
	const bool on = lane < taskWords;
	u32 *further = shared<BottomUp>().warp[threadIdx.x / 32].further;
	// What is loaded for the next task. The upper half of the lanes holds something of
	// its own, because a register more would be spilled as soon as it is loaded, and the
	// warp wait for that: a fifth of the pass.
	u32 seenOrOwed, hereOrStart, freshNext = 0; // start and fresh if orders
	auto load = [&](u32 u) {
		const u32 w = u * taskWords + lane % taskWords;
		seenOrOwed = loadIf(on || pending, (on ? visited : g.byFirst) + w, 0);
		hereOrStart = orders ? loadIf(true, on ? g.present + w : g.orderedStart + u, 0) : streamIf(on, g.present + w, 0);
		if (orders)
			freshNext = __ldcg(reinterpret_cast<const u16 *>(g.fresh) + u * 32 + lane);
	};
	load(t);
	for (u32 u = t; u < stop; u++) {
		const u32 mine = freshNext, start = orders ? __shfl_sync(~0u, hereOrStart, taskWords) : 0;
		const u32 upper = __shfl_down_sync(~0u, seenOrOwed, taskWords), owed = on ? upper : 0;
		const u32 seen = on ? seenOrOwed : ~0u, here = hereOrStart;
		// Bit k of these is label 32 k + lane of the task.
		const u32 open = transpose(~seen), owes = transpose(owed);
		const u32 older = pending ? transpose(seen & ~owed & here) : 0, stays = around ? 0 : older;
		u32 now = seen;
		if (u + 1 < stop)
			load(u + 1);
		else if (lane == 0)
			seenOrOwed = atomicAdd(ticket, 1);
		const u32 label = u * task + lane;
		u32 inside = ~0u;
		if ((u + 1) * task > g.vertices) // the array of parents ends within this task
			inside = ~(~0u << (max(g.vertices, label) - label + 31) / 32);
		const u32 *first = g.first + label;
		u32 *parents = g.parents + label;
		u32 x[taskWords], word[taskWords], hits = 0;
		if (orders) {
			u32 before = __popc(mine);
#pragma unroll
			for (int d = 1; d < 32; d *= 2) {
				const u32 n = __shfl_up_sync(~0u, before, d);
				if (lane >= d)
					before += n;
			}
			const u32 *place = ordered + (start + before - __popc(mine));
#pragma unroll
			for (int k = 0; k < taskWords; k++) {
				const u32 *from = (stays & 1 << k ? parents : first) + k * 32;
				x[k] = loadIf((open | owes | stays) & 1 << k, mine & 1 << k ? place : from, 0);
				place += mine >> k & 1;
			}
		} else
#pragma unroll
			for (int k = 0; k < taskWords; k++)
				x[k] = loadIf((open | owes | stays) & 1 << k, (stays & 1 << k ? parents : first) + k * 32, 0);
#pragma unroll
		for (int k = 0; k < taskWords; k++)
			word[k] = loadIf(open & 1 << k, visited + x[k] / 32, 0);
#pragma unroll
		for (int k = 0; k < taskWords; k++)
			hits |= (word[k] >> (x[k] & 31) & 1) << k;
		if (ahead && u + 1 == stop) {
			const u32 ours = (base + __shfl_sync(~0u, seenOrOwed, 0)) * group + lane / taskWords;
			prefetchIf(ours < g.tasks, g.first + u64(ours) * task + lane % taskWords * 32);
		}
		const u32 writes = owes | hits | stays, stores = pending ? inside & (around ? ~older : ~0u) : hits;
#pragma unroll
		for (int k = 0; k < taskWords; k++)
			if (stores & 1 << k)
				parents[k * 32] = writes & 1 << k ? x[k] : none;
		now |= transpose(hits);
		constexpr u32 own = (1u << taskWords) - 1; // the bits that stand for labels
		moved += __popc((open | owes | stays) & own) + __popc(stores & own);
		if (on) {
			after[u * taskWords + lane] = now;
			further[(u - t) * taskWords + lane] = ~now;
		}
		found += __popc(hits);
	}
	next = seenOrOwed;
	return found;
}

// flushList moves the block's part of the list out, with one reservation.
__device__ inline void flushList() {
	BottomUp &s = shared<BottomUp>();
	__syncthreads();
	const u32 n = min(s.listed, listRoom);
	if (threadIdx.x == 0 && n)
		s.listStart = atomicAdd(&g.control->listed, n);
	__syncthreads();
	for (u32 i = threadIdx.x; i < n; i += THREADS)
		if (s.listStart + i < g.listRoom)
			g.list[s.listStart + i] = s.list[i];
}

// walkRows walks n of the warp's waiting long rows, at most walkers, from
// the given place on: four lanes for each row, four neighbours a lane and step.
// Most end soon; what is left after some steps the whole warp walks, row by
// row. It returns what the thread found.
template <bool emits, bool filtered> __device__ inline u32 walkRows(u32 at, u32 n, const u32 *visited, u32 *after, u32 &looked, u32 &moved) {
	constexpr u32 members = 32 / walkers, together = 4 * 4 * members;
	BottomUp &s = shared<BottomUp>();
	const u32 lane = threadIdx.x & 31, group = lane / members, member = lane % members;
	const bool on = group < n;
	const uint4 row = on ? s.warp[threadIdx.x / 32].walk[at + group] : make_uint4(none, 0, 0, 0);
	const u64 start = u64(row.w) << 32 | row.z;
	const u32 first = streamIf(emits && on, g.first + row.x, 0);
	u32 left = row.y, parent = none;
	// look lets each lane look at four neighbours from j on, stride apart.
	auto look = [&](u64 start, u32 j, u32 stride, u32 left) {
		u32 p[4], on = 0, got = none;
#pragma unroll
		for (int k = 0; k < 4; k++) {
			p[k] = streamIf(j + k * stride < left, g.neighbors + start + j + k * stride, none);
			on |= (j + k * stride < left) << k;
		}
		looked += __popc(on);
		moved += __popc(on);
		const u32 hits = lookUp<filtered>(visited, on, p);
#pragma unroll
		for (int k = 3; k >= 0; k--)
			if (hits >> k & 1)
				got = p[k];
		return got;
	};
#pragma unroll 1
	for (u32 i = 0; i < together && __any_sync(~0u, i < left); i += 4 * members) {
		const u32 p = look(start, i + member, members, left);
		const u32 hits = __ballot_sync(~0u, p != none) >> (group * members) & ((1 << members) - 1);
		const u32 got = __shfl_sync(~0u, p, group * members + (hits ? __ffs(hits) - 1 : 0));
		if (hits) {
			parent = got;
			left = 0;
		}
	}
	for (u32 longer = __ballot_sync(~0u, member == 0 && left > together); longer; longer &= longer - 1) {
		const int owner = __ffs(longer) - 1;
		const u64 from = __shfl_sync(~0u, start, owner);
		const u32 n = __shfl_sync(~0u, left, owner);
		for (u32 i = together; i < n; i += 128) {
			const u32 p = look(from, i + lane, 32, n);
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
		settle(row.x, parent, after);
	moved += found;
	if (emits)
		enlist(member == 0 && on && !found, row.x, first | moreFlag);
	return found;
}

// walkLong walks the long rows of a level with the whole grid, after a meeting,
// and returns what it found. Without it one vertex of high degree in another
// component would keep all waiting for its warp.
__device__ inline u32 walkLong(Run &run, const u32 *visited, u32 *after) {
	const u32 waiting = min(__ldcg(&g.control->longRows), longRoom);
	u32 looked = 0;
	for (u32 i = 0; i < waiting; i++) {
		const u64 start = __ldcg(&g.longRows[i].start);
		const u32 rest = __ldcg(&g.longRows[i].rest);
		for (u32 j = blockIdx.x * THREADS + threadIdx.x; j < rest; j += gridDim.x * THREADS) {
			const u32 p = __ldg(g.neighbors + start + j);
			looked++;
			if (bitOf(visited, p)) {
				g.longParents[i] = p;
				break;
			}
		}
	}
	tally(looked, looked);
	run.meeting.meet(0);
	u32 found = 0;
	if (blockIdx.x == 0) {
		for (u32 i = threadIdx.x; i < waiting; i += THREADS) {
			const u32 parent = __ldcg(g.longParents + i);
			if (parent != none) {
				settle(__ldcg(&g.longRows[i].vertex), parent, after);
				found++;
			}
		}
		__syncthreads();
		if (threadIdx.x == 0)
			g.control->longRows = 0;
	}
	tally(0, found);
	return u32(run.add(found, 0));
}

// lookFurther looks at the second to fifth neighbours of K vertices a lane, none
// where a lane has none. Neighbours that are hubs are looked up in shared memory,
// but not where it emits: the bitmap there is not that of visited then. A longer
// row goes to the warp's walking ones. It returns what the thread found.
template <bool emits, bool filtered, int K>
__device__ inline u32 lookFurther(const u32 (&v)[K], const u32 *visited, u32 *after, u32 &walking, u32 &looked) {
	BottomUp &s = shared<BottomUp>();
	const u32 lane = threadIdx.x & 31;
	u32 parent[K], first[K], found = 0;
	uint4 low[K], high[K];
	uint2 index[K];
#pragma unroll
	for (int k = 0; k < K; k++)
		index[k] = __ldg(reinterpret_cast<const uint2 *>(g.index) + (v[k] != none ? v[k] / 32 : 0));
#pragma unroll
	for (int k = 0; k < K; k++) {
		const uint4 *f = reinterpret_cast<const uint4 *>(g.further + rowAt(index[k], v[k]));
		low[k] = streamIf(v[k] != none, f, make_uint4(noNeighbor << 16 | noNeighbor, noNeighbor << 16 | noNeighbor, 0, 0));
		high[k] = streamIf(v[k] != none, f + 1, make_uint4(0, 0, 0, 0));
		first[k] = streamIf(emits && v[k] != none, g.first + v[k], 0);
	}
	__syncwarp(); // or the assembler puts the second vertex's loads behind the first one's look-ups
#pragma unroll
	for (int k = 0; k < K; k++) {
		const u32 p[4] = {low[k].z, low[k].w, high[k].x, high[k].y};
		u32 hit = 0, probe = 0;
#pragma unroll
		for (int j = 0; j < 4; j++) {
			const u32 h = (j < 2 ? low[k].x : low[k].y) >> (16 * (j & 1)) & 0xFFFF;
			looked += h != noNeighbor;
			hit |= (emits ? 0 : hubBit(h)) << j;
			probe |= (emits ? h != noNeighbor : h == noSlot) << j;
		}
		hit |= lookUp<filtered>(visited, hit ? 0 : probe, p);
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
		bool longer = parent[k] == none && row >> 40 > 5, put = false;
		if (longer && row >> 40 > longRow) {
			const u32 at = atomicAdd(&g.control->longRows, 1);
			if (at < longRoom) {
				g.longRows[at] = LongRow{rowStart(row) + 5, rowDegree(row, label) - 5, label};
				g.longParents[at] = none;
				atomicAdd(&s.longRows, 1);
				longer = false;
				put = true;
			}
		}
		const u32 ballot = __ballot_sync(~0u, longer);
		if (longer) {
			const u64 start = rowStart(row) + 5;
			s.warp[threadIdx.x / 32].walk[walking + __popc(ballot & ((1u << lane) - 1))] = make_uint4(label, rowDegree(row, label) - 5, u32(start), u32(start >> 32));
		}
		walking += __popc(ballot);
		if (parent[k] != none) {
			settle(label, parent[k], after);
			found++;
		}
		if (emits)
			enlist(label != none && !longer && !put && parent[k] == none, label, first[k] | (row >> 40 > 1 ? moreFlag : 0));
	}
	return found;
}

// pass is a dense pass: first neighbours by firstGroup or, if it emits, by
// emitGroup (flag is fresh of the one, pending of the other, which may have ordered
// parents), and then further ones of what the warp's own piece left unvisited. If it
// emits, every vertex that stays unvisited is entered in the list. The vertices that
// look further are collected over the pieces until they fill the warp twice over. It
// returns what the thread found.
//
// Each block has a part of its own, where loads are near each other; a warp takes its
// first piece by its number and the others from a ticket, so that all end together. If
// it emits, and there are many vertices, there is one ticket for all instead: the stores
// prefer one sweep through the memory. With every so manieth piece for each warp it was
// no sweep, and the pass took 256 for 243 µs at scale 26.
//
// One function with everything inlined but itself not: as calls within the loop
// its parts saved and loaded more registers than the pass has data.
template <Pass kind, Size size> __device__ __noinline__ u32 pass(u32 *ticket, const u32 *visited, u32 *after, bool flag, const u32 *ordered) {
	constexpr bool emits = kind >= emitting, own = !emits || size == few, hubsOnly = kind == byHubs, filtered = kind == byNeighborsFiltered;
	BottomUp &s = shared<BottomUp>();
	const u32 lane = threadIdx.x & 31, everyone = gridDim.x * warps;
	const u32 part = (g.tasks + gridDim.x - 1) / gridDim.x;
	const u32 lo = own ? min(g.tasks, part * blockIdx.x) : 0, hi = own ? min(g.tasks, lo + part) : g.tasks;
	const u32 group = min(emits ? groupTasks / 2 : groupTasks, (g.tasks + 2 * everyone - 1) / (2 * everyone));
	u32 *ring = s.warp[threadIdx.x / 32].ring;
	u32 found = 0, waiting = 0, walking = 0, looked = 0, moved = 0;
	bool last = false;
	for (u32 begin = lo + (own ? threadIdx.x / 32 : threadIdx.x / 32 * gridDim.x + blockIdx.x) * group; !last;) {
		u32 ask = 0;
		const u32 stop = min(begin + group, hi);
		last = begin >= hi;
		if (!last) {
			if (!emits && lane == 0) // nothing is done with it here: that would wait for it
				ask = atomicAdd(&s.ticket, 1);
			// For lookFurther: row numbers made here for each vertex that may look
			// further would take longer than the few loads from there.
			prefetchNearIf(lane < stop - begin, g.index + (begin + lane) * taskWords);
			if (emits)
				found += emitGroup<kind, size>(begin, stop, everyone, group, own ? &s.ticket : ticket, ask, visited, after, flag, ordered, moved);
			else
				found += firstGroup<kind>(begin, stop, visited, after, flag);
			__syncwarp(); // hit, after and parents pass from lane to lane
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
					ring[at++] = t * task + 16 * lane + __ffs(open) - 1;
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
				const u32 here = hubsOnly ? lookAtHubs(next, after, walking, looked) : lookFurther<emits, filtered>(next, visited, after, walking, looked);
				found += here;
				moved += here;
				if (lane == 0)
					moved += n * ((hubsOnly ? sizeof(HubRow) : sizeof(Further)) / sizeof(u32));
				__syncwarp(); // what waits to be walked is written, and below read
				constexpr u32 together = hubsOnly ? hubWalkers : walkers;
				while (walking >= together || (last && !waiting && walking)) {
					const u32 n = min(walking, together);
					walking -= n;
					if (hubsOnly)
						found += walkHubs(walking, n, after, looked, moved);
					else
						found += walkRows<emits, filtered>(walking, n, visited, after, looked, moved);
					__syncwarp();
				}
			}
			t++;
		} while (t < stop);
		__syncwarp(); // the next piece overwrites hit
		begin = lo + ((own ? warps : everyone) + __shfl_sync(~0u, ask, 0)) * group;
	}
	tally(looked, moved);
	return found;
}

// firstNeighbors is a dense pass without parents, see firstGroup.
template <Pass kind, Size size> __device__ inline u32 firstNeighbors(const u32 *visited, u32 *after, bool fresh) {
	loadHubs();
	return pass<kind, size>(nullptr, visited, after, fresh, nullptr);
}

// emit is a dense pass that writes parents, see emitGroup, also those that are
// ordered, unless null, and lists what stays unvisited.
template <Size size> __device__ inline u32 emit(u32 *ticket, const u32 *visited, u32 *after, bool pending, const u32 *ordered) {
	BottomUp &s = shared<BottomUp>();
	if (threadIdx.x == 0)
		s.listed = s.longRows = s.ticket = 0;
	__syncthreads();
	const u32 found = size == many && ordered ? pass<size == many ? emittingOrdered : emitting, size>(ticket, visited, after, pending, ordered)
	                                          : pass<emitting, size>(ticket, visited, after, pending, nullptr);
	flushList();
	return found;
}
