// A fiber is a stack that the threads of kernels run on, one after the other,
// within one thread of the system.
#pragma once
#include <csetjmp>
#include <cstddef>
#include <cstdint>

namespace emulation {

class Fiber {
public:
	// Fiber makes a fiber that waits until it is gone to, and then calls body
	// with itself, which does not return.
	explicit Fiber(void (*body)(Fiber *));

	// leave keeps the place where it is called, if that is on this fiber, and
	// returns true there; it returns false, at the same place, when someone goes
	// back to it. A macro, because setjmp's caller must not return.
#define EMULATION_LEAVE(fiber) (!_setjmp((fiber)->place))

	// go goes on where the fiber was left.
	[[noreturn]] void go() { _longjmp(place, 1); }

	// holds says whether an address is on the fiber's stack.
	bool holds(uintptr_t at) const { return at - stack < bytes; }

	jmp_buf place;

private:
	static constexpr size_t bytes = 64 << 10;

	uintptr_t stack;
};

} // namespace emulation
