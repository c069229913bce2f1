// The top-down level: from a queue of hubs and rows to their unvisited neighbours.
//
// It uses the neighbour gathering of Merrill, Garland and Grimshaw (PPoPP 2012) in pieces of
// 16 bytes of lists. The sums of the lengths, which the paper makes by a scan of the block, are
// made while the queue is written. So every block gets an equal share of the pieces, and a list
// may be cut. Where the share of a block or of a warp is one list (in the paper, gathering by
// CTA and by warp), its threads know their list; otherwise each finds its own by a binary
// search in the sums (scan gathering).
#pragma once
#include "lists.cuh"

// Expansion says what a top-down level does with what it finds.
//
//   queues    the search can go on top-down: all finds go to the queue, parents are stored later
//   last      the dense pass follows (last.cuh): hubs are marked in the frontier alone, and the rows
//             that hubs find in the bitmap of rows, with the hub; the pass writes the parents of these. Rows that
//             rows find go to the queue
//   direct    no dense pass follows any more: parents are written
enum Expansion : u32 { queues, last, direct };

// noParent is for entries of a queue whose parents are known.
__device__ inline u32 noParent(u32) { return none; }

// Level is a top-down level.
struct Level {
	u32 level; // of the frontier
	Expansion expansion;
	u32 turn;    // number of the exchange that follows
	bool filter; // rows of other devices are offered once
	// All devices have the frontier, and each follows all of it, to all hubs and to own rows. No exchange follows.
	bool ofAll;
	bool toAll; // all devices take all finds, which are those of one row

	__device__ u32 *next() const { return ofAll ? frontier(level + 1) : foundHubs(level + 1); }

	// push adds a find to the block's list.
	__device__ void push(u32 vertex, u32 parent) const {
		shared<TopDown>().found[atomicAdd(&fixed().found, 1u)] = make_uint2(vertex, parent);
	}

	// markHubs marks the unvisited ones of eight hubs in the bitmap in shared memory, which has the visited ones, and
	// records the parents of those that are new to the block.
	__device__ void markHubs(uint4 piece, u32 parent) const {
		const u32 x[4] = {piece.x, piece.y, piece.z, piece.w};
		u32 word[8];
#pragma unroll
		for (int k = 0; k < 8; k++)
			word[k] = hubBits()[hubIn(x, k) >> 5];
#pragma unroll
		for (int k = 0; k < 8; k++) {
			const u32 h = hubIn(x, k), bit = 1u << (h & 31);
			if (!(word[k] & bit) && !(atomicOr(hubBits() + (h >> 5), bit) & bit))
				g.hubParents[h] = parent;
		}
	}

	// findHubs handles eight neighbours of a vertex that are hubs.
	__device__ void findHubs(uint4 piece, u32 parent) const {
		if (expansion == last) {
			markHubs(piece, parent);
			return;
		}
		const u32 x[4] = {piece.x, piece.y, piece.z, piece.w};
#pragma unroll
		for (int half = 0; half < 8; half += 4) {
			u32 word[4];
#pragma unroll
			for (int k = 0; k < 4; k++) {
				const u32 h = hubIn(x, half + k);
				word[k] = h == noHub ? ~0u : __ldcg(g.hubsBefore + (h >> 5));
			}
#pragma unroll
			for (int k = 0; k < 4; k++) {
				const u32 h = hubIn(x, half + k), bit = 1u << (h & 31);
				word[k] = orIf(!(word[k] & bit), g.hubsBefore + (h >> 5), bit, ~0u);
			}
#pragma unroll
			for (int k = 0; k < 4; k++) {
				const u32 h = hubIn(x, half + k);
				if (bitOf(word[k], h))
					continue;
				g.hubParents[h] = parent;
				setBit(next(), h);
				if (!several || ofAll) // else all devices take all finds
					push(hubFlag | h, parent);
			}
		}
	}

