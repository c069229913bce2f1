#include "grid.h"

#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <semaphore.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "device.h"
#include "fiber.h"
#include "memory.h"
#include "shared.h"

struct uint3 {
	unsigned x, y, z;
};
// language.h declares them.
uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulation {

namespace {

enum { illegalAddress = 700, misalignedAddress = 716, launchFailed = 719 };

struct Random {
	uint64_t state;

	uint64_t next() {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		return state * 0x2545F4914F6CDD1D;
	}
	unsigned below(unsigned n) { return (next() >> 32) * n >> 32; }
};

// Wait is where a thread of a kernel waits.
struct Wait {
	const char *name = nullptr;
	Place place{};

	bool operator==(const Wait &w) const {
		return name == w.name && place.line == w.place.line && (place.file == w.place.file || !strcmp(place.file, w.place.file));
	}
};

struct Thread {
	unsigned number;
	Fiber *fiber = nullptr; // null before it starts
	Wait wait;
	uint64_t result; // of the last meeting of the warp
};

// Gathering is a meeting of lanes of a warp that not all have reached.
struct Gathering {
	unsigned mask, arrived = 0;
	Meeting what;
	Wait wait;
	uint64_t value[32];
	unsigned from[32];
};

struct Warp {
	std::vector<Gathering> gatherings;
	unsigned ended = 0; // lanes
	uint32_t syncs = 0;
};

// Signal lets one thread of the system wait for another one. That of the
// standard library looks many times before it waits, which takes the processor
// from the one that works.
class Signal {
public:
	Signal() { sem_init(&semaphore, 0, 0); }
	void give() { sem_post(&semaphore); }
	void wait() {
		while (sem_wait(&semaphore)) {
		}
	}

private:
	sem_t semaphore;
};

// Slot is a place for a block.
class Slot {
public:
	Signal turn;

	void main();

	unsigned meetBlock(const char *name, bool on, Place place);
	uint64_t meetWarp(Meeting what, const char *name, unsigned mask, uint64_t value, unsigned from, Place place);
	void access(uintptr_t at, size_t bytes, Access access, void *where);
	void preempt();
	[[noreturn]] void fail(int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
	bool isShared(uintptr_t at) const { return at - shared.at < shared.bytes; }

	Thread *current;

private:
	void work();
	void runBlock(unsigned number);
	static void body(Fiber *fiber);
	void finish(Fiber *fiber);
	bool runnable() const { return !ready.empty() || !unstarted.empty(); }
	Thread &pick();
	void become(Thread &t);
	[[noreturn]] void goTo(Thread &t);
	[[noreturn]] void stop() { home.go(); }
	void pause();
	void giveTurn();
	[[noreturn]] void stuck();
	void complete(Warp &w, const Gathering &g);
	std::string waits() const;

	Spot home;
	std::vector<Fiber *> idle;
	std::vector<Thread> threads;
	std::vector<Warp> warps;
	std::vector<unsigned> unstarted, ready;
	unsigned number, ended, arrived, said, counted;
	uint32_t barriers = 0;
	Wait barrier;
	SharedMemory shared;
	uintptr_t touched, touchedEnd; // of the shared memory
	Races races;
};

// What runs now: one launch at a time, and of it one slot.
struct Running {
	const Launch *launch;
	Random random;
	unsigned first, end; // blocks that have not begun
	std::vector<Slot *> live;
	Fault fault;
	int stretch; // mean number of accesses between two changes of thread
	int left;    // accesses to the next change
	uint64_t changes, changesSeen;
	unsigned unchanged; // changes of thread in which nothing was written
	Signal finished;
} running;

Slot *here; // null while no kernel runs

// A wait in which nothing is written for so many changes of thread has no end.
constexpr unsigned patience = 200000;

thread_local bool onSlot;

struct sigaction faultBefore;

// unseen ends the process after an access that access() has not seen: a stack
// that overflows, say. Other threads' faults are not ours.
void unseen(int signal, siginfo_t *info, void *context) {
	if (onSlot && here) {
		char text[200];
		const int n = snprintf(text, sizeof text, "emulated GPU: kernel %s, block %u, thread %u: signal %d at %p, beyond the stack of a thread perhaps\n",
			running.launch->name, blockIdx.x, threadIdx.x, signal, info->si_addr);
		if (write(2, text, n) < 0)
			_exit(3);
		_exit(2);
	}
	if (faultBefore.sa_flags & SA_SIGINFO)
		faultBefore.sa_sigaction(signal, info, context);
	else
		sigaction(signal, &faultBefore, nullptr);
}

void Slot::main() {
	onSlot = true;
	stack_t stack{};
	std::vector<char> room(64 << 10);
	stack.ss_sp = room.data();
	stack.ss_size = room.size();
	sigaltstack(&stack, nullptr);
	for (;;) {
		turn.wait();
		work();
	}
}

// work runs blocks until there are no more and lets another slot go on.
void Slot::work() {
	here = this;
	const Launch &l = *running.launch;
	shared = l.shared(l.module);
	touched = shared.at;
	touchedEnd = shared.at + shared.bytes;
	while (!running.fault.code && running.first < running.end) {
		// Nothing says in which order blocks begin.
		runBlock(running.random.below(2) ? running.first++ : --running.end);
	}
	here = nullptr;
	std::erase(running.live, this);
	if (running.live.empty())
		running.finished.give();
	else
		running.live[running.random.below(running.live.size())]->turn.give();
}

void Slot::runBlock(unsigned block) {
	const unsigned n = running.launch->block;
	number = block;
	blockIdx.x = block;
	ended = arrived = said = 0;
	barriers++;
	threads.resize(n);
	warps.resize((n + 31) / 32);
	unstarted.resize(n);
	ready.clear();
	for (unsigned t = 0; t < n; t++) {
		threads[t].number = unstarted[t] = t;
		threads[t].fiber = nullptr;
	}
	for (Warp &w : warps) {
		w.gatherings.clear();
		w.ended = 0;
	}
	if (touched < touchedEnd)
		memset(reinterpret_cast<void *>(touched), running.random.below(2) ? 0xA9 : 0xFF, touchedEnd - touched);
	touched = ~uintptr_t(0);
	touchedEnd = 0;
	if (EMULATION_MARK(home))
		goTo(pick());
}

// body runs threads of kernels on a fiber, one after the other.
void Slot::body(Fiber *fiber) {
	for (;;) {
		running.launch->call(running.launch->arguments);
		here->finish(fiber);
	}
}

// finish ends the current thread and returns once another begins on its fiber.
void Slot::finish(Fiber *fiber) {
	Warp &w = warps[current->number / 32];
	if (arrived)
		fail(launchFailed, "ends while others wait: %s", waits().c_str());
	for (const Gathering &g : w.gatherings)
		if (g.mask >> current->number % 32 & 1)
			fail(launchFailed, "ends while its warp waits for it at %s (%s:%d)", g.wait.name, g.wait.place.file, g.wait.place.line);
	w.ended |= 1u << current->number % 32;
	running.changes++;
	if (++ended == threads.size()) {
		idle.push_back(fiber);
		if (EMULATION_MARK(fiber->spot))
			stop();
		return;
	}
	if (!runnable())
		stuck();
	Thread &next = pick();
	if (next.fiber) {
		idle.push_back(fiber);
		if (EMULATION_MARK(fiber->spot))
			goTo(next);
		return;
	}
	next.fiber = fiber;
	become(next);
}

Thread &Slot::pick() {
	unsigned i = running.random.below(ready.size() + unstarted.size());
	std::vector<unsigned> &from = i < ready.size() ? ready : unstarted;
	if (i >= ready.size())
		i -= ready.size();
	Thread &t = threads[from[i]];
	from[i] = from.back();
	from.pop_back();
	return t;
}

void Slot::become(Thread &t) {
	current = &t;
	threadIdx.x = t.number;
}

void Slot::goTo(Thread &t) {
	if (!t.fiber) {
		if (idle.empty())
			idle.push_back(new Fiber(body));
		t.fiber = idle.back();
		idle.pop_back();
	}
	become(t);
	t.fiber->spot.go();
}

// pause goes on with another thread, which may be this one if it is ready.
void Slot::pause() {
	if (!runnable())
		stuck();
	Thread &next = pick();
	if (&next == current)
		return;
	Fiber *fiber = current->fiber;
	if (EMULATION_MARK(fiber->spot))
		goTo(next);
}

// giveTurn lets another block go on.
void Slot::giveTurn() {
	if (running.live.size() < 2)
		return;
	Slot *other;
	do
		other = running.live[running.random.below(running.live.size())];
	while (other == this);
	other->turn.give();
	turn.wait();
	here = this;
	blockIdx.x = number;
	become(*current);
	if (running.fault.code)
		stop();
}

// preempt is a change of thread in the midst of reads and writes.
void Slot::preempt() {
	running.left = 1 + running.random.below(2 * running.stretch);
	if (running.changes != running.changesSeen) {
		running.changesSeen = running.changes;
		running.unchanged = 0;
	} else if (++running.unchanged > patience) {
		fail(launchFailed, "waits for what no thread does; all others in its block: %s", waits().c_str());
	}
	// A turn of another block takes a call of the system.
	if (!runnable() || running.random.below(4096) < unsigned(running.stretch))
		giveTurn();
	ready.push_back(current->number);
	pause();
}

std::string Slot::waits() const {
	struct Group {
		Wait wait;
		unsigned count, first;
	};
	std::vector<Group> groups;
	for (const Thread &t : threads) {
		if (!t.wait.name)
			continue;
		Group *same = nullptr;
		for (Group &g : groups)
			if (g.wait == t.wait)
				same = &g;
		if (same)
			same->count++;
		else
			groups.push_back({t.wait, 1, t.number});
	}
	std::string text;
	for (const Group &g : groups) {
		char part[300];
		snprintf(part, sizeof part, "%s%u from thread %u on at %s (%s:%d)", text.empty() ? "" : ", ", g.count, g.first, g.wait.name,
			g.wait.place.file, g.wait.place.line);
		text += part;
	}
	return text + (text.empty() ? "" : ", ") + std::to_string(ended) + " have ended";
}

void Slot::stuck() { fail(launchFailed, "deadlock: no thread of the block can go on: %s", waits().c_str()); }

void Slot::fail(int code, const char *format, ...) {
	char text[1500];
	int n = snprintf(text, sizeof text, "kernel %s, block %u, thread %u: ", running.launch->name, number, current->number);
	va_list rest;
	va_start(rest, format);
	vsnprintf(text + n, sizeof text - n, format, rest);
	va_end(rest);
	running.fault = {code, text};
	stop();
}

unsigned Slot::meetBlock(const char *name, bool on, Place place) {
	const Wait wait{name, place};
	if (arrived == 0)
		barrier = wait;
	else if (!(barrier == wait))
		fail(launchFailed, "is at %s (%s:%d), but others of its block: %s", name, place.file, place.line, waits().c_str());
	if (ended)
		fail(launchFailed, "is at %s (%s:%d), but %u threads of its block have ended", name, place.file, place.line, ended);
	Thread &me = *current;
	me.wait = wait;
	said += on;
	running.changes++;
	if (++arrived == threads.size()) {
		counted = said;
		arrived = said = 0;
		barriers++;
		for (Thread &t : threads) {
			t.wait = {};
			ready.push_back(t.number);
		}
	}
	pause();
	// No thread counts anew before all have left.
	return counted;
}

uint64_t Slot::meetWarp(Meeting what, const char *name, unsigned mask, uint64_t value, unsigned from, Place place) {
	Thread &me = *current;
	Warp &w = warps[me.number / 32];
	const unsigned lane = me.number % 32, first = me.number - lane;
	const Wait wait{name, place};
	if (threads.size() - first < 32) // lanes that do not exist count as ended before
		mask &= (1u << (threads.size() - first)) - 1;
	if (!(mask >> lane & 1))
		fail(launchFailed, "is at %s (%s:%d), but not in its mask %#x", name, place.file, place.line, mask);
	if (mask & w.ended)
		fail(launchFailed, "is at %s (%s:%d), but the lanes %#x in its mask have ended", name, place.file, place.line, mask & w.ended);
	if (what == move && (from > 31 || !(mask >> from & 1)))
		fail(launchFailed, "is at %s (%s:%d) and takes from lane %u, which is not in the mask %#x", name, place.file, place.line, from, mask);
	Gathering *g = nullptr;
	for (Gathering &other : w.gatherings) {
		if (!(other.mask & mask))
			continue;
		if (other.mask != mask || !(other.wait == wait))
			fail(launchFailed, "is at %s (%s:%d) with mask %#x, but lanes %#x of its warp at %s (%s:%d) with mask %#x", name, place.file,
				place.line, mask, other.arrived, other.wait.name, other.wait.place.file, other.wait.place.line, other.mask);
		g = &other;
	}
	if (!g) {
		w.gatherings.emplace_back();
		g = &w.gatherings.back();
		g->mask = mask;
		g->what = what;
		g->wait = wait;
	}
	me.wait = wait;
	g->value[lane] = value;
	g->from[lane] = from;
	g->arrived |= 1u << lane;
	running.changes++;
	if (g->arrived == mask) {
		complete(w, *g);
		for (unsigned l = 0; l < 32; l++)
			if (mask >> l & 1) {
				threads[first + l].wait = {};
				ready.push_back(first + l);
			}
		if (g != &w.gatherings.back())
			*g = w.gatherings.back();
		w.gatherings.pop_back();
	}
	pause();
	return me.result;
}

// complete gives every lane its result.
void Slot::complete(Warp &w, const Gathering &g) {
	uint64_t all = g.what == both || g.what == least ? ~uint64_t(0) : 0, before = 0;
	for (unsigned l = 0; l < 32; l++) {
		if (!(g.mask >> l & 1))
			continue;
		const uint64_t x = g.value[l];
		switch (g.what) {
		case sync: break;
		case ballot: all |= uint64_t(x != 0) << l; break;
		case sum: all += x; break;
		case least: all = std::min(all, x); break;
		case largest: all = std::max(all, x); break;
		case either: all |= x; break;
		case both: all &= x; break;
		case match: case move: case sumBefore: break;
		}
	}
	if (g.what == sync)
		w.syncs++;
	Thread *lanes = &threads[(&w - warps.data()) * 32];
	for (unsigned l = 0; l < 32; l++) {
		if (!(g.mask >> l & 1))
			continue;
		uint64_t result = all;
		if (g.what == move)
			result = g.value[g.from[l]];
		if (g.what == sumBefore) {
			result = before;
			before += g.value[l];
		}
		if (g.what == match)
			for (unsigned k = 0; k < 32; k++)
				result |= uint64_t((g.mask >> k & 1) && g.value[k] == g.value[l]) << k;
		lanes[l].result = result;
	}
}

// line is where in the source an access of the program is.
std::string line(uintptr_t where) { return running.launch->line(running.launch->module, where); }

// access checks a read or a write, which comes before the address where, and may
// go on with other threads before it.
void Slot::access(uintptr_t at, size_t bytes, Access access, void *where) {
	if (current->fiber->holds(at))
		return;
	const Launch &l = *running.launch;
	const uintptr_t place = uintptr_t(where);
	const char *what = writes(access) ? "write" : "read";
	if (bytes <= 16 && at & (bytes - 1))
		fail(misalignedAddress, "%s of %zu bytes at %#zx, which is no multiple of them, in %s", what, bytes, at, line(place).c_str());
	running.changes += writes(access);
	if (l.memory->holds(at)) {
		if (!l.memory->has(at, bytes, l.owner)) {
			char text[100];
			fail(illegalAddress, "%s of %zu bytes %s, in %s", what, bytes, l.memory->describe(at, l.owner, text, sizeof text), line(place).c_str());
		}
	} else if (isShared(at)) {
		const bool dynamic = shared.dynamic && at - shared.dynamic < dynamicRoom;
		if (dynamic && at + bytes > shared.dynamic + l.dynamicBytes)
			fail(illegalAddress, "%s of %zu bytes at byte %zu of dynamic shared memory, of which the launch has %zu, in %s", what, bytes,
				at - shared.dynamic, l.dynamicBytes, line(place).c_str());
		touched = std::min(touched, at);
		touchedEnd = std::max(touchedEnd, at + bytes);
		const Turn now{place, uint16_t(current->number), barriers, warps[current->number / 32].syncs};
		if (const Turn *other = races.enter(at - shared.at, bytes, access, now))
			fail(launchFailed, "race: %s of %zu bytes at byte %zu of %s shared memory, in %s, and no barrier since thread %u was there, in %s", what,
				bytes, at - (dynamic ? shared.dynamic : shared.at), dynamic ? "dynamic" : "static", line(place).c_str(), other->thread,
				line(other->where).c_str());
	} else if (at - l.image >= l.imageEnd - l.image) {
		fail(illegalAddress, "%s of %zu bytes at %#zx, where the device has no memory, in %s", what, bytes, at, line(place).c_str());
	}
	running.left -= plain(access) ? 1 : 16;
	if (running.left < 0)
		preempt();
}

} // namespace

unsigned meetBlock(const char *name, bool on, Place place) { return here->meetBlock(name, on, place); }

uint64_t meetWarp(Meeting what, const char *name, unsigned mask, uint64_t value, unsigned from, Place place) {
	return here->meetWarp(what, name, mask, value, from, place);
}

unsigned lane() { return here->current->number % 32; }

namespace {

template <typename T> T changed(Change how, T old, T x, T compare) {
	using S = std::make_signed_t<T>;
	switch (how) {
	case add: return old + x;
	case keep: return old & x;
	case set: return old | x;
	case flip: return old ^ x;
	case exchange: return x;
	case exchangeIfEqual: return old == compare ? x : old;
	case lower: return std::min(old, x);
	case raise: return std::max(old, x);
	case lowerSigned: return std::min(S(old), S(x));
	case raiseSigned: return std::max(S(old), S(x));
	}
	__builtin_unreachable();
}

template <typename T> T change(Change how, volatile void *at, T x, T compare) {
	volatile T *p = static_cast<volatile T *>(at);
	const T old = *p;
	*p = changed(how, old, x, compare);
	return old;
}

} // namespace

uint64_t atomic(Change how, volatile void *at, size_t bytes, uint64_t operand, uint64_t compare) {
	here->access(uintptr_t(at), bytes, Access::atomicWrite, __builtin_return_address(0));
	switch (bytes) {
	case 2: return change<uint16_t>(how, at, operand, compare);
	case 4: return change<uint32_t>(how, at, operand, compare);
	case 8: return change<uint64_t>(how, at, operand, compare);
	}
	here->fail(launchFailed, "atomic on %zu bytes", bytes);
}

void misaligned(const volatile void *at, size_t bytes) {
	here->fail(misalignedAddress, "access of %zu bytes at %p, which is no multiple of their alignment", bytes, const_cast<const void *>(at));
}

bool isShared(const void *at) { return here->isShared(uintptr_t(at)); }

uint64_t now() {
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return uint64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

Fault run(const Launch &launch, unsigned places, uint64_t seed) {
	static std::vector<std::unique_ptr<Slot>> slots;
	if (slots.empty()) {
		struct sigaction action {};
		action.sa_sigaction = unseen;
		action.sa_flags = SA_SIGINFO | SA_ONSTACK;
		sigaction(SIGSEGV, &action, &faultBefore);
	}
	while (slots.size() < places) {
		slots.push_back(std::make_unique<Slot>());
		std::thread(&Slot::main, slots.back().get()).detach();
	}
	running.launch = &launch;
	running.random.state = seed | 1;
	for (int i = 0; i < 8; i++)
		running.random.next();
	running.first = 0;
	running.end = launch.grid;
	running.live.clear();
	for (unsigned i = 0; i < places && i < launch.grid; i++)
		running.live.push_back(slots[i].get());
	running.fault = {};
	running.stretch = 16 << 3 * running.random.below(4); // 16 to 8192
	running.left = 1 + running.random.below(2 * running.stretch);
	running.changesSeen = running.changes;
	running.unchanged = 0;
	blockDim = {launch.block, 1, 1};
	gridDim = {launch.grid, 1, 1};
	blockIdx = threadIdx = {0, 0, 0};
	running.live[running.random.below(running.live.size())]->turn.give();
	running.finished.wait();
	return std::move(running.fault);
}

// The compiler puts a call of one of these before every read and write of a
// module that may be of memory which others see (-fsanitize=thread).
#define EMULATION_ACCESS(name, bytes, how)                                         \
	extern "C" void name(void *at) {                                           \
		if (here)                                                          \
			here->access(uintptr_t(at), bytes, how, __builtin_return_address(0)); \
	}
#define EMULATION_ACCESSES(bytes)                                                  \
	EMULATION_ACCESS(__tsan_read##bytes, bytes, Access::read)                  \
	EMULATION_ACCESS(__tsan_write##bytes, bytes, Access::write)                \
	EMULATION_ACCESS(__tsan_volatile_read##bytes, bytes, Access::atomicRead)   \
	EMULATION_ACCESS(__tsan_volatile_write##bytes, bytes, Access::atomicWrite)
EMULATION_ACCESSES(1)
EMULATION_ACCESSES(2)
EMULATION_ACCESSES(4)
EMULATION_ACCESSES(8)
EMULATION_ACCESSES(16)

extern "C" void __tsan_read_range(void *at, size_t bytes) {
	if (here)
		here->access(uintptr_t(at), bytes, Access::read, __builtin_return_address(0));
}
extern "C" void __tsan_write_range(void *at, size_t bytes) {
	if (here)
		here->access(uintptr_t(at), bytes, Access::write, __builtin_return_address(0));
}
extern "C" void __tsan_init() {}

} // namespace emulation
