// The last top-down level before the dense pass. It can find millions of rows. With atomic operations on a
// bitmap in global memory a block would mark them at 62 rows a ns, which took up to half of a search.
// So blocks mark in shared memory:
//
//   - rows: each block those of a range of its own, because the lists of the hubs' rows are in the order of the ranges
//   - hubs: each block those in the same part of all lists of hubs, which are in the order of the ranking, so that
//     most of what it finds it finds often
//
// Hubs are noted in shared memory, too, if the range is small: the GPU takes 46 notes of two bytes a ns.
//
// Each step is a chain of latencies. So both lists of a hub are in the same tile, and marks begin empty: what was
// found before is in the queue, which replaces its parent later, or is the root (storeHubs).
#pragma once
#include "rows.cuh"
#include "topdown.cuh"

// LastLevel is what a block does of the level.
struct LastLevel {
	const Level &level;

	// expand expands the frontier: count entries of the queue from begin on, which ends before entry
	// begin + count. loaded: they are all in the tile.
	__device__ void expand(u32 begin, u32 count, bool loaded) const {
		u32 visited[ownWords], hubs[ownWords]; // the thread's words of bitmaps of hubs
#pragma unroll
		for (u32 k = 0; k < ownWords; k++) {
			visited[k] = __ldcg(g.hubsBefore + word(k)) | (word(k) == noHub / 32 ? 1u << noHub % 32 : 0);
			hubs[k] = __ldcg(frontier(level.level) + word(k));
		}
#pragma unroll
		for (u32 k = 0; k < ownWords; k++)
			hubBits()[word(k)] = visited[k];
		__syncthreads();
		if (loaded)
			level.gatherRows(count);
		else
			expandRows(begin, count);
		level.flush(begin + count);
		expandHubs(hubs);
		// A word takes one atomic operation. One for each hub made this the longest part of the level.
#pragma unroll
		for (u32 k = 0; k < ownWords; k++)
			if (const u32 found = hubBits()[word(k)] & ~visited[k])
				atomicOr(level.next() + word(k), found);
	}

private:
	static constexpr u32 ownWords = hubWords / THREADS;

	__device__ static u32 word(u32 k) { return threadIdx.x * ownWords + k; }

	// expandRows follows the lists of the rows of the frontier. Teams of blocks have every teams-th entry, and each block a
	// part of its lists, because one list can take as long as all others together.
	__device__ void expandRows(u32 begin, u32 count) const {
		TopDown &t = shared<TopDown>();
		const u32 teams = min(gridDim.x, (count + THREADS - 1) / THREADS), parts = gridDim.x / max(1u, teams);
		const u32 team = blockIdx.x / parts, part = blockIdx.x % parts;
		for (u32 base = team; team < teams && base < count; base += teams * THREADS) {
			const u32 i = base + threadIdx.x * teams, vertex = i < count ? __ldcg(g.queue + begin + i).x : none;
			const Lists l = vertex & hubFlag ? Lists{} : listsOf(vertex, level.ofAll);
			const u64 all = l.hubPieces + l.rowPieces;
			const u32 skip = u32(all * part / parts), pieces = u32(all * (part + 1) / parts) - skip;
			const u64 before = reserve(&fixed().sum, pieces ? 1ull << 32 | pieces : 0);
			if (pieces)
				level.load(u32(before >> 32), vertex, labelOf(vertex), u32(before), l, skip);
			__syncthreads();
			const u32 entries = fixed().sum >> 32, ofBlock = u32(fixed().sum);
			emptyTile(); // flush uses the sum, too
			if (threadIdx.x == 0)
				t.pieces[entries] = ofBlock;
			__syncthreads();
			level.gather(entries, 0, ofBlock, begin + count);
		}
	}

