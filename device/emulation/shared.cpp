#include "shared.h"

namespace emulation {

namespace {

bool sameWarp(const AccessInfo &a, const AccessInfo &b) { return a.thread / 32 == b.thread / 32; }

} // namespace

// racesWith reports whether one of the recorded accesses is unordered with the
// access now.
bool Races::LastAccess::racesWith(uint8_t bytes, const AccessInfo &now) const {
	if (!(mask & bytes) || last.blockEpoch != now.blockEpoch)
		return false;
	if (otherWarps || !sameWarp(last, now))
		return true;
	return last.warpEpoch == now.warpEpoch && (others || last.thread != now.thread);
}

// plainFor reports whether the recorded accesses that could race with the access now
// include a plain one.
bool Races::LastAccess::plainFor(const AccessInfo &now) const { return otherWarps || !sameWarp(last, now) ? plain : plainOfWarp; }

void Races::LastAccess::add(uint8_t bytes, bool isPlain, const AccessInfo &now) {
	const bool together = (mask & bytes) && last.blockEpoch == now.blockEpoch;
	otherWarps = together && (otherWarps || !sameWarp(last, now));
	others = together && last.warpEpoch == now.warpEpoch && (others || last.thread != now.thread);
	plain = isPlain || (together && plain);
	plainOfWarp = isPlain || (together && last.warpEpoch == now.warpEpoch && plainOfWarp);
	mask = bytes;
	last = now;
}

const AccessInfo *Races::record(size_t at, size_t bytes, Access access, const AccessInfo &now) {
	if (words.size() < at / 4 + (bytes + 6) / 4)
		words.resize((at + bytes) / 4 * 2 + 1024);
	for (size_t end = at + bytes; at < end; at = (at / 4 + 1) * 4) {
		Word &w = words[at / 4];
		const size_t here = at % 4, n = end - at < 4 - here ? end - at : 4 - here;
		const uint8_t mask = ((1u << n) - 1) << here;
		// Allowed races: plain write with plain write, and any accesses without a plain
		// write.
		if (w.written.plainFor(now) != (access == Access::write) && w.written.racesWith(mask, now))
			return &w.written.last;
		if (access == Access::write && w.read.racesWith(mask, now))
			return &w.read.last;
		(writes(access) ? w.written : w.read).add(mask, plain(access), now);
	}
	return nullptr;
}

} // namespace emulation
