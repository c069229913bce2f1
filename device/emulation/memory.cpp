#include "memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "settings.h"

namespace emulation {

namespace {

constexpr size_t page = 4096;

size_t roundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

} // namespace

Memory::Memory() : size(setting("EMULATION_MEMORY", 512) << 20) {
	void *addresses = mmap(nullptr, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	void *table = mmap(nullptr, span / chunk * sizeof(Array *), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	poison = memfd_create("poison", MFD_CLOEXEC);
	if (addresses == MAP_FAILED || table == MAP_FAILED || poison < 0 || ftruncate(poison, chunk)) {
		perror("emulated GPU: no addresses for its memory");
		_exit(1);
	}
	void *pattern = mmap(nullptr, chunk, PROT_READ | PROT_WRITE, MAP_SHARED, poison, 0);
	if (pattern == MAP_FAILED) {
		perror("emulated GPU: no memory");
		_exit(1);
	}
	std::fill_n(static_cast<uint32_t *>(pattern), chunk / sizeof undefined, undefined);
	munmap(pattern, chunk);
	base = uintptr_t(addresses);
	next = roundUp(base, chunk);
	of = static_cast<Array **>(table);
}

uintptr_t Memory::allocate(size_t bytes, const void *owner, unsigned device, bool pinned) {
	const size_t mapped = roundUp(bytes, page);
	if (bytes == 0 || mapped > span || (!pinned && mapped > available(device)) || next + mapped + 2 * chunk > base + span)
		return 0;
	const uintptr_t at = next;
	for (size_t from = 0; from < mapped; from += chunk) {
		const size_t n = mapped - from < chunk ? mapped - from : chunk;
		if (mmap(reinterpret_cast<void *>(at + from), n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, poison, 0) == MAP_FAILED)
			return 0;
	}
	if (!pinned)
		taken[device] += mapped;
	return place({at, bytes, owner, device, pinned, false});
}

// place adds an array that is mapped at next.
uintptr_t Memory::place(Array added) {
	Array *a = new Array(added);
	next = roundUp(a->at + a->bytes + 2 * page - 1, chunk); // at least one unmapped page between two arrays
	for (uintptr_t p = a->at; p < next; p += chunk)
		of[(p - base) / chunk] = a;
	return a->at;
}

// begins returns the array that begins at an address, or null.
Memory::Array *Memory::begins(uintptr_t at) const {
	Array *a = holds(at) ? find(at) : nullptr;
	return a && a->at == at && !a->gone ? a : nullptr;
}

bool Memory::share(uintptr_t at, ShareHandle &handle) {
	Array *a = begins(at);
	if (!a || a->pinned || a->foreign)
		return false;
	if (a->file < 0) {
		const size_t mapped = roundUp(a->bytes, page);
		const int file = memfd_create("device memory", MFD_CLOEXEC);
		if (file < 0)
			return false;
		for (size_t done = 0; done < mapped;) {
			const ssize_t n = write(file, reinterpret_cast<void *>(at + done), mapped - done);
			if (n <= 0) {
				::close(file);
				return false;
			}
			done += n;
		}
		if (mmap(reinterpret_cast<void *>(at), mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
			::close(file);
			return false;
		}
		a->file = file;
		shares++;
	}
	handle = {shareMark, getpid(), a->file, a->device, a->bytes, {}};
	return true;
}

uintptr_t Memory::open(const ShareHandle &handle, const void *owner) {
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", handle.process, handle.file);
	const size_t mapped = roundUp(handle.bytes, page);
	const int file = ::open(path, O_RDWR | O_CLOEXEC);
	if (file < 0 || next + mapped + 2 * chunk > base + span)
		return 0;
	void *at = mmap(reinterpret_cast<void *>(next), mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
	::close(file);
	if (at == MAP_FAILED)
		return 0;
	shares++;
	return place({uintptr_t(at), handle.bytes, owner, handle.device, false, false, -1, true});
}

bool Memory::close(uintptr_t at) {
	Array *a = begins(at);
	if (!a || !a->foreign)
		return false;
	remove(*a);
	return true;
}

void Memory::remove(Array &a) {
	const size_t mapped = roundUp(a.bytes, page);
	mmap(reinterpret_cast<void *>(a.at), mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	if (!a.pinned && !a.foreign)
		taken[a.device] -= mapped;
	if (a.file >= 0)
		::close(a.file);
	shares -= a.foreign || a.file >= 0;
	a.gone = true;
}

bool Memory::release(uintptr_t at) {
	Array *a = begins(at);
	if (!a || a->foreign)
		return false;
	remove(*a);
	return true;
}

bool Memory::lock(uintptr_t at, size_t bytes, const void *owner) {
	const Locks &old = *locks;
	const auto next = old.lower_bound(at);
	if (next != old.end() && next->first < at + bytes)
		return false;
	if (next != old.begin() && std::prev(next)->first + std::prev(next)->second.first > at)
		return false;
	Locks *now = new Locks(old);
	(*now)[at] = {bytes, owner};
	locks = now;
	return true;
}

bool Memory::unlock(uintptr_t at) {
	Locks *now = new Locks(*locks);
	const bool found = now->erase(at) == 1;
	locks = now;
	return found;
}

bool Memory::isLocked(uintptr_t at, size_t bytes) const {
	const Locks &all = *locks;
	auto lock = all.upper_bound(at);
	if (lock == all.begin())
		return false;
	--lock;
	const size_t from = at - lock->first, most = lock->second.first;
	return from <= most && bytes <= most - from;
}

void Memory::releaseAll(const void *owner) {
	Locks *left = new Locks(*locks);
	std::erase_if(*left, [=](auto &lock) { return lock.second.second == owner; });
	locks = left;
	Array *last = nullptr;
	for (uintptr_t p = roundUp(base, chunk); p < next; p += chunk) {
		Array *a = find(p);
		if (a && a != last && !a->gone && a->owner == owner)
			remove(*a);
		last = a;
	}
}

bool Memory::has(uintptr_t at, size_t bytes, const void *owner) const {
	if (!holds(at))
		return isLocked(at, bytes);
	const Array *a = find(at);
	return a && !a->gone && mayAccess(*a, owner) && at >= a->at && bytes <= a->bytes && at - a->at <= a->bytes - bytes;
}

const char *Memory::describe(uintptr_t at, const void *owner, char *text, size_t capacity) const {
	const Array *a = holds(at) ? find(at) : nullptr;
	if (!a)
		snprintf(text, capacity, "outside all arrays");
	else
		snprintf(text, capacity, "at byte %zd of an array of %zu bytes%s", ssize_t(at - a->at), a->bytes, a->gone ? " that was freed" : mayAccess(*a, owner) ? "" : " of another context");
	return text;
}

} // namespace emulation