	// findRows handles four neighbours of a vertex that are rows.
	__device__ void findRows(uint4 piece, u32 parent) const {
		const u32 row[4] = {piece.x, piece.y, piece.z, piece.w};
		u32 word[4];
		bool marks[4];
#pragma unroll
		for (int k = 0; k < 4; k++) {
			marks[k] = row[k] != none && (isOwnRow(row[k]) || filter);
			word[k] = loadIf(marks[k], g.before + (row[k] >> 5), row[k] == none || ofAll && !toAll ? ~0u : 0);
		}
#pragma unroll
		for (int k = 0; k < 4; k++)
			word[k] = orIf(marks[k] && !bitOf(word[k], row[k]), g.before + (row[k] >> 5), 1u << (row[k] & 31), marks[k] ? ~0u : word[k]);
#pragma unroll
		for (int k = 0; k < 4; k++)
			if (!bitOf(word[k], row[k]))
				push(row[k], parent);
	}

	// flush moves the block's list to the queue, behind entry end of the level, and to the offers to
	// other devices. All threads of the block must call it.
	__device__ void flush(u32 end) const {
		Shared &s = fixed();
		__syncthreads();
		const u32 count = s.found;
		for (u32 base = 0; base < count; base += THREADS) {
			const u32 i = base + threadIdx.x;
			uint2 x{};
			u32 pieces = 0, estimate = 0, label = none;
			if (i < count)
				x = shared<TopDown>().found[i];
			const bool queued = i < count && (toAll || x.x & hubFlag || isOwnRow(x.x));
			if (several && !ofAll) {
				const bool on[1] = {i < count && !queued};
				const u32 row[1] = {x.x};
				offer(on, row, x.y, turn);
			}
			if (queued) {
				if (!(x.x & hubFlag) && isOwnRow(x.x))
					label = __ldg(g.rowLabels + x.x);
				if (expansion != last) {
					const Lists l = listsOf(x.x, toAll);
					pieces = l.hubPieces + l.rowPieces;
					if (ofAll)
						estimate = estimateOf(x.x, l);
				}
				const u32 own = several && !toAll || expansion == direct ? label == none ? labelOf(x.x) : label : none;
				if (several && isOwnLabel(own))
					atomicAdd(&s.counted, 1);
				if (expansion == direct && isOwnLabel(own))
					storeParent(own, x.y);
			}
			if (ofAll) {
				estimate = __reduce_add_sync(~0u, estimate);
				if ((threadIdx.x & 31) == 0 && estimate)
					atomicAdd(&g.control->estimated[level + 1 & 3], u64(estimate));
			}
			const u64 mine = queued ? 1ull << queuedShift | pieces : 0, before = reserve(&s.sum, mine);
			__syncthreads();
			if (threadIdx.x == 0) {
				s.place = atomicAdd(&g.control->queued[level + 1 & 3], s.sum);
				s.pieces += s.sum & piecesMask;
				s.sum = 0;
			}
			__syncthreads();
			if (queued) {
				const u64 place = s.place + before;
				g.queue[end + u32(place >> queuedShift)] = make_uint4(x.x, u32(place & piecesMask), x.y, label);
			}
		}
		__syncthreads();
		if (threadIdx.x == 0)
			s.found = 0;
		__syncthreads();
	}

	// estimateOf returns about how many pieces all devices will follow for a find, which has these lists on this one: the
	// same number on all of them, for a row 0 if not all devices have found it. 32 of them can be added up.
	__device__ u32 estimateOf(u32 vertex, const Lists &l) const {
		const u32 h = vertex & ~hubFlag;
		u64 pieces = toAll ? l.hubPieces + l.rowPieces : 0;
		if (vertex & hubFlag)
			pieces = estimateOfHub(__ldg(g.hubListAt + h + 1) - __ldg(g.hubListAt + h));
		return u32(min(pieces, u64(1 << 26)));
	}

	// visit handles a piece of the lists of entry j of the tile.
	__device__ void visit(u32 j, u32 piece) const {
		const TopDown &t = shared<TopDown>();
		const u32 vertex = t.vertex[j], i = piece - t.pieces[j] + t.skip[j], hubPieces = t.hubPieces[j];
		if (i < hubPieces)
			findHubs(hubPiece(vertex, t.hubAt[j], i), t.label[j]);
		else
			findRows(rowPiece(vertex, i - hubPieces, t.rowAt[j] + i - hubPieces), t.label[j]);
	}