	// expandHubs follows the lists of the hubs of the frontier, whose words the threads have.
	__device__ void expandHubs(const u32 (&words)[ownWords]) const {
		MarkTile &s = shared<MarkTile>();
		u32 mine = 0;
#pragma unroll
		for (u32 word : words)
			mine += __popc(word);
		const u32 before = u32(reserve(&fixed().sum, mine));
		__syncthreads();
		const u32 hubs = u32(fixed().sum);
		emptyTile();
		for (u32 base = 0; base < hubs; base += MarkTile::mostHubs) {
			u32 place = before - base; // of the thread's hubs
#pragma unroll
			for (u32 k = 0; k < ownWords; k++)
				for (u32 rest = words[k]; rest; rest &= rest - 1, place++)
					if (place < MarkTile::mostHubs)
						s.hub[place] = word(k) * 32 + __ffs(rest) - 1;
			u32 range = blockIdx.x;
			do {
				markRange(range, min(hubs - base, MarkTile::mostHubs), range == blockIdx.x);
				range += gridDim.x;
			} while (range < g.ranges);
		}
	}

	// Part is rows of a range: from `first` on, with marks from `mark` on.
	struct Part {
		u32 first, rows, mark;

		__device__ Part(u32 range, u32 begin, u32 end, u32 each, u32 mark)
		    : first(begin + range * each), rows(range < g.ranges && first < end ? min(each, end - first) : 0), mark(mark) {}

		// clear and store move the marks of the part.
		__device__ void clear(u32 *marks) const {
			for (u32 w = threadIdx.x; w < rows / 32; w += THREADS)
				marks[mark / 32 + w] = 0;
		}
		__device__ void store(const u32 *marks) const {
			for (u32 w = threadIdx.x; w < rows / 32; w += THREADS)
				if (const u32 found = marks[mark / 32 + w])
					atomicOr(g.before + first / 32 + w, found); // other blocks find rows of rows meanwhile
		}
	};

	// markRange marks the rows of a range that are next to a hub of the tile, and records the hub; withHubs, also the hubs next
	// to it, in the block's part of each list.
	__device__ void markRange(u32 range, u32 hubs, bool withHubs) const {
		const Part rows(range, g.firstRow, g.hubRows, g.rangeRows, 0), singles(range, g.hubRows, g.singleEnd, g.rangeSingle, g.rangeRows);
		u32 *const marks = shared<MarkTile>().marks;
		rows.clear(marks);
		singles.clear(marks);
		__syncthreads();
		loadTile(range, hubs, withHubs);
		eachPiece([=](u32 item, const uint4 &piece) {
			if (item & hubFlag)
				level.markHubs(piece, item & ~hubFlag);
			else
				markRows(rows, singles, item, piece);
		});
		emptyTile();
		rows.store(marks);
		singles.store(marks);
		if (g.noted)
			for (u32 i = threadIdx.x; i < rows.rows; i += THREADS)
				if (bitOf(marks[i >> 5], i))
					g.markedBy[rows.first - g.firstRow + i] = shared<MarkTile>().notes[i];
		__syncthreads();
	}

	// markRows marks four rows, as far as they are in the range, and records the hub.
	__device__ static void markRows(const Part &rows, const Part &singles, u32 hub, const uint4 &piece) {
		u32 *const marks = shared<MarkTile>().marks;
		const u32 x[4] = {piece.x, piece.y, piece.z, piece.w};
		u32 mark[4], word[4];
#pragma unroll
		for (int k = 0; k < 4; k++) {
			const bool isSingle = x[k] >= g.hubRows;
			const u32 i = x[k] - (isSingle ? singles.first : rows.first); // of another range's row, it is too large
			mark[k] = isSingle ? singles.mark + i : i;
			word[k] = i < (isSingle ? singles.rows : rows.rows) ? marks[mark[k] >> 5] : ~0u;
		}
#pragma unroll
		for (int k = 0; k < 4; k++) {
			if (bitOf(word[k], mark[k]))
				continue;
			setBit(marks, mark[k]);
			if (x[k] >= g.hubRows)
				continue; // its parent is its first neighbour
			if (g.noted)
				shared<MarkTile>().notes[mark[k]] = u16(hub);
			else
				g.markedBy[x[k] - g.firstRow] = u16(hub);
		}
	}

