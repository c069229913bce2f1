// The bottom-up step beyond first neighbours that looks for hubs only: it needs shared
// memory and two streams, and no look-up in the bitmap of all labels.
#pragma once
#include "lookup.cuh"

// lookAtHubs looks at the second to sixth neighbours of K vertices a lane, none where
// a lane has none, as far as they are hubs. A row with more hubs goes to the warp's
// walking ones. It returns what the thread found.
template <int K> __device__ inline u32 lookAtHubs(const u32 (&v)[K], u32 *after, u32 &walking, u32 &looked) {
	auto &walk = shared<BottomUp>().warp[threadIdx.x / 32].hubWalk;
	const u32 lane = threadIdx.x & 31;
	u32 rest[K], parent[K], found = 0;
	uint2 index[K];
	uint4 hubs[K];
#pragma unroll
	for (int k = 0; k < K; k++)
		index[k] = __ldg(reinterpret_cast<const uint2 *>(g.index) + (v[k] != none ? v[k] / 32 : 0));
#pragma unroll
	for (int k = 0; k < K; k++) {
		const uint4 nobody = make_uint4(noNeighbor << 16 | noNeighbor, noNeighbor << 16 | noNeighbor, noNeighbor, 0);
		hubs[k] = streamIf(v[k] != none, reinterpret_cast<const uint4 *>(g.hubRows + rowAt(index[k], v[k])), nobody);
	}
#pragma unroll
	for (int k = 0; k < K; k++) {
		const u32 pair[3] = {hubs[k].x, hubs[k].y, hubs[k].z};
		u32 hit = none;
#pragma unroll
		for (int j = hubRowSlots - 1; j >= 0; j--) {
			const u32 h = pair[j / 2] >> (16 * (j & 1)) & 0xFFFF;
			looked += h != noNeighbor;
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
			settle(v[k], parent[k], after);
			found++;
		}
	}
	return found;
}

// visitedHub returns the first of eight hubs that was visited, or none.
__device__ inline u32 visitedHub(uint4 hubs) {
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

// walkHubs walks n of the warp's waiting rows of hubs from the given place on, at
// most hubWalkers: a row a lane, sixteen hubs at a time. What is left after some steps
// the whole warp walks, row by row. It returns what the thread found.
__device__ inline u32 walkHubs(u32 at, u32 n, u32 *after, u32 &looked, u32 &moved) {
	constexpr u32 steps = 4;
	const auto &walk = shared<BottomUp>().warp[threadIdx.x / 32].hubWalk;
	const u32 lane = threadIdx.x & 31;
	const bool on = lane < n;
	const uint4 nobody = make_uint4(noNeighbor << 16 | noNeighbor, noNeighbor << 16 | noNeighbor, noNeighbor << 16 | noNeighbor, noNeighbor << 16 | noNeighbor);
	const u32 v = on ? walk.label[at + lane] : none;
	u32 rest = on ? walk.rest[at + lane] : 0, start = on ? walk.start[at + lane] : 0, hit = none;
	for (u32 i = 0; i < steps && __any_sync(~0u, rest); i++) {
		const uint4 low = streamIf(rest, g.hubArcs + start, nobody), high = streamIf(rest > 8, g.hubArcs + start + 1, nobody);
		const u32 first = visitedHub(low), second = visitedHub(high), n = min(rest, 16);
		looked += n;
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
			const u32 mine = visitedHub(streamIf(i + 8 * lane < n, g.hubArcs + from + i / 8 + lane, nobody));
			const u32 hits = __ballot_sync(~0u, mine != none);
			looked += i + 8 * lane < n ? min(n - i - 8 * lane, 8) : 0;
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
	settle(v, __ldg(g.hubs + hit), after);
	return 1;
}
