#include "shared.h"

namespace emulation {

namespace {

bool sameWarp(const Turn &a, const Turn &b) { return a.thread / 32 == b.thread / 32; }

} // namespace

// racesWith says whether what was noted is unordered with an access of this
// turn.
bool Races::Note::racesWith(uint8_t bytes, const Turn &now) const {
	if (!(mask & bytes) || turn.ofBlock != now.ofBlock)
		return false;
	if (otherWarps || !sameWarp(turn, now))
		return true;
	return turn.ofWarp == now.ofWarp && (others || turn.thread != now.thread);
}

// plainFor says whether a plain access is among those that race with this turn.
bool Races::Note::plainFor(const Turn &now) const { return otherWarps || !sameWarp(turn, now) ? plain : plainOfWarp; }

void Races::Note::add(uint8_t bytes, bool isPlain, const Turn &now) {
	const bool together = (mask & bytes) && turn.ofBlock == now.ofBlock;
	otherWarps = together && (otherWarps || !sameWarp(turn, now));
	others = together && turn.ofWarp == now.ofWarp && (others || turn.thread != now.thread);
	plain = isPlain || (together && plain);
	plainOfWarp = isPlain || (together && turn.ofWarp == now.ofWarp && plainOfWarp);
	mask = bytes;
	turn = now;
}

const Turn *Races::enter(size_t at, size_t bytes, Access access, const Turn &now) {
	if (words.size() < at / 4 + (bytes + 6) / 4)
		words.resize((at + bytes) / 4 * 2 + 1024);
	for (size_t end = at + bytes; at < end; at = (at / 4 + 1) * 4) {
		Word &w = words[at / 4];
		const size_t here = at % 4, n = end - at < 4 - here ? end - at : 4 - here;
		const uint8_t mask = ((1u << n) - 1) << here;
		// Two plain writes may race, and so may all but plain writes.
		if (w.written.plainFor(now) != (access == Access::write) && w.written.racesWith(mask, now))
			return &w.written.turn;
		if (access == Access::write && w.read.racesWith(mask, now))
			return &w.read.turn;
		(writes(access) ? w.written : w.read).add(mask, plain(access), now);
	}
	return nullptr;
}

} // namespace emulation
