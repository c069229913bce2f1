// Detection of races on the shared memory of a block.
//
// If one thread writes a word that another thread reads or changes by an atomic, a
// block barrier must separate the two accesses, or within a warp a __syncwarp.
// Ordering by shuffles and votes does not count. Two plain writes may race, because
// either value may be acceptable. Atomics and volatile accesses may race with each
// other and with plain reads: a thread may read a counter while others add to it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace emulation {

enum class Access : uint8_t { read, write, atomicRead, atomicWrite };

constexpr bool writes(Access a) { return a == Access::write || a == Access::atomicWrite; }
constexpr bool plain(Access a) { return a == Access::read || a == Access::write; }

// AccessInfo describes an access: its code address, its thread, and the numbers of
// barriers that the thread has passed.
struct AccessInfo {
	uintptr_t where;
	uint16_t thread;
	uint32_t blockEpoch; // block barriers, over all blocks that ran in this slot
	uint32_t warpEpoch;  // __syncwarps of the warp, over all blocks that ran in this slot
};

class Races {
public:
	// record records an access to bytes of the shared memory from offset at. It
	// returns the earlier access that it races with, or null.
	const AccessInfo *record(size_t at, size_t bytes, Access access, const AccessInfo &now);

private:
	// LastAccess is the last access of a kind to a word, with a summary of those
	// before it.
	struct LastAccess {
		AccessInfo last;
		uint8_t mask = 0; // bytes of the word; 0: no access yet
		bool plain;       // at least one access since the last block barrier is plain
		bool plainOfWarp; // at least one access since the last __syncwarp is plain
		bool others;      // other lanes of the warp had access since the last __syncwarp
		bool otherWarps;  // other warps had access since the last block barrier

		bool racesWith(uint8_t mask, const AccessInfo &now) const;
		bool plainFor(const AccessInfo &now) const;
		void add(uint8_t mask, bool isPlain, const AccessInfo &now);
	};
	struct Word {
		LastAccess read, written;
	};

	std::vector<Word> words;
};

} // namespace emulation
