// The last top-down level before the dense pass. It can find millions of rows. With atomic operations on a
// bitmap in global memory a block would mark them at 62 rows a ns, which took up to half of a search.
// So blocks mark in shared memory:
//
//   - rows: each block those of a range of its own, because the lists of the hubs' rows are in the order of the ranges
//   - hubs: each block those in the same part of all lists of hubs, which are in the order of the ranking, so that
//     most of what it finds it finds often
#pragma once
#include "rows.cuh"
#include "topdown.cuh"

// LastLevel is what a block does of the level.
struct LastLevel {
	const Level &level;

	// expand expands the frontier: count entries of the queue from begin on, which ends before entry
	// begin + count.
	__device__ void expand(u32 begin, u32 count) const {
		for (u32 i = threadIdx.x; i < hubWords; i += THREADS)
			hubBits()[i] = __ldcg(g.hubsBefore + i) | (i == noHub / 32 ? 1u << noHub % 32 : 0);
		__syncthreads();
		expandRows(begin, count);
		eachTile([&](u32 hubs) { markHubs(hubs); });
		for (u32 range = blockIdx.x; range < g.ranges; range += gridDim.x)
			markRange(range);
	}

private:
	// expandRows follows the lists of the rows of the frontier. A block has every gridDim.x-th entry.
	__device__ void expandRows(u32 begin, u32 count) const {
		TopDown &t = shared<TopDown>();
		for (u32 base = blockIdx.x; base < count; base += gridDim.x * THREADS) {
			const u32 i = base + threadIdx.x * gridDim.x, vertex = i < count ? __ldcg(g.queue + begin + i).x : none;
			const Lists l = vertex & hubFlag ? Lists{} : listsOf(vertex, level.ofAll);
			const u32 pieces = l.hubPieces + l.rowPieces;
			const u64 before = reserve(&fixed().sum, pieces ? 1ull << 32 | pieces : 0);
			if (pieces)
				level.load(u32(before >> 32), vertex, labelOf(vertex), u32(before), l);
			__syncthreads();
			const u32 entries = fixed().sum >> 32, all = u32(fixed().sum);
			emptyTile(); // flush uses the sum, too
			if (threadIdx.x == 0)
				t.pieces[entries] = all;
			__syncthreads();
			level.gather(entries, 0, all, begin + count);
		}
		level.flush(begin + count);
	}

	// eachTile writes the hubs of the frontier to the tile, and calls what(their number) for each tile.
	template <typename What> __device__ void eachTile(What what) const {
		constexpr u32 each = hubWords / THREADS;
		MarkTile &s = shared<MarkTile>();
		u32 bits[each], mine = 0;
#pragma unroll
		for (u32 k = 0; k < each; k++) {
			bits[k] = __ldcg(frontier(level.level) + threadIdx.x * each + k);
			mine += __popc(bits[k]);
		}
		const u32 before = u32(reserve(&fixed().sum, mine));
		__syncthreads();
		const u32 hubs = u32(fixed().sum);
		emptyTile();
		for (u32 base = 0; base < hubs; base += MarkTile::capacity) {
			u32 place = before - base; // of the thread's hubs
#pragma unroll
			for (u32 k = 0; k < each; k++)
				for (u32 rest = bits[k]; rest; rest &= rest - 1, place++)
					if (place < MarkTile::capacity)
						s.item[place] = (threadIdx.x * each + k) * 32 + __ffs(rest) - 1;
			__syncthreads();
			what(min(hubs - base, MarkTile::capacity));
			emptyTile();
		}
	}

	// loadTile replaces the hubs of the tile by parts of their lists: partOf(hub) returns the first piece and the
	// number of pieces.
	template <typename PartOf> __device__ static void loadTile(u32 hubs, PartOf partOf) {
		constexpr u32 each = MarkTile::capacity / THREADS;
		MarkTile &s = shared<MarkTile>();
		u32 hub[each];
		uint2 part[each];
#pragma unroll
		for (u32 k = 0; k < each; k++) {
			const u32 i = k * THREADS + threadIdx.x;
			hub[k] = i < hubs ? s.item[i] : 0;
			part[k] = i < hubs ? partOf(hub[k]) : uint2{};
		}
		__syncthreads();
#pragma unroll
		for (u32 k = 0; k < each; k++) {
			const u64 place = reserve(&fixed().sum, part[k].y ? 1ull << 32 | part[k].y : 0);
			if (!part[k].y)
				continue;
			const u32 j = u32(place >> 32);
			s.pieces[j] = u32(place);
			s.item[j] = hub[k];
			s.at[j] = part[k].x;
		}
		__syncthreads();
	}

