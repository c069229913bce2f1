// The memory of the emulated GPU: arrays with exact ends, each on pages of its
// own and at addresses that are never used again.
#pragma once
#include <cstddef>
#include <cstdint>

namespace emulation {

class Memory {
public:
	Memory();

	// allocate returns an address that is a multiple of 256, or 0 if there is no
	// room or the system gives none. The array holds a pattern that is neither 0
	// nor ~0. owner is whose it is; pinned arrays, which are the host's, take
	// nothing of the device's memory.
	uintptr_t allocate(size_t bytes, const void *owner, bool pinned);

	// release gives the array back that begins there, and says whether there is
	// one.
	bool release(uintptr_t at);

	// releaseAll gives back what one owner has.
	void releaseAll(const void *owner);

	// holds says whether an address is one that arrays are given.
	bool holds(uintptr_t at) const { return at - base < span; }

	// has says whether all these bytes are of one array that owner has, or that is
	// pinned.
	bool has(uintptr_t at, size_t bytes, const void *owner) const;

	// describe says in words what lies at an address, or lay there, for owner.
	const char *describe(uintptr_t at, const void *owner, char *text, size_t room) const;

	size_t total() const { return size; }
	size_t available() const { return size - taken; }

private:
	struct Array {
		uintptr_t at;
		size_t bytes;
		const void *owner;
		bool pinned, gone;
	};

	static constexpr size_t span = size_t(1) << 42, piece = size_t(1) << 21;

	Array *find(uintptr_t at) const { return of[(at - base) / piece]; }
	void remove(Array &a);

	uintptr_t base, next;
	Array **of; // by piece of addresses
	size_t size, taken = 0;
	int poison; // a file of one piece
};

} // namespace emulation
