// PTX instructions of the generator that CUDA C++ cannot express.
#pragma once
#include "../types.cuh"

namespace {


// least returns the minimum. If b is a plus a constant, the compiler turns plain C++
// into a comparison and a select instead of a min instruction.
__device__ u32 least(u32 a, u32 b) {
	u32 x;
	asm("min.u32 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b));
	return x;
}

// addProduct adds a b to sum, with b taken as a signed number. From plain C++ the
// compiler widens the loop-invariant factors outside the loop, which makes three
// instructions of one.
__device__ void addProduct(u64 &sum, i32 a, u32 b) {
	asm("mad.wide.s32 %0, %1, %2, %0;" : "+l"(sum) : "r"(a), "r"(b));
}

// appendCarry appends the bit x + y >= 2^32 to bits. The result of the comparison
// stays in the carry flag and needs no register.
__device__ void appendCarry(u32 &bits, u32 x, u32 y) {
	asm("{ .reg .u32 sum; add.cc.u32 sum, %1, %2; addc.u32 %0, %0, %0; }" : "+r"(bits) : "r"(x), "r"(y));
}

} // namespace
