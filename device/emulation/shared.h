// Races on the shared memory of a block.
//
// Where one thread writes what another one reads or changes by an atomic, a
// barrier of the block must lie between, or within a warp a __syncwarp; what
// shuffles and votes happen to order does not count. Two plain writes may race,
// because either value may do, and so may atomics and volatile accesses with each
// other and with plain reads: a counter may be looked at while it grows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace emulation {

enum class Access : uint8_t { read, write, atomicRead, atomicWrite };

constexpr bool writes(Access a) { return a == Access::write || a == Access::atomicWrite; }
constexpr bool plain(Access a) { return a == Access::read || a == Access::write; }

// Turn says which thread accesses, where in the program, and how many barriers
// it has behind it.
struct Turn {
	uintptr_t where;
	uint16_t thread;
	uint32_t ofBlock; // barriers, over all blocks that ran in this place
	uint32_t ofWarp;  // __syncwarps of the warp, likewise
};

class Races {
public:
	// enter notes an access to bytes of the shared memory from offset at on. It
	// returns the one that it races with, or null.
	const Turn *enter(size_t at, size_t bytes, Access access, const Turn &turn);

private:
	// Note is the last access of a kind to a word.
	struct Note {
		Turn turn;
		uint8_t mask = 0; // of its bytes; 0 where there was none
		bool plain;       // one at least was, of those since the last barrier
		bool plainOfWarp; // likewise, since the last __syncwarp
		bool others;      // other lanes of the warp came before, since the last __syncwarp
		bool otherWarps;  // likewise, since the last barrier

		bool racesWith(uint8_t mask, const Turn &now) const;
		bool plainFor(const Turn &now) const;
		void add(uint8_t mask, bool isPlain, const Turn &now);
	};
	struct Word {
		Note read, written;
	};

	std::vector<Word> words;
};

} // namespace emulation
