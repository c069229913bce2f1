// Numbers that rise from row to row and can pass 2^32, of which an array has the low 32 bits.
#pragma once
#include "types.cuh"

// wholeNumber returns the number of a row. From row wraps[k] on, the numbers are at least (k + 1) * 2^32; ~0 is no row.
__device__ inline u64 wholeNumber(u32 low, u32 row, const u32 (&wraps)[3]) {
	return u64((row >= wraps[0]) + (row >= wraps[1]) + (row >= wraps[2])) << 32 | low;
}