	// entryOf returns the entry of the tile that a thread's piece belongs to. first is the piece of
	// the warp's first thread.
	__device__ static u32 entryOf(u32 count, u32 first, u32 piece) {
		const TopDown &t = shared<TopDown>();
		if (count == 1)
			return 0;
		const u32 j = lastAtOrBefore(t.pieces, count, first);
		return first + 31 < t.pieces[j + 1] ? j : lastAtOrBefore(t.pieces, count, piece);
	}

	// gather handles pieces from to end-1, which belong to the count entries of the tile. The
	// queue ends before entry queueEnd. All threads of the block must call it.
	__device__ void gather(u32 count, u32 from, u32 end, u32 queueEnd) const {
		for (u32 base = from; base < end; base += THREADS) {
			const u32 piece = base + threadIdx.x;
			if (piece < end)
				visit(entryOf(count, piece - (threadIdx.x & 31), piece), piece);
			flushIfFull(queueEnd);
		}
	}

	// flushIfFull makes room for a batch in the block's list. All threads of the block must call it.
	__device__ void flushIfFull(u32 end) const {
		__syncthreads();
		const u32 found = fixed().found;
		__syncthreads();
		if (found > TopDown::foundCapacity - TopDown::batch)
			flush(end);
	}

	// enqueue appends the hubs or rows of a word's set bits to the queue, behind entry end of the
	// level, with parents of parentOf. All threads of the block must call it.
	template <typename ParentOf> __device__ void enqueue(u32 bits, u32 vertex, u32 end, ParentOf parentOf) const {
		for (u32 byte = 0; byte < 4; byte++) {
			for (u32 rest = bits & 0xFFu << 8 * byte; rest; rest &= rest - 1)
				push(vertex + __ffs(rest) - 1, parentOf(vertex + __ffs(rest) - 1));
			flushIfFull(end);
		}
	}

	// load puts an entry of the frontier, with its label and lists, into the tile. The block follows them from piece `skip` on.
	__device__ static void load(u32 j, u32 vertex, u32 label, u32 pieces, const Lists &l, u32 skip = 0) {
		TopDown &t = shared<TopDown>();
		t.pieces[j] = pieces;
		t.skip[j] = skip;
		t.vertex[j] = vertex;
		t.label[j] = label;
		t.hubAt[j] = l.hubAt;
		t.hubPieces[j] = l.hubPieces;
		t.rowAt[j] = l.rowAt;
	}

	// neighborOf returns the vertex at a place of the lists of a vertex, or none. A piece has 8 places for hubs, or 4 for rows.
	__device__ static u32 neighborOf(u32 vertex, const Lists &l, u32 place) {
		const u32 hubPlaces = 8 * l.hubPieces;
		if (place < hubPlaces) {
			const u32 pair = wordOf(hubPiece(vertex, l.hubAt, place / 8), place / 2 % 4), hub = place & 1 ? pair >> 16 : pair & 0xFFFF;
			return hub == noHub ? none : hubFlag | hub;
		}
		const u32 i = (place - hubPlaces) / 4;
		return wordOf(rowPiece(vertex, i, l.rowAt + i), place % 4);
	}
	__device__ static u32 wordOf(uint4 piece, u32 k) { return k & 2 ? (k & 1 ? piece.w : piece.z) : k & 1 ? piece.y : piece.x; }

