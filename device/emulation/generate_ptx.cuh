// C++ form of kernels/generate/generate_ptx.cuh for the emulated GPU.
#pragma once
#include "types.cuh"
#include "language.h"

namespace {


u32 least(u32 a, u32 b) { return min(a, b); }

void addProduct(u64 &sum, i32 a, u32 b) { sum += u64(int64_t(a) * i32(b)); }

void appendCarry(u32 &bits, u32 x, u32 y) { bits = 2 * bits + (u64(x) + y >> 32); }

} // namespace
