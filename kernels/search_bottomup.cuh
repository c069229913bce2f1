// The bottom-up steps: every unvisited vertex looks for a visited neighbour.
//
// Rows begin with the neighbour of highest degree, which ends 60 to 98 % of
// these searches, so a dense pass looks at first neighbours, for all labels in
// order and with many independent loads in flight. What it leaves and has more
// neighbours is collected afterwards until it fills a warp: a lane that walked
// its own row in the dense pass would make its warp wait for the unluckiest.
#pragma once
#include "search.cuh"

constexpr int warps = THREADS / 32;
constexpr u32 groupTasks = 4;       // tasks that a warp takes in one piece, at most
constexpr u32 ringRoom = 64 + task; // what waits for a full batch, and what a task adds
constexpr u32 walkRoom = 8 + 64;    // likewise, for walkers and a batch
constexpr u32 walkers = 8;          // long rows that a warp walks at a time
constexpr u32 listRoom = 1024;      // entries of the list that a block collects

struct BottomUp {
	u32 hub[hubWords];
	struct {
		u32 hit[groupTasks * taskWords];
		u32 ring[ringRoom]; // vertices that look further
		uint4 walk[walkRoom]; // and those of them with longer rows: vertex, rest of the row, its start
	} warp[warps];
	u32 examined[warps];
	uint2 list[listRoom];
	u32 listed, listStart;
	u32 longRows; // that the block found in this level
};

// gatherHubs brings the bitmap of hubs up to date with visited: bit h says
// that hub h was visited.
__device__ inline void gatherHubs(const u32 *visited) {
	for (u32 h = blockIdx.x * THREADS + threadIdx.x; h < hubWords * 32; h += gridDim.x * THREADS) {
		const u32 word = __ballot_sync(~0u, h < g.hubCount && bitOf(visited, __ldg(g.hubs + h)));
		if (threadIdx.x % 32 == 0)
			g.hubBits[h / 32] = word;
	}
}

__device__ inline void loadHubs() {
	BottomUp &s = shared<BottomUp>();
	__syncthreads();
	for (u32 i = threadIdx.x; i < hubWords / 4; i += THREADS)
		reinterpret_cast<uint4 *>(s.hub)[i] = __ldcg(reinterpret_cast<const uint4 *>(g.hubBits) + i);
	if (threadIdx.x < warps)
		s.examined[threadIdx.x] = 0;
	if (threadIdx.x == 0)
		s.listed = s.longRows = 0;
	__syncthreads();
}

__device__ inline u32 hubBit(u32 h) { return shared<BottomUp>().hub[h / 32] >> (h & 31) & 1; }