	// loadAll puts a vertex of each thread, if it has one, into the tile: rows, then hubs, in the order of the threads, which is the
	// same in all blocks. The first block also writes them to the queue, with the parent. It returns their number and
	// pieces, packed like Control.queued. All threads of the block must call it.
	__device__ static u64 loadAll(u32 vertex, u32 parent) {
		TopDown &t = shared<TopDown>();
		const bool isHub = vertex & hubFlag;
		Lists l{};
		u32 label = none;
		if (vertex != none)
			l = listsOf(vertex, false), label = labelOf(vertex);
		const u64 mine = vertex != none ? 1ull << queuedShift | (l.hubPieces + l.rowPieces) : 0;
		u64 rows, hubs;
		const u64 beforeRow = sumBefore(isHub ? 0 : mine, rows), beforeHub = sumBefore(isHub ? mine : 0, hubs);
		if (vertex != none) {
			const u64 before = isHub ? rows + beforeHub : beforeRow;
			const u32 j = before >> queuedShift, pieces = u32(before & piecesMask);
			load(j, vertex, label, pieces, l);
			if (blockIdx.x == 0)
				g.queue[j] = make_uint4(vertex, pieces, parent, isHub ? none : label);
		}
		const u64 all = rows + hubs;
		if (threadIdx.x == 0) {
			t.pieces[all >> queuedShift] = u32(all & piecesMask);
			t.rowPieces = u32(rows & piecesMask);
		}
		__syncthreads();
		return all;
	}

	// sumBefore returns the sum of x over the threads before this one. all becomes that over the block. All threads of the block
	// must call it.
	__device__ static u64 sumBefore(u64 x, u64 &all) {
		static_assert(warps == 32);
		u64 *const ofWarp = reinterpret_cast<u64 *>(shared<TopDown>().found);
		const u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32;
		const u64 with = inclusiveSum(x);
		if (lane == 31)
			ofWarp[warp] = with;
		__syncthreads();
		const u64 mine = ofWarp[lane], upTo = inclusiveSum(mine);
		__syncthreads();
		all = __shfl_sync(~0u, upTo, 31);
		return __shfl_sync(~0u, upTo - mine, warp) + with - x;
	}

	// Share is the block's share of some pieces: from `from` to end-1.
	struct Share {
		u32 from, end;

		__device__ explicit Share(u32 pieces) {
			const u32 each = max(32u, (pieces + gridDim.x - 1) / gridDim.x);
			from = u32(min(u64(pieces), u64(blockIdx.x) * each)), end = min(pieces, from + each);
		}
	};

	// expandRoot expands the root alone, a hub or a row with this label and these lists.
	__device__ void expandRoot(u32 vertex, u32 label, const Lists &l) const {
		if (threadIdx.x == 0)
			load(0, vertex, label, 0, l);
		__syncthreads();
		const Share share(l.hubPieces + l.rowPieces);
		gather(1, share.from, share.end, 0);
		flush(0);
	}

	// gatherRows handles the rows of the frontier, if all of it is in the tile: count entries, with which the queue ends.
	__device__ void gatherRows(u32 count) const {
		const Share share(shared<TopDown>().rowPieces);
		gather(count, share.from, share.end, count);
	}

	// expand expands the frontier: count entries of the queue from begin on, with that many pieces. loaded: they are all in the
	// tile.
	__device__ void expand(u32 begin, u32 count, u32 pieces, bool loaded) const {
		TopDown &t = shared<TopDown>();
		const u32 tid = threadIdx.x, end = begin + count;
		const Share share(pieces);
		const u32 from = share.from, to = share.end;
		if (loaded)
			gather(count, from, to, end);
		else if (from < to) {
			u32 lo = 0, hi = count; // the last entry that begins at or before from
			while (hi - lo > 1) {
				const u32 stride = (hi - lo + THREADS - 1) / THREADS, i = lo + tid * stride;
				const u32 before = __syncthreads_count(i < hi && __ldcg(g.queue + begin + i).y <= from);
				lo += (before - 1) * stride;
				hi = min(hi, lo + stride);
			}
			for (; lo < count; lo += THREADS) {
				const u32 here = min(THREADS, count - lo);
				__syncthreads();
				if (tid < here) {
					const uint4 x = __ldcg(g.queue + begin + lo + tid);
					load(tid, x.x, labelOf(x.x), x.y, listsOf(x.x, ofAll));
				}
				if (tid == 0)
					t.pieces[here] = lo + here < count ? __ldcg(g.queue + begin + lo + here).y : pieces;
				__syncthreads();
				if (t.pieces[0] >= to)
					break;
				gather(here, max(from, t.pieces[0]), min(to, t.pieces[here]), end);
			}
		}
		flush(end);
	}
};
