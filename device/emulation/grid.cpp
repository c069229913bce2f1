#include "grid.h"

#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
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

// Wait is the collective at which a kernel thread waits.
struct Wait {
	const char *name = nullptr;
	SourceLine source{};

	bool operator==(const Wait &w) const {
		return name == w.name && source.line == w.source.line && (source.file == w.source.file || !strcmp(source.file, w.source.file));
	}
};

struct Thread {
	unsigned number;
	Fiber *fiber = nullptr; // null before it starts
	Wait wait;
	uint64_t result; // of the last warp collective
};

// PendingCollective is a warp collective that some of its lanes have not reached.
struct PendingCollective {
	unsigned mask, arrived = 0;
	Collective what;
	Wait wait;
	uint64_t value[32];
	unsigned from[32];
};

struct Warp {
	std::vector<PendingCollective> pending;
	unsigned ended = 0; // lanes
	uint32_t syncs = 0;
};

// NamedBarrier is a barrier of some warps of a block.
struct NamedBarrier {
	unsigned threads;
	std::vector<unsigned> arrived;
	Wait wait;
};

// BulkPhase is the state of the barrier of bulk copies to shared memory.
struct BulkPhase {
	unsigned phases = 0; // that have ended
	bool expecting = false;
	int64_t bytes = 0; // expected and not copied yet
	struct Copy {
		uintptr_t to, from;
		unsigned bytes;
	};
	std::vector<Copy> copies;
};

// BulkWrite is a bulk copy to global memory. Until the source is read, data is empty.
struct BulkWrite {
	unsigned thread;
	uintptr_t to, from;
	unsigned bytes;
	std::vector<char> data;
};

// Signal lets one OS thread wait for another. The semaphore of the C++ standard
// library spins before it blocks, which takes the processor from the working thread.
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

struct Running;

// Slot executes one resident block at a time.
class Slot {
public:
	Signal turn;
	Running *launch; // that it takes blocks of

	void main();

	unsigned blockBarrier(const char *name, bool predicate, SourceLine source);
	void warpsBarrier(unsigned number, unsigned threads, SourceLine source);
	void beginBulk(uintptr_t barrier);
	void expectBulk(uintptr_t barrier, unsigned bytes);
	void readBulk(uintptr_t to, uintptr_t from, unsigned bytes, uintptr_t barrier);
	void waitBulk(uintptr_t barrier, unsigned phase);
	void writeBulk(uintptr_t to, uintptr_t from, unsigned bytes);
	void waitBulkSources();
	void waitBulkWrites();
	uint64_t warpCollective(Collective what, const char *name, unsigned mask, uint64_t value, unsigned from, SourceLine source);
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
	bool runnable() const { return following || !ready.empty() || !unstarted.empty(); }
	Thread &pick();
	Thread *draw();
	void become(Thread &t);
	[[noreturn]] void goTo(Thread &t);
	[[noreturn]] void stop() { home.go(); }
	void pause();
	void idleSwitch();
	void giveTurn();
	void resume();
	[[noreturn]] void stuck();
	void complete(Warp &w, const PendingCollective &g);
	BulkPhase &bulkPhase(uintptr_t barrier);
	void checkBulk(const char *name, uintptr_t global, uintptr_t inShared, unsigned bytes);
	std::string waits() const;

	Spot home;
	std::vector<Fiber *> idle;
	std::vector<Thread> threads;
	std::vector<Warp> warps;
	std::vector<unsigned> unstarted, ready;
	Thread *following; // the thread that runs next, taken from unstarted or ready; null if there was none
	unsigned number, ended, arrived, votes, voteCount;
	uint32_t barriers = 0;
	Wait barrier;
	std::map<unsigned, NamedBarrier> named;
	std::map<uintptr_t, BulkPhase> bulk; // by address of the barrier
	std::vector<BulkWrite> bulkWrites;
	SharedMemory shared;
	uintptr_t touched, touchedEnd; // accessed range of the shared memory
	Races races;
};

// Running is the state of one launch.
struct Running {
	const Launch *launch;
	Random random;
	unsigned first, end; // range of blocks that have not begun
	unsigned live = 0;   // slots that have not run out of blocks
	Fault fault;
	int switchInterval; // mean number of accesses between two thread switches
	int untilSwitch;    // accesses until the next thread switch
	uint64_t progressSeen;
	unsigned idleSwitches; // successive thread switches without progress
	uint64_t idleSince;    // time of the first of them
	Signal finished;
};

