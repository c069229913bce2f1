// C++ form of kernels/bulk.cuh for the emulated GPU. A copy takes place as late as a GPU allows:
// one to shared memory when a thread waits for it, one to global memory reads its source when
// the thread waits for that, and writes when the thread waits for the end.
#pragma once
#include "language.h"
#include "types.cuh"

constexpr bool bulkCopies = true;

inline void waitWarps(u32 number, u32 threads, const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
	emulation::warpsBarrier(number, threads, {file, line});
}

struct BulkBarrier {
	u64 word;
};

inline void beginBulk(BulkBarrier *b) { emulation::beginBulk(b); }
inline void expectBulk(BulkBarrier *b, u32 bytes) { emulation::expectBulk(b, bytes); }
inline void readBulk(void *to, const void *from, u32 bytes, BulkBarrier *b) { emulation::readBulk(to, from, bytes, b); }
inline void waitBulk(BulkBarrier *b, u32 phase) { emulation::waitBulk(b, phase); }
inline void writeBulk(void *to, const void *from, u32 bytes) { emulation::writeBulk(to, from, bytes); }
inline void waitBulkSources() { emulation::waitBulkSources(); }
inline void waitBulkWrites() { emulation::waitBulkWrites(); }
inline void fenceBulk() {} // missing fences are not found
inline void fenceBulkWrites() {}
