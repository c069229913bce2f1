// Declarations shared by the kernels of validation: constants and the three forms of the
// table, which has an entry for each vertex.
#pragma once
#include "layout.cuh"

namespace validate {

constexpr u32 none = ~0u;             // engine.None
constexpr u64 never = ~0ull >> 1;     // noPlace: larger than every vertex label and tuple number
constexpr u32 unsettled = 0xff;       // in a table of bytes: in the tree, depth not yet known
constexpr u32 deepestByte = 127;      // largest depth+1 in a table of bytes
constexpr u32 joinedByte = 0x80;      // in a table of bytes: a tuple joins the vertex to its parent
constexpr u32 joinedDeep = 1u << 31;  // in the low half of a Deep entry: the same

// Bytes is a table of 8 bits per vertex. The low depthBits hold depth+1, or 0 outside
// the tree. Above them are the low bits of the parent, by which most tuples that are not
// tree edges are recognised without a load from parents. The highest bit marks that a
// tuple joins the vertex to its parent. It is set by plain stores: all threads write the
// same value, and a thread that reads the old value only repeats the work.
template <int depthBits> struct Bytes {
	using Entry = u8;
	u8 *table;
	const u32 *parents;

	static constexpr u32 depthMask = (1u << depthBits) - 1;

	// hash returns the low bits of a parent at their position in an entry.
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

// Deep is a table of 64 bits per vertex: depth+1 and the mark in the low half, the
// parent in the high half.
struct Deep {
	using Entry = u64;
	u64 *table;

	__device__ Entry look(u32 v) const { return table[v]; }
	static __device__ u32 depth(Entry e) { return u32(e) & (joinedDeep - 1); }
	__device__ void join(u32 child, Entry e, u32 parent) const {
		if (u32(e >> 32) == parent && !(e & joinedDeep)) table[child] = e | joinedDeep;
	}
};

// addUp adds the values of all threads of a block to *total, with one global atomic per
// block. All threads of the block must call it.
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
