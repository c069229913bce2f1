#include "fiber.h"

#include <cstdio>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace emulation {

namespace {

// The arguments of a new fiber while it starts. Only one fiber starts at a time.
thread_local struct {
	Fiber *fiber;
	void (*body)(Fiber *);
	ucontext_t maker, made;
} birth;

void begin() {
	Fiber *fiber = birth.fiber;
	void (*body)(Fiber *) = birth.body;
	if (EMULATION_MARK(fiber->spot))
		setcontext(&birth.maker);
	body(fiber);
}

} // namespace

Fiber::Fiber(void (*body)(Fiber *)) {
	constexpr size_t guard = 4096;
	// Different offsets keep the stacks from competing for the same cache sets.
	static unsigned created;
	const size_t shift = 64 * (created++ * 5 % 61);
	void *p = mmap(nullptr, guard + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED || mprotect(p, guard, PROT_NONE)) {
		perror("emulated GPU: no memory for a stack");
		_exit(1);
	}
	stack = uintptr_t(p) + guard;
	birth.fiber = this;
	birth.body = body;
	getcontext(&birth.made);
	birth.made.uc_stack.ss_sp = reinterpret_cast<void *>(stack);
	birth.made.uc_stack.ss_size = bytes - shift;
	birth.made.uc_link = nullptr;
	makecontext(&birth.made, begin, 0);
	swapcontext(&birth.maker, &birth.made);
}

} // namespace emulation
