// The memory of the emulated GPUs: arrays with exact bounds, each on separate pages
// and at addresses that are never reused. Other processes can open an array that is shared.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace emulation {

// ShareHandle names a shared array to other processes. It has the size of CUipcMemHandle.
struct ShareHandle {
	uint32_t mark;    // shareMark
	int32_t process, file;
	uint32_t device;  // ordinal
	uint64_t bytes;
	char unused[40];
};
static_assert(sizeof(ShareHandle) == 64);

constexpr uint32_t shareMark = 0x50c1a1;

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

	// share lets other processes open the array that begins at an address. Nothing may
	// access it meanwhile. It returns false if there is none in a device's memory.
	bool share(uintptr_t at, ShareHandle &handle);

	// open returns the address of another process's shared array for owner, or 0 if it
	// cannot be opened.
	uintptr_t open(const ShareHandle &handle, const void *owner);

	// close closes the array that open has returned. It returns false if there is none.
	bool close(uintptr_t at);

	// isShared reports whether kernels of other processes may access the same arrays.
	bool isShared() const { return shares > 0; }

	// release frees the array that begins at an address. It returns false if there
	// is none.
	bool release(uintptr_t at);

	// releaseAll frees all arrays of one owner.
	void releaseAll(const void *owner);

	// lock lets all owners access memory of the host that is no array. It returns false if
	// part of it is locked already.
	bool lock(uintptr_t at, size_t bytes, const void *owner);

	// unlock ends that. It returns false if no lock began at the address.
	bool unlock(uintptr_t at);

	// isLocked reports whether all these bytes were locked at once.
	bool isLocked(uintptr_t at, size_t bytes) const;

	// crosses reports whether the bytes are locked in part, or not at once: no copy may do so.
	bool crosses(uintptr_t at, size_t bytes) const {
		return bytes && (isLocked(at, 1) || isLocked(at + bytes - 1, 1)) && !isLocked(at, bytes);
	}

	// holds reports whether an address lies in the address range of arrays.
	bool holds(uintptr_t at) const { return at - base < span; }

	// has reports whether all these bytes lie in one array that owner may access: its
	// own, a pinned one, or one of an owner that it was allowed to access; or were locked
	// at once.
	bool has(uintptr_t at, size_t bytes, const void *owner) const;

	// isUndefined reports whether nothing has written a word of 4 bytes since its allocation. A
	// written word that happens to have the pattern is no case that the tests have.
	static bool isUndefined(uintptr_t at) { return *reinterpret_cast<const volatile uint32_t *>(at) == undefined; }

	// describe describes an address for an error message: the current or former
	// array there, as seen by owner.
	const char *describe(uintptr_t at, const void *owner, char *text, size_t capacity) const;

	size_t total() const { return size; }
	size_t available(unsigned device) const {
		const auto of = taken.find(device);
		return of == taken.end() ? size : size - of->second;
	}

private:
	// The pattern. Its bytes differ, because tables of bytes, as of depths, have words of equal bytes.
	static constexpr uint32_t undefined = 0x5EA71CF3;

	struct Array {
		uintptr_t at;
		size_t bytes;
		const void *owner;
		unsigned device;
		bool pinned, gone;
		int file = -1; // of a shared array
		bool foreign = false; // of another process
	};

	static constexpr size_t span = size_t(1) << 42, chunk = size_t(1) << 21;

	Array *find(uintptr_t at) const { return of[(at - base) / chunk]; }
	Array *begins(uintptr_t at) const;
	uintptr_t place(Array a);
	void remove(Array &a);
	bool mayAccess(const Array &a, const void *owner) const { return a.pinned || a.owner == owner || access.count({owner, a.owner}); }

	uintptr_t base, next;
	Array **of; // by chunk of addresses
	const size_t size;                                     // of each device
	std::map<unsigned, size_t> taken;                      // by device
	std::set<std::pair<const void *, const void *>> access; // allowed between owners
	using Locks = std::map<uintptr_t, std::pair<size_t, const void *>>; // bytes and owner by address
	std::atomic<const Locks *> locks = new Locks; // replaced, and never freed: kernels read it at any time
	int poison; // file with one chunk of the pattern
	std::atomic<unsigned> shares = 0; // arrays that share and open have returned and that are not gone
};

} // namespace emulation
