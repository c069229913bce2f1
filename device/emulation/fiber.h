// A fiber is a stack that the threads of kernels run on, one after the other,
// within one thread of the system.
#pragma once
#include <cstddef>
#include <cstdint>

namespace emulation {

// Spot is a point of the program that can be gone back to, with its stack.
// EMULATION_MARK(spot) is true, and false when someone goes there; as a macro,
// because its caller must not return in between. The compiler's own form of
// setjmp takes a tenth of the library's time.
struct Spot {
	void *at[5];

	[[noreturn]] __attribute__((noinline)) void go() { __builtin_longjmp(at, 1); }
};
#define EMULATION_MARK(spot) (!__builtin_setjmp((spot).at))

class Fiber {
public:
	// Fiber makes a fiber that waits until it is gone to, and then calls body
	// with itself, which does not return.
	explicit Fiber(void (*body)(Fiber *));

	// holds says whether an address is on the fiber's stack.
	bool holds(uintptr_t at) const { return at - stack < bytes; }

	// spot is where the fiber was left.
	Spot spot;

private:
	static constexpr size_t bytes = 64 << 10;

	uintptr_t stack;
};

} // namespace emulation
