// Bounded pushes: arcs that end below a bound are relaxed until none changes a distance. All
// distances below the bound are then final.
//
// All blocks share the items of a list. A block pushes those that it finds itself, round by
// round: that takes no grid barrier, which would cost more than such a round. When it has
// none left, or more than it has threads, it leaves the rest to a queue and meets the other
// blocks, which share the queue.
#pragma once
#include "../counted.cuh"
#include "arcs.cuh"

// Chunk is a piece of the row of a thread's item: count arcs.
struct Chunk {
	Arcs arcs;
	u32 count, thread;
};

struct PushShared {
	uint2 items[localItems];   // ring
	uint2 current[THREADS];    // items of the round, by thread
	Chunk rests[THREADS];      // the rests of rows, at most one per thread
	Chunk pieces[pieceCapacity];
	// Counters of a round. Three sets take turns, so that a round can clear the next one
	// while slow warps still read the last one.
	struct alignas(16) Counts {
		u32 found, rests, pieces; // found and pieces can be more than their capacities
	} counts[3];
};

// Pushes is the state of the pushes of a search. Its numbers are the same in all threads of
// a block, except for those at the end.
struct Pushes {
	PushShared &s;
	Log &log;
	u32 *spilled;    // items that the block has left to the queue, in shared memory
	u32 least = 0;   // rows below this distance are expanded already
	u32 from = 0;    // arcs that end below are relaxed already
	u32 bound = 0;   // bits
	u32 queue = 0;   // queue of the next round
	bool light = false;  // light arcs follow, so that only rows of the log push more than two arcs
	bool whole = true;   // rows push all their arcs
	u32 head = 0, tail = 0; // of the ring
	u32 turn = 0;           // of the counters
	u32 relaxed = 0;      // arcs that the thread has relaxed
	bool pending = false; // the thread has seen an arc or a row at the bound or above it

	// prepare initialises the shared memory. All threads of the block must call it.
	__device__ void prepare() {
		if (threadIdx.x < 3)
			s.counts[threadIdx.x] = {};
		__syncthreads();
	}

	// round pushes from the block's share of the count items of a list, or of the log if list
	// is null, and from what the block finds, in that many rounds. All threads of all blocks
	// must call it.
	__device__ void round(const uint2 *list, u32 count, u32 pushRounds) {
		const u32 each = min((count + gridDim.x - 1) / gridDim.x, THREADS);
		u64 next = u64(blockIdx.x) * each;
		whole = !light || list == nullptr;
		while (next < count) {
			const bool on = threadIdx.x < each && next + threadIdx.x < count;
			push(on ? list ? __ldcg(list + next + threadIdx.x) : logged(next + threadIdx.x) : make_uint2(noRow, 0));
			next += u64(gridDim.x) * each;
		}
		whole = !light;
		for (u32 rounds = 0; tail != head && tail - head <= THREADS && rounds < min(pushRounds, localRounds); rounds++) {
			const u32 n = tail - head;
			const uint2 item = threadIdx.x < n ? s.items[(head + threadIdx.x) % localItems] : make_uint2(noRow, 0);
			push(item);
			head += n;
		}
		for (; tail != head && pushRounds > 0; head += min(tail - head, THREADS)) {
			const bool on = threadIdx.x < tail - head;
			enqueue(queue, spilled, on, s.items[(head + threadIdx.x) % localItems]);
		}
		head = tail = 0;
		__syncthreads();
	}

private:
	// logged returns entry i of the log as an item.
	__device__ uint2 logged(u64 i) const {
		const u32 row = __ldcg(g.log + i);
		return make_uint2(row, loadIf(row != noRow, distanceOf(row), 0));
	}

	// push pushes from the item of each thread. All threads of the block must call it.
	__device__ void push(uint2 item) {
		PushShared::Counts &c = s.counts[turn % 3];
		if (threadIdx.x == 0)
			s.counts[(turn + 1) % 3] = {};
		turn++;
		pushHead(c, item);
		__syncthreads();
		const u32 rests = c.rests, pieces = min(c.pieces, pieceCapacity);
		if (rests + pieces > 0) {
			chunks(c, s.rests, rests);
			chunks(c, s.pieces, pieces);
			__syncthreads();
		}
		tail += min(c.found, localItems - (tail - head));
	}

