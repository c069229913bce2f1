// What devices take from each other at the end of a top-down level, and in the dense level. For
// one device nothing of it is left.
#pragma once
#include "rows.cuh"
#include "topdown.cuh"

#ifndef SEVERAL_DEVICES

// Frontier is that of all devices: the number of hubs and rows, and of the pieces of their lists that the devices follow.
struct Frontier {
	u64 packed; // count << queuedShift | pieces

	__device__ static Frontier of(u64 packed) { return {packed}; }
	__device__ u32 count() const { return packed >> queuedShift; }
	__device__ u64 pieces() const { return packed & piecesMask; }

	// The same of this device's queue.
	__device__ u32 ownCount() const { return count(); }
	__device__ u64 ownPieces() const { return pieces(); }
};

__device__ inline void prepareExchange() {}
__device__ inline void emptyFinds() {}
__device__ inline bool mustFilter(u64) { return false; }
__device__ inline u32 takeFollowed(u32) { return 0; }
__device__ inline u32 hubsByRows(Meeting &) { return 0; }
__device__ inline bool knowsLate() { return false; }
__device__ inline u32 lateCount() { return 0; }
__device__ inline const uint4 *lateEntry(u32) { return nullptr; }
__device__ inline Frontier takeOfAll(Meeting &, const Level &, bool &) { return {}; }

// findersOf returns those of a word of hubs that are left which a device has found. parent becomes that
// of the lane's hub, if it was found and is an own one, else none. All lanes of the warp must call it.
__device__ inline u32 findersOf(u32 w, u32 left, u32 &parent) {
	const u32 found = left & __ldcg(foundLeft() + w);
	parent = bitOf(found, threadIdx.x) ? __ldcg(g.hubParents + (w * 32 + (threadIdx.x & 31))) : none;
	return found;
}

// takeFinds returns the frontier after a level, which is in the queue.
__device__ inline Frontier takeFinds(Meeting &, const Level &l, u32) {
	return {__ldcg(g.control->queued + (l.level + 1 & 3))};
}

// joinQueues waits until the queues of the frontier after a level are complete.
__device__ inline Frontier joinQueues(Meeting &barrier, const Level &l) {
	barrier.own.wait(0);
	return takeFinds(barrier, l, 0);
}

#else

// Frontier is the same here. After a level of all devices, the pieces are an estimate, and the count can be one of the device.
struct Frontier {
	u32 countOfAll;
	u64 piecesOfAll;
	u64 own; // of this device's queue, packed

	// The frontier of one device, packed, that all have.
	__device__ static Frontier of(u64 packed) { return {u32(packed >> queuedShift), packed & piecesMask, packed}; }
	__device__ u32 count() const { return countOfAll; }
	__device__ u64 pieces() const { return piecesOfAll; }
	__device__ u32 ownCount() const { return own >> queuedShift; }
	__device__ u64 ownPieces() const { return own & piecesMask; }
};

// prepareExchange empties what a search needs empty.
__device__ inline void prepareExchange() {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < hubWords; i += gridDim.x * THREADS)
		m.leftHubs[i] = m.foundHubs[i] = 0;
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < frontiers * hubWords; i += gridDim.x * THREADS)
		m.frontiers[i] = 0;
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

// offeredRows returns the numbers of rows that other devices offer, in shared memory.
__device__ inline u32 *offeredRows() {
	__shared__ u32 numbers[maxPeers];
	return numbers;
}

// countOffers learns how many rows the other devices offer in an exchange, which eachOffer takes
// after a barrier of the block. It empties the device's offers of the next exchange.
__device__ inline void countOffers(u32 turn) {
	if (threadIdx.x < m.count)
		offeredRows()[threadIdx.x] = loadIf(threadIdx.x != m.own, &m.peers[threadIdx.x].control->offered[turn & 1][m.own], 0);
	if (blockIdx.x == 0 && threadIdx.x < maxPeers)
		m.control->offered[~turn & 1][threadIdx.x] = 0;
}

// offersEach is the number of offers that a thread takes at a time.
constexpr u32 offersEach = 4;

