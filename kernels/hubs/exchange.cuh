// What devices take from each other at the end of a top-down level, and in the dense level. For
// one device nothing of it is left.
#pragma once
#include "rows.cuh"
#include "topdown.cuh"

// Frontier is that of all devices: the number of hubs and rows, and of the pieces of their lists,
// by device on average.
struct Frontier {
	u32 count;
	u64 pieces;
};

#ifndef SEVERAL_DEVICES

__device__ inline void prepareExchange() {}
__device__ inline void emptyFinds() {}
__device__ inline bool mustFilter(u64) { return false; }
__device__ inline u32 takeFollowed(u32) { return 0; }
__device__ inline u32 hubsByRows(Meeting &) { return 0; }

// takeFinds returns the frontier after a level, which is in the queue.
__device__ inline Frontier takeFinds(Meeting &, const Level &l, u32) {
	const u64 packed = __ldcg(g.control->queued + (l.level + 1 & 3));
	return {u32(packed >> queuedShift), packed & piecesMask};
}

// joinQueues waits until the queues of the frontier after a level are complete.
__device__ inline Frontier joinQueues(Meeting &barrier, const Level &l) {
	barrier.own.wait(0);
	return takeFinds(barrier, l, 0);
}

#else

// prepareExchange empties what a search needs empty.
__device__ inline void prepareExchange() {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < hubWords; i += gridDim.x * THREADS)
		m.leftHubs[i] = m.foundHubs[i] = 0;
	if (blockIdx.x == 0 && threadIdx.x < 2 * maxPeers)
		m.control->offered[threadIdx.x / maxPeers][threadIdx.x % maxPeers] = 0;
}

// emptyFinds empties the bitmaps of hubs that the device has found.
__device__ inline void emptyFinds() {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < frontiers * hubWords; i += gridDim.x * THREADS)
		g.frontiers[i] = 0;
}

// mustFilter returns whether so many pieces can have more rows of another device than there is
// room for.
__device__ inline bool mustFilter(u64 pieces) { return 4 * pieces > m.leastOffers; }

// eachOffer calls take(row, parent) for what other devices offer in an exchange, and then
// afterBatch(), which all threads call. It empties the device's offers of the next exchange.
template <typename Take, typename AfterBatch> __device__ inline void eachOffer(u32 turn, Take take, AfterBatch afterBatch) {
	if (blockIdx.x == 0 && threadIdx.x < maxPeers)
		m.control->offered[~turn & 1][threadIdx.x] = 0;
	for (u32 i = 1; i < m.count; i++) {
		const Peer &p = m.peers[m.own + i < m.count ? m.own + i : m.own + i - m.count];
		const u32 count = loadIf(true, &p.control->offered[turn & 1][m.own], 0);
		for (u32 base = blockIdx.x * THREADS; base < count; base += gridDim.x * THREADS) {
			const u32 k = base + threadIdx.x;
			if (k < count) {
				const uint2 x = loadIf(true, p.offers + g.firstRow + k, uint2{});
				take(x.x, x.y);
			}
			afterBatch();
		}
	}
}

// joinQueues waits until the queues of the frontier after a level are complete on all devices.
__device__ inline Frontier joinQueues(Meeting &barrier, const Level &) {
	Shared &s = fixed();
	u64 count = 0, pieces = 0;
	if (threadIdx.x == 0) {
		count = s.counted, pieces = s.pieces;
		s.counted = 0, s.pieces = 0;
	}
	u64 allPieces;
	const u64 all = barrier.all.waitTwo(count, pieces, allPieces);
	return {u32(all), allPieces / m.count};
}

// takeParents takes the parents of own hubs, bits of word w, that other devices have found. bitsOf(p)
// returns the word of a device.
template <typename BitsOf> __device__ inline void takeParents(u32 w, u32 bits, BitsOf bitsOf) {
	for (; bits; bits &= bits - 1) {
		const u32 h = w * 32 + __ffs(bits) - 1;
		if (!isOwnLabel(__ldg(g.hubLabels + h)))
			continue;
		for (u32 p = 0; p < m.count; p++)
			if (p != m.own && bitOf(bitsOf(m.peers[p]), h)) {
				g.hubParents[h] = loadIf(true, m.peers[p].hubParents + h, none);
				break;
			}
	}
}

