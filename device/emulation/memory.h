// The memory of the emulated GPU: arrays with exact bounds, each on separate pages
// and at addresses that are never reused.
#pragma once
#include <cstddef>
#include <cstdint>

namespace emulation {

class Memory {
public:
	Memory();

	// allocate allocates an array for owner and returns its address, a multiple of
	// 256, or 0 if memory runs out. The array is filled with a pattern that is
	// neither 0 nor ~0. Pinned arrays are in host memory and do not count towards
	// the device's memory.
	uintptr_t allocate(size_t bytes, const void *owner, bool pinned);

	// release frees the array that begins at an address. It returns false if there
	// is none.
	bool release(uintptr_t at);

	// releaseAll frees all arrays of one owner.
	void releaseAll(const void *owner);

	// holds reports whether an address lies in the address range of arrays.
	bool holds(uintptr_t at) const { return at - base < span; }

	// has reports whether all these bytes lie in one array that belongs to owner or
	// is pinned.
	bool has(uintptr_t at, size_t bytes, const void *owner) const;

	// describe describes an address for an error message: the current or former
	// array there, as seen by owner.
	const char *describe(uintptr_t at, const void *owner, char *text, size_t capacity) const;

	size_t total() const { return size; }
	size_t available() const { return size - taken; }

private:
	struct Array {
		uintptr_t at;
		size_t bytes;
		const void *owner;
		bool pinned, gone;
	};

	static constexpr size_t span = size_t(1) << 42, chunk = size_t(1) << 21;

	Array *find(uintptr_t at) const { return of[(at - base) / chunk]; }
	void remove(Array &a);

	uintptr_t base, next;
	Array **of; // by chunk of addresses
	size_t size, taken = 0;
	int poison; // file with one chunk of the pattern
};

} // namespace emulation