// eachOffer calls take(row, parent) for what other devices offer and is not in a bitmap of rows yet, and then afterBatch(),
// which all threads call.
template <typename Take, typename AfterBatch> __device__ inline void eachOffer(u32 *bitmap, Take take, AfterBatch afterBatch) {
	const u32 step = gridDim.x * THREADS;
	u32 total = 0;
	for (u32 p = 0; p < m.count; p++)
		total += offeredRows()[p];
	for (u32 base = blockIdx.x * THREADS; base < total; base += offersEach * step) {
		uint2 x[offersEach];
		bool on[offersEach];
		u32 word[offersEach];
#pragma unroll
		for (u32 k = 0; k < offersEach; k++) {
			u32 i = base + k * step + threadIdx.x, p = 0;
			on[k] = i < total;
			if (on[k])
				for (; i >= offeredRows()[p]; p++)
					i -= offeredRows()[p];
			x[k] = loadIf(on[k], m.peers[p].offers + g.firstRow + i, uint2{});
		}
#pragma unroll
		for (u32 k = 0; k < offersEach; k++)
			word[k] = orIf(on[k], bitmap + (x[k].x >> 5), 1u << (x[k].x & 31), ~0u);
#pragma unroll
		for (u32 k = 0; k < offersEach; k++)
			if (!bitOf(word[k], x[k].x))
				take(x[k].x, x[k].y);
		afterBatch();
	}
}

// joinQueues waits until the queues of the frontier after a level are complete on all devices.
__device__ inline Frontier joinQueues(Meeting &barrier, const Level &l) {
	Shared &s = fixed();
	u64 count = 0, pieces = 0;
	if (threadIdx.x == 0) {
		count = s.counted, pieces = s.pieces;
		s.counted = 0, s.pieces = 0;
	}
	u64 allPieces;
	const u64 all = barrier.all.waitTwo(count, pieces, allPieces);
	return {u32(all), allPieces, __ldcg(g.control->queued + (l.level + 1 & 3))};
}

// takeOfAll returns the frontier after a level of all devices, whose hubs all devices have found. If what these will follow
// suffices for the dense pass, or the level was the last one, the devices need not agree: ofDevice becomes true, and the
// count is that of the queued rows of this device and hubs with labels of it.
__device__ __noinline__ Frontier takeOfAll(Meeting &barrier, const Level &l, bool &ofDevice) {
	Shared &s = fixed();
	const u32 counted = u32(barrier.own.wait(s.counted));
	const u64 own = __ldcg(g.control->queued + (l.level + 1 & 3)), pieces = __ldcg(g.control->estimated + (l.level + 1 & 3));
	ofDevice = !l.toAll && (l.expansion == last || pieces > g.densePieces);
	if (!l.toAll && !ofDevice)
		return joinQueues(barrier, l);
	if (threadIdx.x == 0)
		s.counted = 0, s.pieces = 0;
	return {l.toAll ? u32(own >> queuedShift) : counted, pieces, own};
}

// Finders are the devices that have found hubs, of a word of the hubs' bitmap.
struct Finders {
	u32 all, own; // the word of all devices, and of this one
	u32 first;    // another device that has found the lane's hub, if there is one

	// bitmapOf(p) returns the bitmap of a device. All lanes of the warp have the same w.
	template <typename BitmapOf> __device__ Finders(u32 w, BitmapOf bitmapOf) : all(0), own(0), first(none) {
		constexpr u32 each = 4;
		for (u32 base = 0; base < m.count; base += each) {
			u32 word[each];
#pragma unroll
			for (u32 k = 0; k < each; k++)
				word[k] = loadIf(base + k < m.count, bitmapOf(m.peers[base + k < m.count ? base + k : m.own]) + w, 0);
#pragma unroll
			for (u32 k = 0; k < each; k++) {
				all |= word[k];
				if (base + k == m.own)
					own = word[k];
				else if (first == none && bitOf(word[k], threadIdx.x))
					first = base + k;
			}
		}
	}

	// takeParent returns the parent of the lane's hub, if it was found and is an own one, else none.
	__device__ u32 takeParent(u32 hub) const {
		if (!bitOf(all, hub) || !isOwnLabel(__ldg(g.hubLabels + hub)))
			return none;
		if (bitOf(own, hub))
			return loadIf(true, g.hubParents + hub, none);
		return g.hubParents[hub] = loadIf(true, m.peers[first].hubParents + hub, none);
	}
};

__device__ inline u32 findersOf(u32 w, u32 left, u32 &parent) {
	const Finders f(w, [](const Peer &p) { return p.foundHubs; });
	parent = bitOf(left, threadIdx.x) ? f.takeParent(w * 32 + (threadIdx.x & 31)) : none;
	return left & f.all;
}