	// eachPiece calls what(hub, piece) for the pieces of the parts of the tile.
	template <typename What> __device__ static void eachPiece(const Pieces &of, What what) {
		constexpr u32 each = 4;
		const MarkTile &s = shared<MarkTile>();
		const u32 entries = fixed().sum >> 32, pieces = u32(fixed().sum);
		for (u32 base = threadIdx.x; base < pieces; base += each * THREADS) {
			u32 hub[each];
			uint4 piece[each];
#pragma unroll
			for (u32 k = 0; k < each; k++) {
				const u32 p = base + k * THREADS;
				hub[k] = noHub;
				piece[k] = noHubs();
				if (p < pieces) {
					const u32 j = lastAtOrBefore(s.pieces, entries, p);
					hub[k] = s.item[j];
					piece[k] = pieceOnce(of, s.at[j] + (p - s.pieces[j]));
				}
			}
#pragma unroll
			for (u32 k = 0; k < each; k++)
				if (hub[k] != noHub)
					what(hub[k], piece[k]);
		}
	}

	// markHubs marks the hubs next to the hubs of the tile, in the block's part of each list.
	__device__ void markHubs(u32 hubs) const {
		loadTile(hubs, [&](u32 hub) {
			u32 at = __ldg(g.hubListAt + hub), pieces = __ldg(g.hubListAt + hub + 1) - at;
			if (!level.ofAll)
				ownPart(at, pieces);
			const u32 from = u32(u64(pieces) * blockIdx.x / gridDim.x), end = u32(u64(pieces) * (blockIdx.x + 1) / gridDim.x);
			return make_uint2(at + from, end - from);
		});
		eachPiece(g.hubLists, [&](u32 hub, const uint4 &piece) { level.markHubs(piece, __ldg(g.hubLabels + hub)); });
	}

	// markRange marks the rows of a range that are next to a hub of the frontier, and records the hub.
	__device__ void markRange(u32 range) const {
		const u32 first = g.firstRow + range * g.rangeRows, rows = first < g.singleEnd ? min(g.rangeRows, g.singleEnd - first) : 0;
		u32 *const marks = shared<MarkTile>().marks;
		for (u32 w = threadIdx.x; w < rows / 32; w += THREADS)
			marks[w] = __ldcg(g.before + first / 32 + w);
		eachTile([=](u32 hubs) {
			loadTile(hubs, [=](u32 hub) {
				const u32 *starts = g.hubRangeAt + u64(hub) * (g.ranges + 1) + range;
				const u32 from = __ldg(starts), end = __ldg(starts + 1), at = __ldg(g.hubRowAt + hub);
				return make_uint2(at + from / 4, end > from ? (end + 3) / 4 - from / 4 : 0);
			});
			eachPiece(g.hubRowList, [=](u32 hub, const uint4 &piece) {
				const u32 x[4] = {piece.x, piece.y, piece.z, piece.w};
#pragma unroll
				for (u32 row : x) {
					const u32 i = row - first; // of another range's row, it is not below `rows`
					if (i >= rows || bitOf(marks[i >> 5], i))
						continue;
					setBit(marks, i);
					if (row < g.hubRows) // others have the parent that is their first neighbour
						g.markedBy[row - g.firstRow] = u16(hub);
				}
			});
		});
		for (u32 w = threadIdx.x; w < rows / 32; w += THREADS)
			if (marks[w] & ~__ldcg(g.before + first / 32 + w)) // what other blocks have found meanwhile stays
				atomicOr(g.before + first / 32 + w, marks[w]);
		__syncthreads();
	}
};
