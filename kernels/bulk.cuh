// Bulk copies between global and shared memory, which run beside the threads (compute
// capability 9.0), and barriers of some warps of a block.
//
// Addresses and sizes are multiples of 16 bytes. A source for older devices must not call the
// functions of copies: bulkCopies says whether they exist.
#pragma once
#include "types.cuh"

#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900
constexpr bool bulkCopies = true;
#else
constexpr bool bulkCopies = false;
#endif

// waitWarps waits for `threads` threads of the block that call it with the same number from 1
// to 15: whole warps.
__device__ inline void waitWarps(u32 number, u32 threads) { asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory"); }

// BulkBarrier counts the bytes that have arrived in shared memory. It lies there, too.
struct BulkBarrier {
	u64 word;
};

#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900

__device__ inline u32 sharedAddress(const void *at) { return u32(__cvta_generic_to_shared(at)); }

// beginBulk makes a barrier usable. A block barrier must follow before another thread uses it.
__device__ inline void beginBulk(BulkBarrier *b) {
	asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(sharedAddress(b)) : "memory");
}

// expectBulk begins a phase of the barrier: that many bytes will arrive.
__device__ inline void expectBulk(BulkBarrier *b, u32 bytes) {
	asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1;}" ::"r"(sharedAddress(b)), "r"(bytes) : "memory");
}

// readBulk copies from global to shared memory.
__device__ inline void readBulk(void *to, const void *from, u32 bytes, BulkBarrier *b) {
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sharedAddress(to)), "l"(from), "r"(bytes),
	             "r"(sharedAddress(b))
	             : "memory");
}

// waitBulk waits for the end of a phase: 0 for the first one, then 1 and 0 in turns.
__device__ inline void waitBulk(BulkBarrier *b, u32 phase) {
	asm volatile("{.reg .pred p;\nAGAIN_%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra AGAIN_%=;\n}" ::"r"(sharedAddress(b)), "r"(phase) : "memory");
}

// writeBulk copies from shared to global memory.
__device__ inline void writeBulk(void *to, const void *from, u32 bytes) {
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(to), "r"(sharedAddress(from)), "r"(bytes)
	             : "memory");
}

// waitBulkSources waits until the calling thread's copies by writeBulk have read their sources,
// waitBulkWrites until they have ended.
__device__ inline void waitBulkSources() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ inline void waitBulkWrites() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// fenceBulk orders the thread's own accesses to shared memory and copies that start later.
// fenceBulkWrites also orders copies to global memory that have ended and accesses to it that follow; it
// waits for all accesses of the thread to global memory, so that one for each chunk would take 2 to 4 %
// of a dense pass.
__device__ inline void fenceBulk() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ inline void fenceBulkWrites() { asm volatile("fence.proxy.async;" ::: "memory"); }

#else

__device__ inline void beginBulk(BulkBarrier *) {}
__device__ inline void expectBulk(BulkBarrier *, u32) {}
__device__ inline void readBulk(void *, const void *, u32, BulkBarrier *) {}
__device__ inline void waitBulk(BulkBarrier *, u32) {}
__device__ inline void writeBulk(void *, const void *, u32) {}
__device__ inline void waitBulkSources() {}
__device__ inline void waitBulkWrites() {}
__device__ inline void fenceBulk() {}
__device__ inline void fenceBulkWrites() {}

#endif
