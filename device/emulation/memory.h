// The memory of the emulated GPUs: arrays with exact bounds, each on separate pages
// and at addresses that are never reused.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace emulation {

class Memory {
public:
	Memory();

	// allocate allocates an array for owner in the memory of a device and returns its
	// address, a multiple of 256, or 0 if memory runs out. The array is filled with a
	// pattern that is neither 0 nor ~0. Pinned arrays are in host memory and do not
	// count towards the device's memory.
	uintptr_t allocate(size_t bytes, const void *owner, unsigned device, bool pinned);

	// allow lets owner access the arrays of another owner. It returns false if it may
	// already.
	bool allow(const void *owner, const void *other) { return access.insert({owner, other}).second; }

	// release frees the array that begins at an address. It returns false if there
	// is none.
	bool release(uintptr_t at);

	// releaseAll frees all arrays of one owner.
	void releaseAll(const void *owner);

	// holds reports whether an address lies in the address range of arrays.
	bool holds(uintptr_t at) const { return at - base < span; }

	// has reports whether all these bytes lie in one array that owner may access: its
	// own, a pinned one, or one of an owner that it was allowed to access.
	bool has(uintptr_t at, size_t bytes, const void *owner) const;

	// describe describes an address for an error message: the current or former
	// array there, as seen by owner.
	const char *describe(uintptr_t at, const void *owner, char *text, size_t capacity) const;

	size_t total() const { return size; }
	size_t available(unsigned device) const {
		const auto of = taken.find(device);
		return of == taken.end() ? size : size - of->second;
	}

private:
	struct Array {
		uintptr_t at;
		size_t bytes;
		const void *owner;
		unsigned device;
		bool pinned, gone;
	};

	static constexpr size_t span = size_t(1) << 42, chunk = size_t(1) << 21;

	Array *find(uintptr_t at) const { return of[(at - base) / chunk]; }
	void remove(Array &a);
	bool mayAccess(const Array &a, const void *owner) const { return a.pinned || a.owner == owner || access.count({owner, a.owner}); }

	uintptr_t base, next;
	Array **of; // by chunk of addresses
	const size_t size;                                     // of each device
	std::map<unsigned, size_t> taken;                      // by device
	std::set<std::pair<const void *, const void *>> access; // allowed between owners
	int poison; // file with one chunk of the pattern
};

} // namespace emulation
