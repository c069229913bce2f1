// Numbers below 2^33 that rise from row to row, of which an array has the low 32 bits.
#pragma once
#include "types.cuh"

// wholeNumber returns the number of a row. From row wrap on, the numbers are at least 2^32; ~0: from none on.
__device__ inline u64 wholeNumber(u32 low, u32 row, u32 wrap) { return u64(row >= wrap) << 32 | low; }
