// Races on the shared memory of a block.
//
// Two threads may touch the same bytes, one of them writing, only if a barrier
// of the block or, within a warp, a __syncwarp lies between. Excepted are two
// writes, of which either may win; atomics and volatile accesses among each
// other; and what shuffles and votes happen to order does not count as ordered.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace emulation {

enum class Access : uint8_t { read, write, atomicRead, atomicWrite };

constexpr bool writes(Access a) { return a == Access::write || a == Access::atomicWrite; }
constexpr bool plain(Access a) { return a == Access::read || a == Access::write; }

// Turn says which thread accesses, and how many barriers it has behind it.
struct Turn {
	uint16_t thread;
	uint32_t ofBlock; // barriers, over all blocks that ran in this place
	uint32_t ofWarp;  // __syncwarps of the warp, likewise
};

class Races {
public:
	// enter notes an access to bytes of the shared memory from offset at on. It
	// returns the number of the thread that it races with, or -1.
	int enter(size_t at, size_t bytes, Access access, const Turn &turn);

private:
	// Note is the last access of a kind to a word.
	struct Note {
		Turn turn;
		uint8_t mask = 0; // of its bytes; 0 where there was none
		bool plain;       // one at least was, of those since the last barrier
		bool others;      // other lanes of the warp came before, since the last __syncwarp
		bool otherWarps;  // likewise, since the last barrier

		bool racesWith(uint8_t mask, const Turn &now) const;
		void add(uint8_t mask, bool isPlain, const Turn &now);
	};
	struct Word {
		Note read, written;
	};

	std::vector<Word> words;
};

} // namespace emulation
