// Helpers of the kernels of construction.
#pragma once
#include "layout.cuh"

namespace construct {

// lanesBelow returns the mask of the lanes below lane.
__device__ inline u32 lanesBelow(u32 lane) { return (1u << lane) - 1; }

// rowNumber returns the row number of a label that has a row. word is the label's word of
// the index.
__device__ inline u64 rowNumber(u64 word, u32 v) { return (word >> 32) + __popc((u32)word & lanesBelow(v & 31)); }

} // namespace construct
