// Bounded pushes: arcs that end below a bound are relaxed, in rounds, until none changes a
// distance. All distances below the bound are then final.
#pragma once
#include "../counted.cuh"
#include "search.cuh"

// Chunk is a piece of a row, from arc at to arc end-1, whose source has the given
// distance. An empty chunk has at == end.
struct Chunk {
	u64 at, end;
	u32 vertex, distance;
};

struct PushShared {
	Chunk rests[THREADS]; // the rests of rows, at most one per thread
	Chunk pieces[pieceCapacity];
	u32 restCount;
	u32 pieceCount; // or more than the capacity
};

// Pushes is the state of one round.
struct Pushes {
	PushShared &s;
	Log log;
	u32 least;             // vertices below this distance are expanded already
	u32 bound;             // bits
	u32 relaxed = 0;        // arcs that the thread has relaxed
	bool pending = false; // the thread has seen an arc or a vertex at the bound or above it

	// range pushes from the entries from..to-1 of the log, part number part of parts. All
	// threads of the block must call it.
	__device__ void range(u32 from, u32 to, u32 part, u32 parts) {
		for (u64 base = from + u64(part) * THREADS; base < to; base += u64(parts) * THREADS) {
			const u64 i = base + threadIdx.x;
			if (threadIdx.x == 0)
				s.restCount = s.pieceCount = 0;
			__syncthreads();
			head(i < to, i);
			__syncthreads();
			chunks(s.rests, s.restCount);
			chunks(s.pieces, min(s.pieceCount, pieceCapacity));
			__syncthreads();
		}
	}

private:
	// chunks pushes count chunks, eight lanes each.
	__device__ void chunks(const Chunk *list, u32 count) {
		for (u32 c = threadIdx.x / 8; c < (count + 3 & ~3u); c += THREADS / 8) // the lanes of a warp stay together
			chunk(c < count, list[c < count ? c : 0]);
	}

	// head pushes the first two arcs of a vertex, one entry of the log per thread, and
	// divides the rest of the row into chunks.
	__device__ void head(bool on, u64 entry) {
		const uint4 x = on ? __ldcg(g.log + entry) : uint4{};
		const u32 v = x.x, distance = x.z;
		on = on && distance >= least;
		const uint2 word = streamIf(on, reinterpret_cast<const uint2 *>(g.index) + (v >> 5), uint2{});
		on = loadIf(on, g.distances + v, ~0u) == distance && on;
		if (on && distance >= bound) {
			pending = true;
			on = false;
		}
		const u32 number = word.y + __popc(word.x & ((1u << (v & 31)) - 1));
		const uint4 row = streamIf(on, g.rows + number, uint4{});
		const uint4 arcs = streamIf(on, g.heads + number, make_uint4(0, infinite, 0, infinite));
		const float third = __uint_as_float(streamIf(on, reinterpret_cast<const u32 *>(g.thirds) + number, u32(infinite)));
		const u64 start = u64(row.y) << 32 | row.x;
		const u32 degree = row.z;
		const u32 to[2] = {arcs.x, arcs.z};
		const u32 sum[2] = {add(distance, __uint_as_float(arcs.y)), add(distance, __uint_as_float(arcs.w))};
		const bool first = on && sum[0] < bound, second = on && sum[1] < bound;
		relaxed += first + second;
		log.append(lowerAll(first | u32(second) << 1, to, sum), v, to, sum);
		const bool more = second && degree > 2;
		pending |= on && (!first || !second && degree > 1);
		if (more && add(distance, third) >= bound)
			pending = true;
		else if (more)
			divide(v, distance, start + 2, start + degree);
	}

	// divide adds the arcs at..end-1 of a vertex to the chunks: pieces of chunkArcs arcs as
	// far as the bound is expected to reach, and the rest as one chunk.
	__device__ void divide(u32 v, u32 distance, u64 at, u64 end) {
		const float expected = float(end - at) * (__uint_as_float(bound) - __uint_as_float(distance)) * g.arcScale;
		const u32 n = u32(min(min(expected, 1e6f) / chunkArcs, float((end - at - 1) / chunkArcs)));
		if (n > 0) {
			const u32 from = atomicAdd(&s.pieceCount, n);
			const bool room = from + n <= pieceCapacity;
			for (u32 j = 0; j < n && from + j < pieceCapacity; j++) {
				const u64 piece = room ? at + u64(j) * chunkArcs : end; // without room, empty
				s.pieces[from + j] = Chunk{piece, min(piece + chunkArcs, end), v, distance};
			}
			if (room)
				at += u64(n) * chunkArcs;
		}
		s.rests[atomicAdd(&s.restCount, 1u)] = Chunk{at, end, v, distance};
	}

	// chunk pushes the arcs of a chunk, eight lanes at a time. The eight lanes have the same
	// chunk; all lanes of the warp must call it.
	__device__ void chunk(bool on, const Chunk &c) {
		const u32 lane = threadIdx.x & 31, group = 0xffu << (lane & ~7u);
		u64 at = c.at + (lane & 7);
		on = on && c.at < c.end;
		while (__any_sync(~0u, on)) {
			const bool in = on && at < c.end;
			const uint2 arc = in ? __ldg(g.arcs + at) : make_uint2(0, infinite);
			const u32 t = add(c.distance, __uint_as_float(arc.y));
			const bool below = in && t < bound;
			pending |= in && !below;
			relaxed += below;
			log.append<1>(lower(below, arc.x, t), c.vertex, {arc.x}, {t});
			const u32 all = __ballot_sync(~0u, below);
			on = on && (all & group) == group;
			at += 8;
		}
	}
};
