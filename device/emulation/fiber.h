// A fiber is a stack within an OS thread. Kernel threads run on it one after the
// other.
#pragma once
#include <cstddef>
#include <cstdint>

namespace emulation {

// Spot is a saved execution point with its stack. EMULATION_MARK(spot) saves the
// point and returns true; go() resumes there, and EMULATION_MARK then returns false.
// It is a macro because its caller must not return before go(). The compiler's
// builtin takes a tenth of the time of the library's setjmp.
struct Spot {
	void *at[5]; // the compiler's; the third is the stack pointer

	[[noreturn]] __attribute__((noinline)) void go() { __builtin_longjmp(at, 1); }
};
#define EMULATION_MARK(spot) (!__builtin_setjmp((spot).at))

class Fiber {
public:
	// The constructor creates a suspended fiber. When resumed, it calls body with
	// itself as the argument; body does not return.
	explicit Fiber(void (*body)(Fiber *));

	// holds reports whether an address lies on the fiber's stack.
	bool holds(uintptr_t at) const { return at - stack < bytes; }

	// prefetch fetches what a suspended fiber reads first, the top of its stack, into the cache.
	void prefetch() const {
		const char *top = static_cast<const char *>(spot.at[2]);
		for (int byte = 0; byte < 384; byte += 64)
			__builtin_prefetch(top + byte, 1);
	}

	// spot is where the fiber was suspended.
	Spot spot;

private:
	static constexpr size_t bytes = 64 << 10;

	uintptr_t stack;
};

} // namespace emulation
