// PTX instructions of the search that CUDA C++ cannot express.
#pragma once
#include "types.cuh"


// now returns the device's timer in nanoseconds.
__device__ inline u64 now() {
	u64 t;
	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
	return t;
}

__device__ inline void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

// fenceSystem is fence for all devices and the host.
__device__ inline void fenceSystem() { asm volatile("fence.acq_rel.sys;" ::: "memory"); }

// loadAcquireSystem loads a word that another device writes after a fenceSystem. What
// that device wrote before is visible afterwards.
__device__ inline u64 loadAcquireSystem(const u64 *from) {
	u64 x;
	asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(x) : "l"(from) : "memory");
	return x;
}

// loadFresh loads data that this kernel writes, from the second-level cache. Several of them in a row are in flight at the
// same time. With loadIf they were not: ptxas waits for a predicated load whose result is cut to 16 bits.
__device__ inline u32 loadFresh(const u16 *from) {
	u32 x;
	asm volatile("{.reg .b16 x; ld.global.cg.u16 x, [%1]; cvt.u32.u16 %0, x;}" : "=r"(x) : "l"(from) : "memory");
	return x;
}

// Predicated loads and atomics. A lane whose predicate `on` is false returns the
// argument otherwise. Several of them in a row are in flight at the same time. With
// an if or ?: the compiler would wait for each result before it starts the next
// access, because it moves the result under the same predicate.

// loadIf loads data that this kernel writes, from the second-level cache.
__device__ inline u32 loadIf(bool on, const u32 *from, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.cg.u32 %0, [%1];}" : "+r"(otherwise) : "l"(from), "r"(u32(on)) : "memory");
	return otherwise;
}

__device__ inline uint2 loadIf(bool on, const uint2 *from, uint2 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p ld.global.cg.v2.u32 {%0, %1}, [%2];}"
	             : "+r"(otherwise.x), "+r"(otherwise.y) : "l"(from), "r"(u32(on)) : "memory");
	return otherwise;
}

__device__ inline uint4 loadIf(bool on, const uint4 *from, uint4 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];}"
	             : "+r"(otherwise.x), "+r"(otherwise.y), "+r"(otherwise.z), "+r"(otherwise.w) : "l"(from), "r"(u32(on)) : "memory");
	return otherwise;
}

__device__ inline u32 loadIf(bool on, const uint8_t *from, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.cg.u8 %0, [%1];}" : "+r"(otherwise) : "l"(from), "r"(u32(on)) : "memory");
	return otherwise;
}

__device__ inline u64 loadIf(bool on, const u64 *from, u64 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.cg.u64 %0, [%1];}" : "+l"(otherwise) : "l"(from), "r"(u32(on)) : "memory");
	return otherwise;
}

// cachedIf loads through the first-level cache. The data must have been written
// before the last grid barrier, whose fence invalidated that cache, and must not be
// written before the next one.
__device__ inline u32 cachedIf(bool on, const u32 *from, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.ca.u32 %0, [%1];}" : "+r"(otherwise) : "l"(from), "r"(u32(on)) : "memory");
	return otherwise;
}

__device__ inline uint2 cachedIf(bool on, const uint2 *from, uint2 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p ld.global.ca.v2.u32 {%0, %1}, [%2];}"
	             : "+r"(otherwise.x), "+r"(otherwise.y) : "l"(from), "r"(u32(on)) : "memory");
	return otherwise;
}

__device__ inline u64 cachedIf(bool on, const u64 *from, u64 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.ca.u64 %0, [%1];}" : "+l"(otherwise) : "l"(from), "r"(u32(on)) : "memory");
	return otherwise;
}

// streamIf loads read-only data that is used once, without allocation in the
// first-level cache.
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

// onceIf loads data that is used once: it is the first to leave the second-level cache.
__device__ inline u32 onceIf(bool on, const u32 *from, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.cs.u32 %0, [%1];}" : "+r"(otherwise) : "l"(from), "r"(u32(on)));
	return otherwise;
}

__device__ inline uint2 onceIf(bool on, const uint2 *from, uint2 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p ld.global.cs.v2.u32 {%0, %1}, [%2];}"
	             : "+r"(otherwise.x), "+r"(otherwise.y) : "l"(from), "r"(u32(on)));
	return otherwise;
}

__device__ inline uint4 onceIf(bool on, const uint4 *from, uint4 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];}"
	             : "+r"(otherwise.x), "+r"(otherwise.y), "+r"(otherwise.z), "+r"(otherwise.w) : "l"(from), "r"(u32(on)));
	return otherwise;
}

// storeOnce stores data that this kernel does not use again, likewise.
__device__ inline void storeOnce(u32 *to, u32 value) {
	asm volatile("st.global.cs.u32 [%0], %1;" :: "l"(to), "r"(value) : "memory");
}

// prefetchIf prefetches the cache line of an address (128 bytes on current GPUs) into
// the second-level cache.
__device__ inline void prefetchIf(bool on, const void *at) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p prefetch.global.L2 [%0];}" :: "l"(at), "r"(u32(on)));
}

// prefetchNearIf prefetches the cache line of an address into the first-level cache.
__device__ inline void prefetchNearIf(bool on, const void *at) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p prefetch.global.L1 [%0];}" :: "l"(at), "r"(u32(on)));
}

// addIf adds atomically and returns the old value.
__device__ inline u32 addIf(bool on, u32 *to, u32 addend, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p atom.global.add.u32 %0, [%1], %2;}" : "+r"(otherwise) : "l"(to), "r"(addend), "r"(u32(on)) : "memory");
	return otherwise;
}

// orIf sets bits atomically and returns the old value.
__device__ inline u32 orIf(bool on, u32 *to, u32 bits, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p atom.global.or.b32 %0, [%1], %2;}" : "+r"(otherwise) : "l"(to), "r"(bits), "r"(u32(on)) : "memory");
	return otherwise;
}

// minIf stores the minimum atomically and returns the old value.
__device__ inline u32 minIf(bool on, u32 *to, u32 value, u32 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p atom.global.min.u32 %0, [%1], %2;}" : "+r"(otherwise) : "l"(to), "r"(value), "r"(u32(on)) : "memory");
	return otherwise;
}

__device__ inline u64 minIf(bool on, u64 *to, u64 value, u64 otherwise) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p atom.global.min.u64 %0, [%1], %2;}" : "+l"(otherwise) : "l"(to), "l"(value), "r"(u32(on)) : "memory");
	return otherwise;
}

// minIf without an old value does not wait for it.
__device__ inline void minIf(bool on, u64 *to, u64 value) {
	asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p red.global.min.u64 [%0], %1;}" :: "l"(to), "l"(value), "r"(u32(on)) : "memory");
}