// Turns passes the turn between the slots of all launches: one slot runs at a time.
class Turns {
public:
	// add adds the slots of a launch. It gives one of them the turn if none has it.
	void add(const std::vector<Slot *> &slots, Random &random) {
		std::lock_guard lock(mutex);
		const bool idle = live.empty();
		live.insert(live.end(), slots.begin(), slots.end());
		if (idle)
			live[random.below(live.size())]->turn.give();
	}

	// pass gives the turn to another slot. It returns false if there is none.
	bool pass(Slot *from, Random &random) {
		std::lock_guard lock(mutex);
		if (live.size() < 2)
			return false;
		Slot *other;
		do
			other = live[random.below(live.size())];
		while (other == from);
		other->turn.give();
		return true;
	}

	// remove takes out a slot and gives the turn to another one.
	void remove(Slot *slot, Random &random) {
		std::lock_guard lock(mutex);
		std::erase(live, slot);
		if (!live.empty())
			live[random.below(live.size())]->turn.give();
	}

private:
	std::mutex mutex;
	std::vector<Slot *> live;
} turns;

Running *running;  // the launch of the running slot
uint64_t progress; // of all launches: writes, and arrivals at barriers and ends of threads
Slot *here;        // null while no kernel runs

// A kernel without progress for this number of thread switches and this time in nanoseconds
// is deadlocked. On a busy machine, what a kernel of another device waits for takes a while.
constexpr unsigned maxIdleSwitches = 200000;
constexpr uint64_t maxIdleTime = 1'000'000'000;

// The time if it may wait for another process.
constexpr uint64_t maxSharedIdleTime = 60'000'000'000;

thread_local bool onSlot;

struct sigaction previousHandler;

// faultHandler ends the process after a fault that access() did not check, such as a
// stack overflow. It passes the faults of other OS threads to the previous handler.
void faultHandler(int signal, siginfo_t *info, void *context) {
	if (onSlot && here) {
		char text[200];
		const int n = snprintf(text, sizeof text, "emulated GPU: kernel %s, block %u, thread %u: signal %d at %p, perhaps a stack overflow\n",
			running->launch->name, blockIdx.x, threadIdx.x, signal, info->si_addr);
		if (write(2, text, n) < 0)
			_exit(3);
		_exit(2);
	}
	if (previousHandler.sa_flags & SA_SIGINFO)
		previousHandler.sa_sigaction(signal, info, context);
	else
		sigaction(signal, &previousHandler, nullptr);
}

void Slot::main() {
	onSlot = true;
	stack_t stack{};
	std::vector<char> signalStack(64 << 10);
	stack.ss_sp = signalStack.data();
	stack.ss_size = signalStack.size();
	sigaltstack(&stack, nullptr);
	for (;;) {
		turn.wait();
		work();
	}
}

// work runs blocks until none is left, then passes the turn to another slot.
void Slot::work() {
	resume();
	const Launch &l = *running->launch;
	shared = l.shared(l.module);
	touched = shared.at;
	touchedEnd = shared.at + shared.bytes;
	while (!running->fault.code && running->first < running->end) {
		// The order in which blocks begin is unspecified.
		runBlock(running->random.below(2) ? running->first++ : --running->end);
	}
	here = nullptr;
	Running &mine = *running;
	const bool last = --mine.live == 0;
	turns.remove(this, mine.random);
	if (last)
		mine.finished.give(); // mine is gone from here on
}

// resume makes this slot the running one.
void Slot::resume() {
	here = this;
	running = launch;
	blockDim = {launch->launch->block, 1, 1};
	gridDim = {launch->launch->grid, 1, 1};
}

