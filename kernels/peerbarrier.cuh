// The barrier of all blocks of all devices of a search. A search that includes this header
// defines before, from its layout.go: THREADS, maxPeers, its state g with the word stop, the
// structs PeerControl, Peer and Peers, and m, the kernel's description of the devices.
#pragma once
#include "ptx.cuh"

// PeerBarrier is a barrier of all blocks of all devices that also adds up one or two
// numbers per block. The last block of a device to arrive makes all writes of its device
// visible to the others, and writes the device's sums into the memory of each of them.
// Every block polls the words in its own device's memory only.
//
// A barrier's number goes on from search to search, so that no word of an earlier search
// looks like a current one.
struct PeerBarrier {
	u32 round;

	// wait waits for all blocks of all devices and returns the sum of mine over thread 0
	// of each block. The sum of a device must be below 2^54. All threads of all blocks must call it.
	__device__ u64 wait(u64 mine) {
		return wait(mine, [] {});
	}

	// Thread 0 calls after() as in GridBarrier.wait.
	template <typename After> __device__ u64 wait(u64 mine, After after) {
		__syncthreads();
		if (threadIdx.x == 0) {
			arrive<false>(mine, 0);
			after();
		}
		return complete<false>();
	}

	// waitTwo also adds up second, to secondSum.
	__device__ u64 waitTwo(u64 mine, u64 second, u64 &secondSum) {
		return waitTwo(mine, second, secondSum, [] {});
	}

	template <typename After> __device__ u64 waitTwo(u64 mine, u64 second, u64 &secondSum, After after) {
		__syncthreads();
		if (threadIdx.x == 0) {
			arrive<true>(mine, second);
			after();
		}
		const u64 sum = complete<true>();
		secondSum = sums().second;
		return sum;
	}

	// waitSum is GridBarrier.waitSum for all devices.
	template <typename After> __device__ u64 waitSum(u32 mine, u32 ofBlock, After after) { return waitSums<false>(mine, ofBlock, 0, after); }

	// waitSums also adds up second over all blocks if two.
	template <bool two, typename After> __device__ u64 waitSums(u32 mine, u32 ofBlock, u32 second, After after) {
		__shared__ u32 part[THREADS / 32];
		const u32 lane = threadIdx.x & 31;
		mine = __reduce_add_sync(~0u, mine);
		if (lane == 0)
			part[threadIdx.x / 32] = mine;
		__syncthreads();
		if (threadIdx.x < 32) {
			mine = __reduce_add_sync(~0u, lane < THREADS / 32 ? part[lane] : 0);
			if (lane == 0)
				arrive<two>(mine + (u64(ofBlock) << 32), second);
			after();
		}
		return complete<two>();
	}

	// ofPeer and secondOfPeer return the sums of one device at the last barrier.
	__device__ static u64 ofPeer(u32 peer) { return sums().ofPeer[peer]; }
	__device__ static u64 secondOfPeer(u32 peer) { return sums().secondOfPeer[peer]; }

private:
	static constexpr int tagShift = 54; // words are tag << tagShift | sum; the tag is the number of the barrier plus 1
	static constexpr u64 sumMask = (1ull << tagShift) - 1;

	struct Sums {
		u64 ofPeer[maxPeers], secondOfPeer[maxPeers];
		u64 first, second;
	};
	__device__ static Sums &sums() {
		__shared__ Sums s;
		return s;
	}

	__device__ u64 tag() const { return u64(round + 1 & 1023) << tagShift; }

	// place returns the index in Peer.totals of a device's sum.
	__device__ u32 place(u32 which, u32 peer) const { return ((round & 3) * 2 + which) * maxPeers + peer; }

	// arrive counts the block as arrived. Thread 0 calls it.
	template <bool two> __device__ void arrive(u64 mine, u64 second) {
		PeerControl *c = m.control;
		if (two && second)
			atomicAdd(&c->second[round & 3], second);
		fence();
		const u64 sum = atomicAdd(&c->arrivals[round & 3], (1ull << tagShift) + mine) + (1ull << tagShift) + mine;
		if (sum >> tagShift < gridDim.x)
			return;
		fenceSystem();
		const u64 ofSecond = two ? __ldcg(&c->second[round & 3]) : 0;
		for (u32 p = 0; p < m.count; p++) {
			volatile u64 *totals = m.peers[p].totals;
			// Also without a second sum: a word of an old barrier must not keep its
			// tag until the tag comes back.
			totals[place(1, m.own)] = tag() | ofSecond;
			totals[place(0, m.own)] = tag() | (sum & sumMask);
		}
	}

	// await waits for a sum of a device and returns it. After about a second it ends the
	// kernel if the host asks for it: another device has failed, or works alone for so long.
	__device__ u64 await(u32 which, u32 peer) const {
		const u64 *at = m.peers[m.own].totals + place(which, peer);
		u64 word;
		for (u32 polls = 1; ((word = loadAcquireSystem(at)) ^ tag()) >> tagShift; polls++)
			if (polls % (1 << 20) == 0 && *g.stop)
				__trap();
		return word & sumMask;
	}

	// complete waits until all blocks of all devices have arrived and returns the sum.
	template <bool two> __device__ u64 complete() {
		Sums &s = sums();
		if (threadIdx.x < 32) {
			const u32 lane = threadIdx.x;
			u64 first = 0, second = 0;
			if (lane < m.count) {
				first = await(0, lane);
				if (two)
					second = await(1, lane);
				s.ofPeer[lane] = first;
				if (two)
					s.secondOfPeer[lane] = second;
			}
			static_assert(maxPeers <= 16, "the sums are reduced over 16 lanes");
#pragma unroll
			for (int d = 8; d; d /= 2) {
				first += __shfl_down_sync(~0u, first, d);
				if (two)
					second += __shfl_down_sync(~0u, second, d);
			}
			if (lane == 0) {
				s.first = first, s.second = second;
				// All blocks have left the barrier that used these words.
				if (blockIdx.x == 0) {
					m.control->arrivals[(round + 2) & 3] = 0;
					m.control->second[(round + 2) & 3] = 0;
				}
			}
		}
		round++;
		__syncthreads();
		return s.first;
	}
};