// firstGroup looks at the first neighbours of one piece and leaves the parents
// to emit: it reads two bytes a label, the neighbour's number among the hubs,
// and looks at the bitmap of hubs in shared memory. Vertices whose first
// neighbour is no hub stand in a list of their own. byFirst is fresh on the
// first such pass of a search. It returns what the thread found.
__device__ inline u32 firstGroup(u32 t, u32 stop, const u32 *visited, u32 *after, bool fresh) {
	const u32 lane = threadIdx.x & 31;
	u32 *hit = shared<BottomUp>().warp[threadIdx.x / 32].hit;
	u32 found = 0;
	const u32 begin = __ldg(g.exceptionStart + t), end = __ldg(g.exceptionStart + stop);
	for (u32 i = lane; i < groupTasks * taskWords; i += 32)
		hit[i] = 0;
	__syncwarp();
	for (u32 i = begin + lane; i - lane < end; i += 128) {
		uint2 x[4];
		u32 word[4];
#pragma unroll
		for (int k = 0; k < 4; k++)
			x[k] = streamIf(i + 32 * k < end, g.exceptions + i + 32 * k, make_uint2(none, 0));
#pragma unroll
		for (int k = 0; k < 4; k++)
			word[k] = loadIf(x[k].x != none, visited + (x[k].y & labelMask) / 32, 0);
#pragma unroll
		for (int k = 0; k < 4; k++)
			if (word[k] >> (x[k].y & 31) & 1)
				atomicOr(&hit[x[k].x / 32 - t * taskWords], 1u << (x[k].x & 31));
	}
	__syncwarp();
	uint4 slot[2];
	u32 seen[2];
	auto load = [&](u32 u) {
#pragma unroll
		for (int k = 0; k < 2; k++) {
			const u64 at = u64(u) * (task / 8) + 32 * k + lane;
			slot[k] = __ldcs(reinterpret_cast<const uint4 *>(g.slots) + at);
			seen[k] = __ldcg(reinterpret_cast<const u8 *>(visited) + at);
		}
	};
	load(t);
	for (u32 u = t; u < stop; u++) {
		const uint4 slot0[2] = {slot[0], slot[1]};
		const u32 seen0[2] = {seen[0], seen[1]};
		if (u + 1 < stop)
			load(u + 1);
#pragma unroll
		for (int k = 0; k < 2; k++) {
			const u64 at = u64(u) * (task / 8) + 32 * k + lane;
			u32 hits = reinterpret_cast<const u8 *>(hit)[(u - t) * (task / 8) + 32 * k + lane];
			const u32 pair[4] = {slot0[k].x, slot0[k].y, slot0[k].z, slot0[k].w};
#pragma unroll
			for (int j = 0; j < 8; j++)
				hits |= hubBit(pair[j / 2] >> (16 * (j & 1)) & 0xFFFF) << j;
			hits &= ~seen0[k] & 0xFF;
			found += __popc(hits);
			reinterpret_cast<u8 *>(after)[at] = seen0[k] | hits;
			u8 *mark = reinterpret_cast<u8 *>(g.byFirst) + at;
			*mark = fresh ? hits : __ldcg(mark) | hits;
		}
	}
	__syncwarp();
	return found;
}

// emitGroup looks at the first neighbours of one piece and writes parents, those
// of firstGroup too (pending), a label a lane. Whole sectors are written where
// no older parent stands between, which spares the memory a read. copy becomes
// what after is.
__device__ inline u32 emitGroup(u32 t, u32 stop, const u32 *visited, u32 *after, u32 *copy, bool pending) {
	const u32 lane = threadIdx.x & 31;
	u32 found = 0;
	const bool on = lane < taskWords;
	u32 seen, owed, here;
	auto load = [&](u32 u) {
		const u32 w = u * taskWords + lane;
		seen = loadIf(on, visited + w, ~0u);
		owed = loadIf(on && pending, g.byFirst + w, 0);
		here = streamIf(on, g.present + w, 0);
	};
	load(t);
	for (u32 u = t; u < stop; u++) {
		// Bit k of these is label 32 k + lane of the task.
		const u32 open = transpose(~seen), owes = transpose(owed);
		u32 stays = transpose(seen & ~owed & here);
		u32 now = seen;
		if (u + 1 < stop)
			load(u + 1);
		const u32 label = u * task + lane;
		if ((u + 1) * task > g.vertices) // the array of parents ends within this task
			stays |= ~0u << (max(g.vertices, label) - label + 31) / 32;
		const u32 *first = g.first + label;
		u32 x[taskWords], word[taskWords], hits = 0;
#pragma unroll
		for (int k = 0; k < taskWords; k++)
			x[k] = streamIf((open | owes) & 1 << k, first + k * 32, 0);
#pragma unroll
		for (int k = 0; k < taskWords; k++)
			word[k] = loadIf(open & 1 << k, visited + (x[k] & labelMask) / 32, 0);
#pragma unroll
		for (int k = 0; k < taskWords; k++)
			hits |= (word[k] >> (x[k] & 31) & 1) << k;
		const u32 writes = owes | hits, stores = pending ? ~stays : hits;
		u32 *parents = g.parents + label;
#pragma unroll
		for (int k = 0; k < taskWords; k++)
			if (stores & 1 << k)
				parents[k * 32] = writes & 1 << k ? x[k] & labelMask : none;
		now |= transpose(hits);
		if (on) {
			after[u * taskWords + lane] = now;
			copy[u * taskWords + lane] = now;
		}
		found += __popc(hits);
	}
	return found;
}

