// What a module asks of the emulated GPU while one of its kernels runs.
#pragma once
#include <cstddef>
#include <cstdint>

namespace emulation {

// Place is a line of a source file.
struct Place {
	const char *file;
	int line;
};

// meetBlock waits until all threads of the block have called it from the same
// place and returns how many of them said on.
unsigned meetBlock(const char *name, bool on, Place place);

// Meeting is what the lanes of a warp do together.
enum Meeting { sync, ballot, match, move, sum, sumBefore, least, largest, either, both };

// meetWarp waits until all lanes in mask have called it with that mask from the
// same place, and returns what each gets: nothing for sync, the lanes whose
// value is not 0 for ballot, those with the same value for match, the value of
// lane from for move, the sum of the values in lower lanes for sumBefore, and
// for the others the sum, minimum, maximum, or and and of all values.
uint64_t meetWarp(Meeting what, const char *name, unsigned mask, uint64_t value, unsigned from, Place place);

// lane is the thread's place in its warp.
unsigned lane();

enum Change { add, keep, set, flip, exchange, exchangeIfEqual, lower, raise, lowerSigned, raiseSigned };

// atomic changes the integer of 1, 2, 4 or 8 bytes and returns what was there.
uint64_t atomic(Change how, volatile void *at, size_t bytes, uint64_t operand, uint64_t compare);

// misaligned ends the kernel.
[[noreturn]] void misaligned(const volatile void *at, size_t bytes);

// aligned returns at, which must be a multiple of the type's alignment.
template <typename T> T *aligned(T *at) {
	if (uintptr_t(at) % alignof(T))
		misaligned(at, sizeof(T));
	return at;
}

// isShared says whether it is an address of the block's shared memory.
bool isShared(const void *at);

// now is the device's timer, in nanoseconds.
uint64_t now();

} // namespace emulation
