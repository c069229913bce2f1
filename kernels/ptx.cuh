// Instructions of the search that CUDA C++ has no words for.
#pragma once
#include "types.cuh"


// now is the device's timer, in nanoseconds.
__device__ inline u64 now() {
	u64 t;
	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
	return t;
}

__device__ inline void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

// Loads and atomics under a condition, with what a lane has without it. Written
// as an if or with ?: each would be waited for before the next one begins,
// because the compiler moves the result over under the same condition; several
// of these in a row are under way at the same time.

// loadIf reads what this kernel writes, from the second-level cache.
__device__ inline u32 loadIf(bool on, const u32 *from, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.cg.u32 %0, [%1];}" : "+r"(otherwise) : "l"(from), "r"(u32(on)) : "memory");
	return otherwise;
}

__device__ inline uint2 loadIf(bool on, const uint2 *from, uint2 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p ld.global.cg.v2.u32 {%0, %1}, [%2];}"
	             : "+r"(otherwise.x), "+r"(otherwise.y) : "l"(from), "r"(u32(on)) : "memory");
	return otherwise;
}

__device__ inline u32 loadIf(bool on, const uint8_t *from, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.cg.u8 %0, [%1];}" : "+r"(otherwise) : "l"(from), "r"(u32(on)) : "memory");
	return otherwise;
}

// cachedIf reads, through the first-level cache, what was written before the last
// meeting, whose fence emptied that cache, and is not written before the next.
__device__ inline u32 cachedIf(bool on, const u32 *from, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.ca.u32 %0, [%1];}" : "+r"(otherwise) : "l"(from), "r"(u32(on)) : "memory");
	return otherwise;
}

// streamIf reads what no kernel writes any more, once.
__device__ inline u32 streamIf(bool on, const uint8_t *from, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.nc.L1::no_allocate.u8 %0, [%1];}" : "+r"(otherwise) : "l"(from), "r"(u32(on)));
	return otherwise;
}

__device__ inline u32 streamIf(bool on, const u32 *from, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.nc.L1::no_allocate.u32 %0, [%1];}" : "+r"(otherwise) : "l"(from), "r"(u32(on)));
	return otherwise;
}

__device__ inline uint2 streamIf(bool on, const uint2 *from, uint2 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];}"
	             : "+r"(otherwise.x), "+r"(otherwise.y) : "l"(from), "r"(u32(on)));
	return otherwise;
}

__device__ inline uint4 streamIf(bool on, const uint4 *from, uint4 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];}"
	             : "+r"(otherwise.x), "+r"(otherwise.y), "+r"(otherwise.z), "+r"(otherwise.w) : "l"(from), "r"(u32(on)));
	return otherwise;
}

// prefetchIf fetches the line around an address, of 128 bytes on present cards,
// into the second-level cache.
__device__ inline void prefetchIf(bool on, const void *at) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p prefetch.global.L2 [%0];}" :: "l"(at), "r"(u32(on)));
}

// prefetchNearIf fetches it into the first-level cache.
__device__ inline void prefetchNearIf(bool on, const void *at) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p prefetch.global.L1 [%0];}" :: "l"(at), "r"(u32(on)));
}

// addIf adds and returns what was there.
__device__ inline u32 addIf(bool on, u32 *to, u32 addend, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p atom.global.add.u32 %0, [%1], %2;}" : "+r"(otherwise) : "l"(to), "r"(addend), "r"(u32(on)) : "memory");
	return otherwise;
}

// orIf sets bits and returns what was there.
__device__ inline u32 orIf(bool on, u32 *to, u32 bits, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p atom.global.or.b32 %0, [%1], %2;}" : "+r"(otherwise) : "l"(to), "r"(bits), "r"(u32(on)) : "memory");
	return otherwise;
}