// enlist enters what stays unvisited in the list; beyond the list's room it
// is only counted.
__device__ inline void enlist(uint2 entry) {
	BottomUp &s = shared<BottomUp>();
	const u32 at = atomicAdd(&s.listed, 1);
	if (at < listRoom)
		s.list[at] = entry;
	else {
		const u32 place = atomicAdd(&g.control->listed, 1);
		if (place < g.listRoom)
			g.list[place] = entry;
	}
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

// Settled is what a warp does with a vertex whose search is over.
struct Settled {
	const u32 *visited;
	u32 *after;
	u32 *copy; // marked like after; with it, what stays unvisited is listed

	// note ends the search of v, whose first neighbour is given, with none for a
	// vertex without a parent.
	__device__ bool note(u32 v, u32 first, u32 parent) const {
		if (parent == none) {
			if (copy)
				enlist(make_uint2(v, first));
			return false;
		}
		g.parents[v] = parent;
		atomicOr(after + (v >> 5), 1u << (v & 31));
		if (copy)
			atomicOr(copy + (v >> 5), 1u << (v & 31));
		return true;
	}
};

// walkRows walks count of the warp's waiting long rows, at most walkers, from
// the given place on: four lanes for each row, four neighbours a lane and step.
// Most end soon; what is left after some steps the whole warp walks, row by
// row. It returns what the thread found.
__device__ inline u32 walkRows(u32 at, u32 count, const u32 *visited, u32 *after, u32 *copy, u32 &looked) {
	constexpr u32 members = 32 / walkers, together = 4 * 4 * members;
	BottomUp &s = shared<BottomUp>();
	const u32 lane = threadIdx.x & 31, group = lane / members, member = lane % members;
	const uint4 row = group < count ? s.warp[threadIdx.x / 32].walk[at + group] : make_uint4(none, 0, 0, 0);
	const u64 start = u64(row.w) << 32 | row.z;
	u32 left = row.y, parent = none;
	// look lets each lane look at four neighbours from j on, stride apart.
	auto look = [&](u64 start, u32 j, u32 stride, u32 left) {
		u32 p[4], word[4], got = none;
#pragma unroll
		for (int k = 0; k < 4; k++) {
			p[k] = streamIf(j + k * stride < left, g.neighbors + start + j + k * stride, none);
			looked += j + k * stride < left;
		}
#pragma unroll
		for (int k = 0; k < 4; k++)
			word[k] = loadIf(p[k] != none, visited + p[k] / 32, 0);
#pragma unroll
		for (int k = 3; k >= 0; k--)
			if (word[k] >> (p[k] & 31) & 1)
				got = p[k];
		return got;
	};
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
	return member == 0 && row.y && Settled{visited, after, copy}.note(row.x, copy ? __ldg(g.first + row.x) : 0, parent);
}

// walkLong walks the long rows of a level with the whole grid, after a meeting,
// and returns what it found. Without it one vertex of high degree in another
// component would keep all waiting for its warp.
__device__ inline u32 walkLong(Meeting &meeting, const u32 *visited, u32 *after, u32 *copy) {
	const u32 count = min(__ldcg(&g.control->longRows), longRoom);
	for (u32 i = 0; i < count; i++) {
		const u64 start = __ldcg(&g.longRows[i].start);
		const u32 rest = __ldcg(&g.longRows[i].rest);
		for (u32 j = blockIdx.x * THREADS + threadIdx.x; j < rest; j += gridDim.x * THREADS) {
			const u32 p = __ldg(g.neighbors + start + j);
			if (bitOf(visited, p)) {
				g.longParents[i] = p;
				break;
			}
		}
	}
	meeting.meet(0);
	u32 found = 0;
	if (blockIdx.x == 0) {
		for (u32 i = threadIdx.x; i < count; i += THREADS) {
			const u32 parent = __ldcg(g.longParents + i);
			if (parent != none)
				found += Settled{visited, after, copy}.note(__ldcg(&g.longRows[i].vertex), 0, parent);
		}
		__syncthreads();
		if (threadIdx.x == 0)
			g.control->longRows = 0;
	}
	return u32(meeting.sum(found, 0));
}

// lookFurther looks at the second to fifth neighbours of two vertices a lane,
// none where a lane has none. Neighbours that are hubs are looked up in shared
// memory if hubsKnown: if its bitmap is that of visited. A vertex with a longer
// row goes to the warp's walking ones. It returns what the thread found.
__device__ inline u32 lookFurther(u32 v0, u32 v1, const u32 *visited, u32 *after, u32 *copy, bool hubsKnown, u32 &walking, u32 &looked) {
	BottomUp &s = shared<BottomUp>();
	const u32 lane = threadIdx.x & 31;
	const u32 v[2] = {v0, v1};
	u32 parent[2] = {none, none}, row[2], first[2], found = 0;
	uint4 low[2], high[2];
#pragma unroll
	for (int k = 0; k < 2; k++) {
		first[k] = streamIf(copy && v[k] != none, g.first + v[k], moreFlag);
		row[k] = v[k] != none ? rowNumber(v[k]) : 0;
	}
#pragma unroll
	for (int k = 0; k < 2; k++) {
		const uint4 *f = reinterpret_cast<const uint4 *>(g.further + row[k]);
		const bool on = v[k] != none && first[k] & moreFlag;
		low[k] = streamIf(on, f, make_uint4(noNeighbor << 16 | noNeighbor, noNeighbor << 16 | noNeighbor, 0, 0));
		high[k] = streamIf(on, f + 1, make_uint4(0, 0, 0, 0));
	}
#pragma unroll
	for (int k = 0; k < 2; k++) {
		const u32 p[4] = {low[k].z, low[k].w, high[k].x, high[k].y};
		u32 hit = 0, probe = 0;
#pragma unroll
		for (int j = 0; j < 4; j++) {
			const u32 h = (j < 2 ? low[k].x : low[k].y) >> (16 * (j & 1)) & 0xFFFF;
			looked += h != noNeighbor;
			hit |= (hubsKnown ? hubBit(h) : 0) << j;
			probe |= (hubsKnown ? h == noSlot : h != noNeighbor) << j;
		}
		if (hit)
			probe = 0;
		u32 word[4];
#pragma unroll
		for (int j = 0; j < 4; j++)
			word[j] = loadIf(probe >> j & 1, visited + p[j] / 32, 0);
#pragma unroll
		for (int j = 3; j >= 0; j--)
			if ((hit >> j | word[j] >> (p[j] & 31)) & 1)
				parent[k] = p[j];
	}
#pragma unroll
	for (int k = 0; k < 2; k++) {
		const u32 degree = high[k].w >> 8;
		const bool longer = v[k] != none && parent[k] == none && degree > 5;
		const u32 ballot = __ballot_sync(~0u, longer);
		if (longer) {
			const u64 start = ((u64(high[k].w) & 0xFF) << 32 | high[k].z) + 5;
			u32 rest = (degree == furtherDegree ? g.rows[row[k]].degree : degree) - 5;
			if (rest > longRow) {
				const u32 at = atomicAdd(&g.control->longRows, 1);
				if (at < longRoom) {
					g.longRows[at] = LongRow{start, rest, v[k]};
					g.longParents[at] = none;
					atomicAdd(&s.longRows, 1);
					rest = 0;
				}
			}
			s.warp[threadIdx.x / 32].walk[walking + __popc(ballot & ((1u << lane) - 1))] = make_uint4(v[k], rest, u32(start), u32(start >> 32));
		} else if (v[k] != none)
			found += Settled{visited, after, copy}.note(v[k], first[k], parent[k]);
		walking += __popc(ballot);
	}
	return found;
}

// pass is a dense pass: first neighbours by firstGroup or emitGroup, and then
// further ones of what the warp's own piece left unvisited in after. With copy,
// which only emit has, every vertex that stays unvisited is entered in the
// list. The vertices that look further are collected over the pieces until
// they fill the warp twice over. A warp takes its first piece by its number and
// the others from the ticket, so that all end together; the next one is asked
// for in time. It returns what the thread found.
//
// One function with everything inlined but itself not: as calls within the loop
// its parts saved and loaded more registers than the pass has data.
template <bool emits> __device__ __noinline__ u32 pass(u32 *ticket, const u32 *visited, u32 *after, u32 *copy, bool flag) {
	BottomUp &s = shared<BottomUp>();
	const u32 lane = threadIdx.x & 31, everyone = gridDim.x * warps;
	const u32 group = min(groupTasks, (g.tasks + 2 * everyone - 1) / (2 * everyone));
	u32 *ring = s.warp[threadIdx.x / 32].ring;
	u32 found = 0, waiting = 0, walking = 0, looked = 0;
	bool last = false;
	for (u32 piece = blockIdx.x * warps + threadIdx.x / 32; !last;) {
		u32 next = 0, u = piece * group;
		const u32 stop = min(u + group, g.tasks);
		last = u >= g.tasks;
		if (!last) {
			if (lane == 0)
				next = everyone + atomicAdd(ticket, 1);
			if (emits)
				found += emitGroup(u, stop, visited, after, copy, flag);
			else
				found += firstGroup(u, stop, visited, after, flag);
			__syncwarp();
		}
		do {
			if (u < stop) {
				const u32 w = u * taskWords + lane / 2;
				u32 open = ~__ldcg(after + w) & (lane & 1 ? 0xFFFF0000 : 0xFFFF);
				if (!emits)
					open &= __ldg(g.more + w);
				u32 at = __popc(open);
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
					ring[at++] = w * 32 + __ffs(open) - 1;
				__syncwarp();
			}
			while (waiting >= 64 || (last && (waiting || walking))) {
				const u32 n = min(waiting, 64);
				waiting -= n;
				const u32 x = lane < n ? ring[waiting + lane] : none, y = lane + 32 < n ? ring[waiting + 32 + lane] : none;
				__syncwarp();
				found += lookFurther(x, y, visited, after, copy, !emits, walking, looked);
				__syncwarp();
				while (walking >= walkers || (last && !waiting && walking)) {
					const u32 n = min(walking, walkers);
					walking -= n;
					found += walkRows(walking, n, visited, after, copy, looked);
					__syncwarp();
				}
			}
		} while (++u < stop);
		piece = __shfl_sync(~0u, next, 0);
	}
	looked = __reduce_add_sync(~0u, looked);
	if (lane == 0)
		s.examined[threadIdx.x / 32] += looked;
	return found;
}

// firstNeighbors is a dense pass without parents, see firstGroup.
__device__ inline u32 firstNeighbors(u32 *ticket, const u32 *visited, u32 *after, bool fresh) {
	loadHubs();
	return pass<false>(ticket, visited, after, nullptr, fresh);
}

// emit is a dense pass that writes parents, see emitGroup; copy becomes what
// after is, and what stays unvisited goes to the list.
__device__ inline u32 emit(u32 *ticket, const u32 *visited, u32 *after, u32 *copy, bool pending) {
	if (threadIdx.x == 0)
		shared<BottomUp>().listed = shared<BottomUp>().longRows = 0;
	__syncthreads();
	const u32 found = pass<true>(ticket, visited, after, copy, pending);
	flushList();
	return found;
}
