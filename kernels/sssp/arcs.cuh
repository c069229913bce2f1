// Where the arcs of a row lie: in g.arcs, or, in kernels that are compiled for split rows,
// the first ones there and the others, the row's tail, in host memory
// (construct.Split).
#pragma once
#include "owners.cuh"

#ifdef SPLIT_ROWS

#ifdef SEVERAL_DEVICES
__constant__ PeerTails tails;
#else
__constant__ Tails tails;
#endif

// Arcs is the arcs of a row from one on.
struct Arcs {
	u64 start;  // of the row in g.arcs
	u32 before; // arcs of the row before these

	__device__ inline Arcs from(u32 n) const { return Arcs{start, before + n}; }

	// at returns the address of arc i, which must exist.
	__device__ inline const uint2 *at(u64 i) const {
		i += before;
#ifdef SEVERAL_DEVICES // the owner of the row has both parts of it
		const uint2 *front = arcsAt(start);
		if (i < tails.prefix)
			return front + i;
		return tails.tails[start >> ownerShift] + __ldg(reinterpret_cast<const u64 *>(front) + tails.prefix) + (i - tails.prefix);
#else
		if (i < tails.prefix)
			return g.arcs + start + i;
		const u64 tail = __ldg(reinterpret_cast<const u64 *>(g.arcs) + start + tails.prefix);
		return tails.tails + tail + (i - tails.prefix);
#endif
	}

	__device__ inline uint2 cachedIf(bool on, u64 i, uint2 otherwise) const { return ::cachedIf(on, on ? at(i) : g.arcs, otherwise); }

	// prefetchIf prefetches arc i, unless it is in host memory.
	__device__ inline void prefetchIf(bool on, u32 i) const { ::prefetchIf(on && before + i < tails.prefix, arcsAt(start) + before + i); }
};

#else

struct Arcs {
	u64 start;

	__device__ inline Arcs from(u32 n) const { return Arcs{start + n}; }
	__device__ inline const uint2 *at(u64 i) const { return arcsAt(start) + i; }
	__device__ inline uint2 cachedIf(bool on, u64 i, uint2 otherwise) const { return ::cachedIf(on, at(i), otherwise); }
	__device__ inline void prefetchIf(bool on, u32 i) const { ::prefetchIf(on, at(i)); }
};

#endif