void Slot::runBlock(unsigned block) {
	const unsigned n = running->launch->block;
	number = block;
	blockIdx.x = block;
	ended = arrived = votes = 0;
	barriers++;
	threads.resize(n);
	warps.resize((n + 31) / 32);
	unstarted.resize(n);
	ready.clear();
	following = nullptr;
	for (unsigned t = 0; t < n; t++) {
		threads[t].number = unstarted[t] = t;
		threads[t].fiber = nullptr;
	}
	for (Warp &w : warps) {
		w.pending.clear();
		w.ended = 0;
	}
	named.clear();
	bulk.clear();
	bulkWrites.clear();
	if (touched < touchedEnd)
		memset(reinterpret_cast<void *>(touched), running->random.below(2) ? 0xA9 : 0xFF, touchedEnd - touched);
	touched = ~uintptr_t(0);
	touchedEnd = 0;
	if (EMULATION_MARK(home))
		goTo(pick());
}

// body runs kernel threads on a fiber, one after the other.
void Slot::body(Fiber *fiber) {
	for (;;) {
		running->launch->call(running->launch->arguments);
		here->finish(fiber);
	}
}

// finish ends the current thread. It returns when another thread begins on the
// fiber.
void Slot::finish(Fiber *fiber) {
	Warp &w = warps[current->number / 32];
	if (arrived)
		fail(launchFailed, "ends while others wait: %s", waits().c_str());
	for (const PendingCollective &g : w.pending)
		if (g.mask >> current->number % 32 & 1)
			fail(launchFailed, "ends while its warp waits for it at %s (%s:%d)", g.wait.name, g.wait.source.file, g.wait.source.line);
	w.ended |= 1u << current->number % 32;
	progress++;
	if (++ended == threads.size()) {
		for (const auto &[at, b] : bulk)
			if (b.expecting)
				fail(launchFailed, "ends while bulk copies to shared memory are in flight");
		if (!bulkWrites.empty())
			fail(launchFailed, "ends, but thread %u has not waited for its bulk copies", bulkWrites[0].thread);
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

// pick returns a random thread that can run. It draws the one after it, too: that one's stack, which
// other threads have displaced from the cache, arrives while this one runs.
Thread &Slot::pick() {
	Thread *const t = following ? following : draw();
	following = draw();
	if (following && following->fiber)
		following->fiber->prefetch();
	return *t;
}

// draw takes a random thread out of unstarted and ready, or returns null.
Thread *Slot::draw() {
	const size_t count = ready.size() + unstarted.size();
	if (count == 0)
		return nullptr;
	unsigned i = running->random.below(count);
	std::vector<unsigned> &from = i < ready.size() ? ready : unstarted;
	if (i >= ready.size())
		i -= ready.size();
	Thread *const t = &threads[from[i]];
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

// pause switches to a ready thread, which may be the current one.
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

// giveTurn switches to another block.
void Slot::giveTurn() {
	if (!turns.pass(this, running->random))
		return;
	turn.wait();
	resume();
	blockIdx.x = number;
	become(*current);
	if (running->fault.code)
		stop();
}

// preempt switches threads between two memory accesses.
void Slot::preempt() {
	running->untilSwitch = 1 + running->random.below(2 * running->switchInterval);
	if (progress != running->progressSeen) {
		running->progressSeen = progress;
		running->idleSwitches = 0;
	} else {
		idleSwitch();
	}
	// Rarely switch blocks, because that needs a system call.
	if (!runnable() || running->random.below(4096) < unsigned(running->switchInterval))
		giveTurn();
	ready.push_back(current->number);
	pause();
}

// idleSwitch counts a thread switch without progress. The threads may wait for a kernel of
// another device or process, which needs the processor.
void Slot::idleSwitch() {
	const bool shared = running->launch->memory->isShared();
	const unsigned n = ++running->idleSwitches;
	if (n == 1)
		running->idleSince = now();
	if (n % 64 != 0 || (!shared && n <= maxIdleSwitches))
		return;
	const timespec nap{0, 10000};
	nanosleep(&nap, nullptr);
	const bool tooLong = now() - running->idleSince > (shared ? maxSharedIdleTime : maxIdleTime);
	giveTurn();
	if (tooLong)
		fail(launchFailed, "waits for an event that never comes; all others in its block: %s", waits().c_str());
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
		snprintf(part, sizeof part, "%s%u threads, the first is %u, at %s (%s:%d)", text.empty() ? "" : ", ", g.count, g.first, g.wait.name,
			g.wait.source.file, g.wait.source.line);
		text += part;
	}
	return text + (text.empty() ? "" : ", ") + std::to_string(ended) + " have ended";
}

void Slot::stuck() { fail(launchFailed, "deadlock: no thread of the block can continue: %s", waits().c_str()); }

void Slot::fail(int code, const char *format, ...) {
	char text[1500];
	int n = snprintf(text, sizeof text, "kernel %s, block %u, thread %u: ", running->launch->name, number, current->number);
	va_list rest;
	va_start(rest, format);
	vsnprintf(text + n, sizeof text - n, format, rest);
	va_end(rest);
	running->fault = {code, text};
	stop();
}

unsigned Slot::blockBarrier(const char *name, bool predicate, SourceLine source) {
	const Wait wait{name, source};
	if (arrived == 0)
		barrier = wait;
	else if (!(barrier == wait))
		fail(launchFailed, "is at %s (%s:%d), but others of its block: %s", name, source.file, source.line, waits().c_str());
	if (ended)
		fail(launchFailed, "is at %s (%s:%d), but %u threads of its block have ended", name, source.file, source.line, ended);
	Thread &me = *current;
	me.wait = wait;
	votes += predicate;
	progress++;
	if (++arrived == threads.size()) {
		voteCount = votes;
		arrived = votes = 0;
		barriers++;
		for (Thread &t : threads) {
			t.wait = {};
			ready.push_back(t.number);
		}
	}
	pause();
	// voteCount is still valid: the next barrier completes only after all threads
	// have left this one.
	return voteCount;
}

void Slot::warpsBarrier(unsigned number, unsigned count, SourceLine source) {
	const Wait wait{"waitWarps", source};
	if (number < 1 || number > 15 || count % 32 || count > threads.size())
		fail(launchFailed, "is at waitWarps (%s:%d) with number %u and %u threads", source.file, source.line, number, count);
	NamedBarrier &b = named[number];
	if (b.arrived.empty()) {
		b.threads = count;
		b.wait = wait;
	} else if (b.threads != count || !(b.wait == wait))
		fail(launchFailed, "is at waitWarps %u (%s:%d), but others: %s", number, source.file, source.line, waits().c_str());
	current->wait = wait;
	b.arrived.push_back(current->number);
	progress++;
	if (b.arrived.size() == count) {
		barriers++; // also for the other warps of the block: races with those are not found
		for (unsigned t : b.arrived) {
			threads[t].wait = {};
			ready.push_back(t);
		}
		b.arrived.clear();
	}
	pause();
}

BulkPhase &Slot::bulkPhase(uintptr_t barrier) {
	const auto found = bulk.find(barrier);
	if (found == bulk.end())
		fail(launchFailed, "uses a barrier for bulk copies that is not initialized");
	return found->second;
}

void Slot::checkBulk(const char *name, uintptr_t global, uintptr_t inShared, unsigned bytes) {
	if ((global | inShared | bytes) % 16)
		fail(misalignedAddress, "%s of %u bytes between %#zx and %#zx: not multiples of 16", name, bytes, global, inShared);
	if (!isShared(inShared) || !isShared(inShared + bytes - 1) || (shared.dynamic && inShared - shared.dynamic < dynamicLimit && inShared + bytes > shared.dynamic + running->launch->dynamicBytes))
		fail(illegalAddress, "%s of %u bytes outside shared memory", name, bytes);
	const Launch &l = *running->launch;
	if (!l.memory->has(global, bytes, l.owner)) {
		char text[100];
		fail(illegalAddress, "%s of %u bytes %s", name, bytes, l.memory->describe(global, l.owner, text, sizeof text));
	}
}

void Slot::beginBulk(uintptr_t barrier) { bulk[barrier] = {}; }

void Slot::expectBulk(uintptr_t barrier, unsigned bytes) {
	BulkPhase &b = bulkPhase(barrier);
	if (b.expecting)
		fail(launchFailed, "begins a phase of a barrier for bulk copies before the last one has ended");
	b.expecting = true;
	b.bytes += bytes;
}

void Slot::readBulk(uintptr_t to, uintptr_t from, unsigned bytes, uintptr_t barrier) {
	checkBulk("bulk copy to shared memory", from, to, bytes);
	touched = std::min(touched, to);
	touchedEnd = std::max(touchedEnd, to + bytes);
	memset(reinterpret_cast<void *>(to), 0xA9, bytes); // until it has arrived
	bulkPhase(barrier).copies.push_back({to, from, bytes});
	progress++;
}

void Slot::waitBulk(uintptr_t barrier, unsigned phase) {
	for (BulkPhase *b = &bulkPhase(barrier); (b->phases & 1) == phase; preempt()) {
		if (!b->expecting)
			continue; // another thread has not begun the phase yet
		for (const BulkPhase::Copy &c : b->copies) {
			memcpy(reinterpret_cast<void *>(c.to), reinterpret_cast<const void *>(c.from), c.bytes);
			b->bytes -= c.bytes;
		}
		b->copies.clear();
		if (b->bytes < 0)
			fail(launchFailed, "more bytes than expected arrive at a barrier for bulk copies");
		if (b->bytes)
			continue;
		b->expecting = false;
		b->phases++;
		barriers++;
		progress++;
		return;
	}
}

void Slot::writeBulk(uintptr_t to, uintptr_t from, unsigned bytes) {
	checkBulk("bulk copy to global memory", to, from, bytes);
	bulkWrites.push_back({current->number, to, from, bytes, {}});
	progress++;
}

void Slot::waitBulkSources() {
	for (BulkWrite &w : bulkWrites)
		if (w.thread == current->number && w.data.empty())
			w.data.assign(reinterpret_cast<const char *>(w.from), reinterpret_cast<const char *>(w.from) + w.bytes);
}

void Slot::waitBulkWrites() {
	waitBulkSources();
	for (const BulkWrite &w : bulkWrites)
		if (w.thread == current->number)
			memcpy(reinterpret_cast<void *>(w.to), w.data.data(), w.bytes);
	std::erase_if(bulkWrites, [&](const BulkWrite &w) { return w.thread == current->number; });
	progress++;
}

uint64_t Slot::warpCollective(Collective what, const char *name, unsigned mask, uint64_t value, unsigned from, SourceLine source) {
	Thread &me = *current;
	Warp &w = warps[me.number / 32];
	const unsigned lane = me.number % 32, first = me.number - lane;
	const Wait wait{name, source};
	if (threads.size() - first < 32) // lanes beyond the last thread do not take part
		mask &= (1u << (threads.size() - first)) - 1;
	if (!(mask >> lane & 1))
		fail(launchFailed, "is at %s (%s:%d), but not in its mask %#x", name, source.file, source.line, mask);
	if (mask & w.ended)
		fail(launchFailed, "is at %s (%s:%d), but the lanes %#x in its mask have ended", name, source.file, source.line, mask & w.ended);
	if (what == move && (from > 31 || !(mask >> from & 1)))
		fail(launchFailed, "is at %s (%s:%d) and reads from lane %u, which is not in the mask %#x", name, source.file, source.line, from, mask);
	PendingCollective *g = nullptr;
	for (PendingCollective &other : w.pending) {
		if (!(other.mask & mask))
			continue;
		if (other.mask != mask || !(other.wait == wait))
			fail(launchFailed, "is at %s (%s:%d) with mask %#x, but lanes %#x of its warp at %s (%s:%d) with mask %#x", name, source.file,
				source.line, mask, other.arrived, other.wait.name, other.wait.source.file, other.wait.source.line, other.mask);
		g = &other;
	}
	if (!g) {
		w.pending.emplace_back();
		g = &w.pending.back();
		g->mask = mask;
		g->what = what;
		g->wait = wait;
	}
	me.wait = wait;
	g->value[lane] = value;
	g->from[lane] = from;
	g->arrived |= 1u << lane;
	progress++;
	if (g->arrived == mask) {
		complete(w, *g);
		for (unsigned l = 0; l < 32; l++)
			if (mask >> l & 1) {
				threads[first + l].wait = {};
				ready.push_back(first + l);
			}
		if (g != &w.pending.back())
			*g = w.pending.back();
		w.pending.pop_back();
	}
	pause();
	return me.result;
}

// complete computes the result of every lane.
void Slot::complete(Warp &w, const PendingCollective &g) {
	uint64_t all = g.what == andAll || g.what == minimum ? ~uint64_t(0) : 0, before = 0;
	for (unsigned l = 0; l < 32; l++) {
		if (!(g.mask >> l & 1))
			continue;
		const uint64_t x = g.value[l];
		switch (g.what) {
		case sync: break;
		case ballot: all |= uint64_t(x != 0) << l; break;
		case sum: all += x; break;
		case minimum: all = std::min(all, x); break;
		case maximum: all = std::max(all, x); break;
		case orAll: all |= x; break;
		case andAll: all &= x; break;
		case match: case move: case exclusiveSum: break;
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
		if (g.what == exclusiveSum) {
			result = before;
			before += g.value[l];
		}
		if (g.what == match)
			for (unsigned k = 0; k < 32; k++)
				result |= uint64_t((g.mask >> k & 1) && g.value[k] == g.value[l]) << k;
		lanes[l].result = result;
	}
}

// line returns the source line of an access.
std::string line(uintptr_t where) { return running->launch->line(running->launch->module, where); }

// access checks a read or write. where is the code address after the access. It may
// switch to another thread before the access.
void Slot::access(uintptr_t at, size_t bytes, Access access, void *where) {
	if (current->fiber->holds(at))
		return;
	const Launch &l = *running->launch;
	const uintptr_t pc = uintptr_t(where);
	const char *what = writes(access) ? "write" : "read";
	if (bytes <= 16 && at & (bytes - 1))
		fail(misalignedAddress, "%s of %zu bytes at %#zx, which is not a multiple of %zu, in %s", what, bytes, at, bytes, line(pc).c_str());
	progress += writes(access);
	if (l.memory->holds(at)) {
		if (!l.memory->has(at, bytes, l.owner)) {
			char text[100];
			fail(illegalAddress, "%s of %zu bytes %s, in %s", what, bytes, l.memory->describe(at, l.owner, text, sizeof text), line(pc).c_str());
		}
		if (!writes(access) && bytes >= 4 && Memory::isUndefined(at)) {
			char text[100];
			fail(illegalAddress, "read of %zu bytes that nothing has written, %s, in %s", bytes, l.memory->describe(at, l.owner, text, sizeof text), line(pc).c_str());
		}
	} else if (isShared(at)) {
		const bool dynamic = shared.dynamic && at - shared.dynamic < dynamicLimit;
		if (dynamic && at + bytes > shared.dynamic + l.dynamicBytes)
			fail(illegalAddress, "%s of %zu bytes at byte %zu of dynamic shared memory, but the launch has %zu bytes of it, in %s", what, bytes,
				at - shared.dynamic, l.dynamicBytes, line(pc).c_str());
		touched = std::min(touched, at);
		touchedEnd = std::max(touchedEnd, at + bytes);
		const AccessInfo now{pc, uint16_t(current->number), barriers, warps[current->number / 32].syncs};
		if (const AccessInfo *other = races.record(at - shared.at, bytes, access, now))
			fail(launchFailed, "race: %s of %zu bytes at byte %zu of %s shared memory, in %s, without a barrier since the access of thread %u, in %s", what,
				bytes, at - (dynamic ? shared.dynamic : shared.at), dynamic ? "dynamic" : "static", line(pc).c_str(), other->thread,
				line(other->where).c_str());
	} else if (at - l.image >= l.imageEnd - l.image && !l.memory->isLocked(at, bytes)) {
		fail(illegalAddress, "%s of %zu bytes at %#zx, where the device has no memory, in %s", what, bytes, at, line(pc).c_str());
	}
	running->untilSwitch -= plain(access) ? 1 : 16;
	if (running->untilSwitch < 0)
		preempt();
}

} // namespace

unsigned blockBarrier(const char *name, bool predicate, SourceLine source) { return here->blockBarrier(name, predicate, source); }

uint64_t warpCollective(Collective what, const char *name, unsigned mask, uint64_t value, unsigned from, SourceLine source) {
	return here->warpCollective(what, name, mask, value, from, source);
}

void warpsBarrier(unsigned number, unsigned threads, SourceLine source) { here->warpsBarrier(number, threads, source); }

void beginBulk(void *barrier) { here->beginBulk(uintptr_t(barrier)); }
void expectBulk(void *barrier, unsigned bytes) { here->expectBulk(uintptr_t(barrier), bytes); }
void readBulk(void *to, const void *from, unsigned bytes, void *barrier) { here->readBulk(uintptr_t(to), uintptr_t(from), bytes, uintptr_t(barrier)); }
void waitBulk(void *barrier, unsigned phase) { here->waitBulk(uintptr_t(barrier), phase); }
void writeBulk(void *to, const void *from, unsigned bytes) { here->writeBulk(uintptr_t(to), uintptr_t(from), bytes); }
void waitBulkSources() { here->waitBulkSources(); }
void waitBulkWrites() { here->waitBulkWrites(); }

void fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

void trap() { here->fail(launchFailed, "__trap"); }

unsigned lane() { return here->current->number % 32; }

namespace {

template <typename T> T changed(AtomicOp op, T old, T x, T compare) {
	using S = std::make_signed_t<T>;
	switch (op) {
	case add: return old + x;
	case bitAnd: return old & x;
	case bitOr: return old | x;
	case bitXor: return old ^ x;
	case exchange: return x;
	case compareAndSwap: return old == compare ? x : old;
	case unsignedMin: return std::min(old, x);
	case unsignedMax: return std::max(old, x);
	case signedMin: return std::min(S(old), S(x));
	case signedMax: return std::max(S(old), S(x));
	}
	__builtin_unreachable();
}

// change is atomic also for other processes.
template <typename T> T change(AtomicOp op, volatile void *at, T x, T compare) {
	volatile T *p = static_cast<volatile T *>(at);
	T old = __atomic_load_n(p, __ATOMIC_SEQ_CST);
	while (!__atomic_compare_exchange_n(p, &old, changed(op, old, x, compare), true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
	}
	return old;
}

} // namespace

uint64_t atomic(AtomicOp op, volatile void *at, size_t bytes, uint64_t operand, uint64_t compare) {
	here->access(uintptr_t(at), bytes, Access::atomicWrite, __builtin_return_address(0));
	switch (bytes) {
	case 2: return change<uint16_t>(op, at, operand, compare);
	case 4: return change<uint32_t>(op, at, operand, compare);
	case 8: return change<uint64_t>(op, at, operand, compare);
	}
	here->fail(launchFailed, "atomic on %zu bytes", bytes);
}

void misaligned(const volatile void *at, size_t bytes) {
	here->fail(misalignedAddress, "access of %zu bytes at %p, which is not a multiple of the alignment", bytes, const_cast<const void *>(at));
}

bool isShared(const void *at) { return here->isShared(uintptr_t(at)); }

uint64_t now() {
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return uint64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

Fault run(const Launch &launch, unsigned slotCount, uint64_t seed) {
	static std::mutex mutex; // protects slotsOf
	static std::map<unsigned, std::vector<std::unique_ptr<Slot>>> slotsOf;
	Running launched{};
	std::vector<Slot *> live;
	{
		std::lock_guard lock(mutex);
		if (slotsOf.empty()) {
			struct sigaction action {};
			action.sa_sigaction = faultHandler;
			action.sa_flags = SA_SIGINFO | SA_ONSTACK;
			sigaction(SIGSEGV, &action, &previousHandler);
		}
		std::vector<std::unique_ptr<Slot>> &slots = slotsOf[launch.device];
		while (slots.size() < slotCount) {
			slots.push_back(std::make_unique<Slot>());
			std::thread(&Slot::main, slots.back().get()).detach();
		}
		for (unsigned i = 0; i < slotCount && i < launch.grid; i++)
			live.push_back(slots[i].get());
	}
	launched.launch = &launch;
	launched.random.state = seed | 1;
	for (int i = 0; i < 8; i++)
		launched.random.next();
	launched.end = launch.grid;
	launched.live = live.size();
	launched.switchInterval = 16 << 3 * launched.random.below(4); // 16 to 8192
	launched.untilSwitch = 1 + launched.random.below(2 * launched.switchInterval);
	for (Slot *slot : live)
		slot->launch = &launched;
	turns.add(live, launched.random);
	launched.finished.wait();
	return std::move(launched.fault);
}

// With -fsanitize=thread the compiler calls one of these before every read and write
// of a module, except those of local variables that cannot be shared.
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