	// append appends the rows that are reached to the log, and those whose distances became
	// smaller to the ring, or to the queue if the ring is full: bit k stands for the
	// improvement of to[k] to distance[k]. All lanes of the warp must call it.
	template <int each> __device__ void append(PushShared::Counts &c, Relaxed r, const u32 (&to)[each], const u32 (&distance)[each]) {
		if (!__any_sync(~0u, r.won))
			return;
#pragma unroll
		for (int k = 0; k < each; k++) {
			log.append(r.reached >> k & 1, to[k]);
			const bool on = r.won >> k & 1;
			const u32 place = claimed(&c.found, on);
			const bool room = place < localItems - (tail - head);
			if (on && room)
				s.items[(tail + place) % localItems] = make_uint2(to[k], distance[k]);
			enqueue(queue, spilled, on && !room, make_uint2(to[k], distance[k]));
		}
	}

	// pushHead pushes the first two arcs of the row of an item, and divides the rest of a whole
	// row into chunks. If light arcs follow, all arcs of other rows that end below the bound are
	// light: those of a row with two light arcs or more are in segments.
	__device__ void pushHead(PushShared::Counts &c, uint2 item) {
		bool on = item.x != noRow;
		const u32 distance = item.y;
		const u32 current = loadIf(on, distanceOf(item.x), noRow);
		const RowOf row = loadRow(on, item.x);
		on = on && current == distance;
		if (on && distance >= bound)
			pending = true;
		on = on && distance < bound && distance >= least;
		const u32 to[2] = {row.head.x, row.head.z};
		const u32 sum[2] = {add(distance, __uint_as_float(row.head.y)), add(distance, __uint_as_float(row.head.w))};
		const bool first = on && sum[0] < bound, second = on && sum[1] < bound;
		const u32 relax = (first && sum[0] >= from) | u32(second && sum[1] >= from) << 1;
		relaxed += __popc(relax);
		append(c, relaxAll(relax, to, sum, item.x, distance), to, sum);
		pending |= on && (!first || !second && row.degree > 1);
		if (second && row.degree > 2 && whole) {
			if (add(distance, __uint_as_float(row.third)) >= bound)
				pending = true;
			else
				divide(c, item, Arcs{row.start}.from(2), row.degree - 2);
		}
	}

	// divide adds count arcs of a row to the chunks: pieces as far as the bound is expected to
	// reach, and the rest as one chunk.
	__device__ void divide(PushShared::Counts &c, uint2 item, Arcs rest, u32 count) {
		const float reach = __uint_as_float(bound) - __uint_as_float(item.y);
		const u32 expected = u32(min(float(count - 1), float(count) * reach * g.arcScale));
		const u32 wanted = min(expected / groupLanes, rowPieces);
		s.current[threadIdx.x] = item;
		if (wanted > 0) {
			const u32 first = atomicAdd(&c.pieces, wanted);
			const u32 n = first < pieceCapacity ? min(wanted, pieceCapacity - first) : 0;
			const u32 each = n > 0 ? (expected / n + groupLanes - 1) / groupLanes * groupLanes : 0;
			for (u32 j = 0; j < n; j++) {
				const u32 mine = min(each, count);
				s.pieces[first + j] = Chunk{rest, mine, threadIdx.x};
				rest = rest.from(mine);
				count -= mine;
			}
		}
		s.rests[atomicAdd(&c.rests, 1u)] = Chunk{rest, count, threadIdx.x};
	}

	// chunks pushes count chunks, one per group of lanes.
	__device__ void chunks(PushShared::Counts &c, const Chunk *list, u32 count) {
		constexpr u32 inWarp = 32 / groupLanes; // the lanes of a warp stay together
		for (u32 i = threadIdx.x / groupLanes; i < (count + inWarp - 1) / inWarp * inWarp; i += THREADS / groupLanes)
			chunk(c, i < count, list[i < count ? i : 0]);
	}

	// chunk pushes the arcs of a chunk, an arc per lane at a time. The lanes of a group have
	// the same chunk; all lanes of the warp must call it.
	__device__ void chunk(PushShared::Counts &c, bool on, const Chunk &chunk) {
		const u32 lane = threadIdx.x & 31, part = lane % groupLanes, group = (1u << groupLanes) - 1 << (lane - part);
		const uint2 item = s.current[chunk.thread];
		uint2 next = on && part < chunk.count ? __ldg(chunk.arcs.at(part)) : make_uint2(0, infinite);
		for (u32 i = part; __any_sync(~0u, on); i += groupLanes) {
			const uint2 arc = next;
			const bool in = on && i < chunk.count;
			const u32 t = add(item.y, __uint_as_float(arc.y));
			const bool below = in && t < bound, relax = below && t >= from;
			on = (__ballot_sync(~0u, below) & group) == group;
			next = on && i + groupLanes < chunk.count ? __ldg(chunk.arcs.at(u64(i) + groupLanes)) : make_uint2(0, infinite);
			pending |= in && !below;
			relaxed += relax;
			append<1>(c, relaxAll<1>(relax, {arc.x}, {t}, item.x, item.y), {arc.x}, {t});
		}
	}
};