// takeFinds takes what other devices have found for the device in a level, behind entry queueEnd
// of the queue: all hubs, and own rows. It returns the next frontier.
__device__ __noinline__ Frontier takeFinds(Meeting &barrier, const Level &l, u32 queueEnd) {
	const u32 lane = threadIdx.x & 31, offset = (l.level + 1) % frontiers * hubWords;
	countOffers(l.turn);
	for (u32 base = 0; base < hubWords; base += gridDim.x * warps) {
		const u32 w = base + threadIdx.x / 32 * gridDim.x + blockIdx.x;
		if (w < hubWords) {
			const Finders f(w, [=](const Peer &p) { return p.frontiers + offset; });
			const u32 hub = w * 32 + lane, parent = f.takeParent(hub);
			if (lane == 0) {
				frontier(l.level + 1)[w] = f.all;
				if (l.expansion != last && f.all & ~f.own)
					g.hubsBefore[w] = __ldcg(g.hubsBefore + w) | f.all;
			}
			if (l.expansion != last && bitOf(f.all, hub))
				l.push(hubFlag | hub, parent);
		}
		l.flushIfFull(queueEnd);
	}
	eachOffer(
		g.before, [&](u32 row, u32 parent) { l.push(row, parent); }, [&] { l.flushIfFull(queueEnd); });
	l.flush(queueEnd);
	return joinQueues(barrier, l);
}

// takeFollowed gives the own rows that other devices have found by following their rows of the
// frontier their parents. It returns the number that the thread found.
__device__ __noinline__ u32 takeFollowed(u32 turn) {
	u32 found = 0;
	countOffers(turn);
	__syncthreads();
	eachOffer(
		g.visited,
		[&](u32 row, u32 parent) {
			storeParent(__ldg(g.rowLabels + row), parent);
			found++;
		},
		[] {});
	return found;
}

// hubsByRows lets the hubs that have no hub of the frontier as a neighbour look for a row of the
// frontier, each device among its rows. It returns the number of those that have none, times the
// number of devices.
__device__ __noinline__ u32 hubsByRows(Meeting &barrier) {
	const u32 lane = threadIdx.x & 31;
	const auto left = [](const Peer &p) { return p.leftHubs; };
	for (u32 w = threadIdx.x / 32 * gridDim.x + blockIdx.x; w < hubWords; w += gridDim.x * warps)
		for (u32 rest = Finders(w, left).all; rest; rest &= rest - 1) {
			const u32 hub = w * 32 + __ffs(rest) - 1, row = frontierRow(hub);
			if (row != none && lane == 0) {
				g.hubParents[hub] = __ldg(g.rowLabels + row);
				setBit(m.foundHubs, hub);
			}
		}
	barrier.sum(0);
	u32 count = 0;
	for (u32 w = threadIdx.x / 32 * gridDim.x + blockIdx.x; w < hubWords; w += gridDim.x * warps) {
		const Finders f(w, [](const Peer &p) { return p.foundHubs; });
		f.takeParent(w * 32 + lane);
		const u32 rest = Finders(w, left).all & ~f.all;
		if (lane == 0) {
			m.leftHubs[w] = rest;
			count += __popc(rest);
		}
	}
	return u32(barrier.sum(count));
}

// lateOf returns the number of rows that a device has left for the late levels, after the barrier that adds them up.
__device__ inline u32 lateOf(u32 device) { return u32(PeerBarrier::ofPeer(device) >> 32); }

// lateCount returns the number of those of all devices.
__device__ inline u32 lateCount() {
	u32 all = 0;
	for (u32 p = 0; p < m.count; p++)
		all += lateOf(p);
	return all;
}

// knowsLate returns whether all devices know all of them (giveLate), and have room for them.
__device__ inline bool knowsLate() {
	bool all = lateCount() <= lateEntries;
	for (u32 p = 0; p < m.count; p++)
		all = all && lateOf(p) <= min(g.aloneRows, mostAlone);
	return all;
}

// lateEntry returns the entry of one of them.
__device__ inline const uint4 *lateEntry(u32 i) {
	u32 p = 0;
	for (; i >= lateOf(p); p++)
		i -= lateOf(p);
	return m.lateRows + 2 * (p * mostAlone + i);
}

#endif