	// loadTile fills the entries of the tile with the lists of its hubs: withHubs first the block's parts of the lists of hubs,
	// then the rows of the range.
	__device__ void loadTile(u32 range, u32 hubs, bool withHubs) const {
		constexpr u32 each = MarkTile::mostHubs / THREADS;
		u32 hub[each], label[each];
		uint2 ofHubs[each], ofRows[each]; // the first piece and the number of pieces
#pragma unroll
		for (u32 k = 0; k < each; k++) {
			const u32 i = k * THREADS + threadIdx.x;
			hub[k] = label[k] = 0;
			ofHubs[k] = ofRows[k] = uint2{};
			if (i >= hubs)
				continue;
			hub[k] = shared<MarkTile>().hub[i];
			if (withHubs) {
				label[k] = __ldg(g.hubLabels + hub[k]);
				ofHubs[k] = blockPart(hub[k]);
			}
			if (range < g.ranges)
				ofRows[k] = rangePart(hub[k], range);
		}
#pragma unroll
		for (u32 k = 0; k < each; k++)
			if (withHubs && k * THREADS < hubs)
				addToTile(shared<MarkTile>(), hubFlag | label[k], ofHubs[k].x, ofHubs[k].y);
		__syncthreads();
#pragma unroll
		for (u32 k = 0; k < each; k++)
			if (k * THREADS < hubs)
				addToTile(shared<MarkTile>(), hub[k], ofRows[k].x, ofRows[k].y);
		__syncthreads();
	}

	// blockPart returns the block's part of the list of hubs of a hub.
	__device__ uint2 blockPart(u32 hub) const {
		u32 at = __ldg(g.hubListAt + hub), pieces = __ldg(g.hubListAt + hub + 1) - at;
		if (!level.ofAll)
			ownPart(at, pieces);
		const u32 from = u32(u64(pieces) * blockIdx.x / gridDim.x), end = u32(u64(pieces) * (blockIdx.x + 1) / gridDim.x);
		return make_uint2(at + from, end - from);
	}

	// rangePart returns the rows of a range in the list of a hub.
	__device__ static uint2 rangePart(u32 hub, u32 range) {
		const u32 *starts = g.hubRangeAt + u64(hub) * (g.ranges + 1) + range;
		const u32 from = __ldg(starts), end = __ldg(starts + 1), at = __ldg(g.hubRowAt + hub);
		return make_uint2(at + from / 4, end > from ? (end + 3) / 4 - from / 4 : 0);
	}

	// eachPiece calls what(item, piece) for the pieces of the entries of the tile.
	template <typename What> __device__ static void eachPiece(What what) {
		constexpr u32 each = 4;
		const MarkTile &s = shared<MarkTile>();
		const u32 entries = fixed().sum >> 32, pieces = u32(fixed().sum);
		for (u32 base = threadIdx.x; base < pieces; base += each * THREADS) {
			u32 j[each] = {}; // the entries, by binary searches beside each other
			uint4 piece[each];
			for (u32 step = MarkTile::capacity / 2; step > 0; step /= 2)
				if (step < entries)
#pragma unroll
					for (u32 k = 0; k < each; k++)
						if (j[k] + step < entries && s.pieces[j[k] + step] <= base + k * THREADS)
							j[k] += step;
#pragma unroll
			for (u32 k = 0; k < each; k++) {
				const u32 p = base + k * THREADS, at = s.at[j[k]] + (p - s.pieces[j[k]]);
				piece[k] = noHubs();
				if (p < pieces)
					piece[k] = s.item[j[k]] & hubFlag ? pieceOnce(g.hubLists, at) : pieceOnce(g.hubRowList, at);
			}
#pragma unroll
			for (u32 k = 0; k < each; k++)
				if (base + k * THREADS < pieces)
					what(s.item[j[k]], piece[k]);
		}
	}
};
