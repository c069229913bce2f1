// Rows from sorted arcs with weights.
#pragma once
#include "construct.cuh"

namespace construct {

// writeRows writes count sorted arcs, the first of which is number base, and the start of each row: a
// thread handles arc i. A key is the label less first, above weightBits bits of the weight. An arc leads to
// targetOf(value). index points to where the word of label 0 would be.
template <typename TargetOf>
__device__ __forceinline__ void writeRows(u64 i, const u64 *keys, const u32 *values, u64 count, u64 base, u32 first, int weightBits, const u64 *index,
                                          u64 *starts, uint2 *arcs, TargetOf targetOf) {
	if (i >= count) return;
	const u64 key = __ldcs(&keys[i]), before = i > 0 ? keys[i - 1] : ~0ull;
	arcs[base + i] = make_uint2(targetOf(__ldcs(&values[i])), (u32)(key & ((1ull << weightBits) - 1)));
	const u64 row = key >> weightBits;
	if (before != ~0ull && row == before >> weightBits) return;
	const u32 v = first + (u32)row;
	starts[rowNumber(index[v >> 5], v)] = base + i;
}

} // namespace construct
