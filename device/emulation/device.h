// The functions of the emulated GPU that a running kernel calls.
#pragma once
#include <cstddef>
#include <cstdint>

namespace emulation {

// SourceLine is a line of a source file.
struct SourceLine {
	const char *file;
	int line;
};

// blockBarrier waits until all threads of the block have called it from the same
// source line. It returns the number of threads whose predicate is true.
unsigned blockBarrier(const char *name, bool predicate, SourceLine source);

// warpsBarrier waits until that many threads of the block have called it with the same number
// from 1 to 15, from the same source line.
void warpsBarrier(unsigned number, unsigned threads, SourceLine source);

// Bulk copies: see kernels/bulk.cuh.
void beginBulk(void *barrier);
void expectBulk(void *barrier, unsigned bytes);
void readBulk(void *to, const void *from, unsigned bytes, void *barrier);
void waitBulk(void *barrier, unsigned phase);
void writeBulk(void *to, const void *from, unsigned bytes);
void waitBulkSources();
void waitBulkWrites();

// Collective is a collective operation of the lanes of a warp.
enum Collective { sync, ballot, match, move, sum, exclusiveSum, minimum, maximum, orAll, andAll };

// warpCollective waits until all lanes in mask have called it with that mask from
// the same source line. It returns the result of the lane:
//
//   sync              none
//   ballot            the mask of the lanes whose value is not 0
//   match             the mask of the lanes with the same value
//   move              the value of lane from
//   exclusiveSum      the sum of the values of the lower lanes
//   sum, minimum, maximum, orAll, andAll
//                     the reduction of the values of all lanes
uint64_t warpCollective(Collective what, const char *name, unsigned mask, uint64_t value, unsigned from, SourceLine source);

// fence orders the accesses before it and after it, also for other processes.
void fence();

// trap ends the kernel with an error.
[[noreturn]] void trap();

// lane returns the lane of the current thread.
unsigned lane();

enum AtomicOp { add, bitAnd, bitOr, bitXor, exchange, compareAndSwap, unsignedMin, unsignedMax, signedMin, signedMax };

// atomic applies an operation to the integer of 2, 4 or 8 bytes and returns its old
// value.
uint64_t atomic(AtomicOp op, volatile void *at, size_t bytes, uint64_t operand, uint64_t compare);

// misaligned ends the kernel with a misaligned address error.
[[noreturn]] void misaligned(const volatile void *at, size_t bytes);

// aligned returns at. An address that is not a multiple of the type's alignment ends
// the kernel.
template <typename T> T *aligned(T *at) {
	if (uintptr_t(at) % alignof(T))
		misaligned(at, sizeof(T));
	return at;
}

// isShared reports whether an address lies in the shared memory of the block.
bool isShared(const void *at);

// now returns the device's timer in nanoseconds.
uint64_t now();

} // namespace emulation
