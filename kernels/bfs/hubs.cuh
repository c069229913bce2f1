// The search for hubs only among further neighbours. It needs shared memory and two
// arrays that are read in order, but no look-up in the bitmap of all labels.
#pragma once
#include "lookup.cuh"

// examineHubs examines neighbours two to six of K vertices per lane, as far as they
// are hubs. v[k] is none where a lane has no vertex. If a vertex has more hubs and is
// not found here, its hubs are appended to the warp's waiting rows of hubs, whose
// number is walking. It returns the number of vertices that the thread found. All
// lanes of the warp must call it.
template <int K> __device__ inline u32 examineHubs(const u32 (&v)[K], u32 *visitedAfter, u32 &walking, u32 &examined) {
	auto &walk = shared<BottomUp>().warp[threadIdx.x / 32].hubWalk;
	const u32 lane = threadIdx.x & 31;
	u32 rest[K], parent[K], found = 0;
	uint2 index[K];
	uint4 hubs[K];
#pragma unroll
	for (int k = 0; k < K; k++)
		index[k] = __ldg(reinterpret_cast<const uint2 *>(g.index) + (v[k] != none ? v[k] / 32 : firstTask() * taskWords));
#pragma unroll
	for (int k = 0; k < K; k++) {
		const uint4 noHubs = make_uint4(noNeighbor << 16 | noNeighbor, noNeighbor << 16 | noNeighbor, noNeighbor, 0);
		hubs[k] = streamIf(v[k] != none, reinterpret_cast<const uint4 *>(g.hubRows + rowAt(index[k], v[k])), noHubs);
	}
#pragma unroll
	for (int k = 0; k < K; k++) {
		const u32 pair[3] = {hubs[k].x, hubs[k].y, hubs[k].z};
		u32 hit = none;
#pragma unroll
		for (int j = hubRowNumbers - 1; j >= 0; j--) {
			const u32 h = pair[j / 2] >> (16 * (j & 1)) & 0xFFFF;
			examined += h != noNeighbor;
			if (hubBit(h))
				hit = h;
		}
		rest[k] = hit == none ? hubs[k].z >> 16 : 0;
		parent[k] = streamIf(hit != none, g.hubs + hit, none);
	}
#pragma unroll
	for (int k = 0; k < K; k++) {
		const u32 ballot = __ballot_sync(~0u, rest[k]);
		if (rest[k]) {
			const u32 at = walking + __popc(ballot & ((1u << lane) - 1));
			walk.label[at] = v[k];
			walk.rest[at] = rest[k];
			walk.start[at] = hubs[k].w;
		}
		walking += __popc(ballot);
		if (parent[k] != none) {
			markFound(v[k], parent[k], visitedAfter);
			found++;
		}
	}
	return found;
}

// firstVisitedHub returns the first of eight hubs that is visited, else none.
__device__ inline u32 firstVisitedHub(uint4 hubs) {
	const u32 pair[4] = {hubs.x, hubs.y, hubs.z, hubs.w};
	u32 hit = none;
#pragma unroll
	for (int j = 7; j >= 0; j--) {
		const u32 h = pair[j / 2] >> (16 * (j & 1)) & 0xFFFF;
		if (hubBit(h))
			hit = h;
	}
	return hit;
}

// walkHubs walks n of the warp's waiting rows of hubs, from place at. n is at most
// hubWalkers. A lane walks a row, sixteen hubs per step. After four steps the whole
// warp walks what is left, row by row. It returns the number of vertices that the
// thread found. All lanes of the warp must call it.
__device__ inline u32 walkHubs(u32 at, u32 n, u32 *visitedAfter, u32 &examined, u32 &moved) {
	constexpr u32 steps = 4;
	const auto &walk = shared<BottomUp>().warp[threadIdx.x / 32].hubWalk;
	const u32 lane = threadIdx.x & 31;
	const bool hasRow = lane < n;
	const uint4 noHubs = make_uint4(noNeighbor << 16 | noNeighbor, noNeighbor << 16 | noNeighbor, noNeighbor << 16 | noNeighbor, noNeighbor << 16 | noNeighbor);
	const u32 v = hasRow ? walk.label[at + lane] : none;
	u32 rest = hasRow ? walk.rest[at + lane] : 0, start = hasRow ? walk.start[at + lane] : 0, hit = none;
	for (u32 i = 0; i < steps && __any_sync(~0u, rest); i++) {
		const uint4 low = streamIf(rest, g.hubArcs + start, noHubs), high = streamIf(rest > 8, g.hubArcs + start + 1, noHubs);
		const u32 first = firstVisitedHub(low), second = firstVisitedHub(high), n = min(rest, 16);
		examined += n;
		moved += (n + 7) / 8 * (sizeof(uint4) / sizeof(u32));
		if (rest)
			hit = first != none ? first : second;
		rest = hit == none ? rest - n : 0;
		start += 2;
	}
	for (u32 longer = __ballot_sync(~0u, rest); longer; longer &= longer - 1) {
		const int owner = __ffs(longer) - 1;
		const u32 from = __shfl_sync(~0u, start, owner), n = __shfl_sync(~0u, rest, owner);
		for (u32 i = 0; i < n; i += 256) {
			const u32 mine = firstVisitedHub(streamIf(i + 8 * lane < n, g.hubArcs + from + i / 8 + lane, noHubs));
			const u32 hits = __ballot_sync(~0u, mine != none);
			examined += i + 8 * lane < n ? min(n - i - 8 * lane, 8) : 0;
			moved += i + 8 * lane < n ? sizeof(uint4) / sizeof(u32) : 0;
			if (hits) {
				const u32 got = __shfl_sync(~0u, mine, __ffs(hits) - 1);
				if (lane == owner)
					hit = got;
				break;
			}
		}
	}
	if (hit == none)
		return 0;
	moved++;
	markFound(v, __ldg(g.hubs + hit), visitedAfter);
	return 1;
}
