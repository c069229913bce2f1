// What the kernels of validation share: the facts that reach the host, and the
// three forms of a table that has an entry for each vertex.
#pragma once
#include "layout.cuh"

namespace validate {

constexpr u32 none = ~0u;             // engine.None
constexpr u64 never = ~0ull >> 1;     // larger than every vertex and tuple number
constexpr u32 unsettled = 0xff;       // in a table of bytes: in the tree, depth not known yet
constexpr u32 deepestByte = 127;      // the largest depth+1 that a table of bytes holds
constexpr u32 joinedByte = 0x80;      // in a table of bytes: a tuple joins the vertex to its parent
constexpr u32 joinedWide = 1u << 31;  // likewise, in the low half of a wide entry

// Bytes is a table of 8 bits a vertex: depth+1 in the low depthBits, 0 outside
// the tree; above them the low bits of the parent, so that most tuples which
// are no tree edges are seen without a look at the parents; and the mark that
// a tuple joins the vertex to its parent. The mark is set by plain stores:
// every thread that writes an entry writes the same value, and one that reads
// the old one only does the work again.
template <int depthBits> struct Bytes {
	using Entry = u8;
	u8 *table;
	const u32 *parents;

	static constexpr u32 depthMask = (1u << depthBits) - 1;

	// hash is what an entry has of the parent.
	static __device__ Entry hash(u32 parent) { return parent << depthBits & (joinedByte - 1); }
	__device__ Entry look(u32 v) const { return table[v]; }
	static __device__ u32 depth(Entry e) { return e & depthMask; }
	__device__ void join(u32 child, Entry e, u32 parent) const {
		if ((e & ~depthMask) != hash(parent)) return;
		if (parents[child] == parent) table[child] = e | joinedByte;
	}
};

using HashedBytes = Bytes<4>;
using PlainBytes = Bytes<7>;

// Wide is a table of 64 bits a vertex: depth+1 and the mark in the low half,
// the parent in the high half.
struct Wide {
	using Entry = u64;
	u64 *table;

	__device__ Entry look(u32 v) const { return table[v]; }
	static __device__ u32 depth(Entry e) { return u32(e) & (joinedWide - 1); }
	__device__ void join(u32 child, Entry e, u32 parent) const {
		if (u32(e >> 32) == parent && !(e & joinedWide)) table[child] = e | joinedWide;
	}
};

// addUp adds the threads' values to *total, with one addition to memory a
// block. All threads of the block take part.
__device__ inline void addUp(u32 value, u64 *total) {
	__shared__ u64 sum;
	__syncthreads();
	if (threadIdx.x == 0) sum = 0;
	__syncthreads();
	u32 ofWarp = __reduce_add_sync(~0u, value);
	if (threadIdx.x % 32 == 0 && ofWarp) atomicAdd(&sum, u64(ofWarp));
	__syncthreads();
	if (threadIdx.x == 0 && sum) atomicAdd(total, sum);
}

__device__ inline u64 firstThread() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline u64 allThreads() { return u64(gridDim.x) * blockDim.x; }

} // namespace validate
