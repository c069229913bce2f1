// Instructions of the generator that CUDA C++ has no words for.
#pragma once
#include "../types.cuh"

namespace {


// least returns the smaller one. Where one is the other plus a constant, plain
// C++ becomes a comparison and a choice in place of a minimum.
__device__ u32 least(u32 a, u32 b) {
	u32 x;
	asm("min.u32 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b));
	return x;
}

// addProduct adds a b, b as a signed number. In plain C++ the compiler widens
// factors that do not change outside the loop, and three instructions take the
// place of one.
__device__ void addProduct(u64 &sum, i32 a, u32 b) {
	asm("mad.wide.s32 %0, %1, %2, %0;" : "+l"(sum) : "r"(a), "r"(b));
}

// appendCarry appends the bit x + y >= 2^32 to bits. So the comparison's result
// need not go through a register.
__device__ void appendCarry(u32 &bits, u32 x, u32 y) {
	asm("{ .reg .u32 sum; add.cc.u32 sum, %1, %2; addc.u32 %0, %0, %0; }" : "+r"(bits) : "r"(x), "r"(y));
}

} // namespace