// takeFinds takes what other devices have found for the device in a level, behind entry queueEnd
// of the queue: own rows, and all hubs. It returns the next frontier.
__device__ __noinline__ Frontier takeFinds(Meeting &barrier, const Level &l, u32 queueEnd) {
	eachOffer(
		l.turn,
		[&](u32 row, u32 parent) {
			if (!bitOf(atomicOr(g.before + (row >> 5), 1u << (row & 31)), row))
				l.push(row, parent);
		},
		[&] { l.flushIfFull(queueEnd); });
	const u32 offset = (l.level + 1) % frontiers * hubWords;
	for (u32 base = 0; base * gridDim.x < hubWords; base += THREADS) {
		const u32 w = (base + threadIdx.x) * gridDim.x + blockIdx.x;
		u32 bits = 0;
		if (w < hubWords) {
			const auto bitsOf = [=](const Peer &p) { return loadIf(true, p.frontiers + offset + w, 0); };
			u32 all = 0;
			for (u32 p = 0; p < m.count; p++)
				all |= bitsOf(m.peers[p]);
			const u32 others = all & ~bitsOf(m.peers[m.own]);
			m.frontier[w] = all;
			if (l.expansion != last) {
				bits = all;
				if (others)
					g.hubsBefore[w] = __ldcg(g.hubsBefore + w) | others;
			}
			takeParents(w, others, bitsOf);
		}
		if (l.expansion != last)
			l.enqueue(bits, hubFlag | w * 32, queueEnd, [](u32 hub) { return __ldcg(g.hubParents + (hub & ~hubFlag)); });
	}
	l.flush(queueEnd);
	return joinQueues(barrier, l);
}

// takeFollowed gives the own rows that other devices have found by following their rows of the
// frontier their parents. It returns the number that the thread found.
__device__ __noinline__ u32 takeFollowed(u32 turn) {
	u32 found = 0;
	eachOffer(
		turn,
		[&](u32 row, u32 parent) {
			if (!bitOf(atomicOr(g.visited + (row >> 5), 1u << (row & 31)), row)) {
				g.parents[__ldg(g.rowLabels + row)] = parent;
				found++;
			}
		},
		[] {});
	return found;
}

// hubsByRows lets the hubs that have no hub of the frontier as a neighbour look for a row of the
// frontier, each device among its rows. It returns the number of those that have none, times the
// number of devices.
__device__ __noinline__ u32 hubsByRows(Meeting &barrier) {
	const u32 lane = threadIdx.x & 31;
	const auto leftOf = [](u32 w) {
		u32 left = 0;
		for (u32 p = 0; p < m.count; p++)
			left |= loadIf(true, m.peers[p].leftHubs + w, 0);
		return left;
	};
	for (u32 w = threadIdx.x / 32 * gridDim.x + blockIdx.x; w < hubWords; w += gridDim.x * warps)
		for (u32 rest = leftOf(w); rest; rest &= rest - 1) {
			const u32 hub = w * 32 + __ffs(rest) - 1, row = frontierRow(hub);
			if (row != none && lane == 0) {
				g.hubParents[hub] = __ldg(g.rowLabels + row);
				setBit(m.foundHubs, hub);
			}
		}
	barrier.sum(0);
	u32 count = 0;
	for (u32 w = blockIdx.x * THREADS + threadIdx.x; w < hubWords; w += gridDim.x * THREADS) {
		const auto bitsOf = [=](const Peer &p) { return loadIf(true, p.foundHubs + w, 0); };
		u32 found = 0;
		for (u32 p = 0; p < m.count; p++)
			found |= bitsOf(m.peers[p]);
		takeParents(w, found & ~bitsOf(m.peers[m.own]), bitsOf);
		const u32 left = leftOf(w) & ~found;
		m.leftHubs[w] = left;
		count += __popc(left);
	}
	return u32(barrier.sum(count));
}

#endif
