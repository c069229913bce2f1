// Helpers of the kernels of construction.
#pragma once
#include "layout.cuh"

namespace construct {

// lanesBelow returns the mask of the lanes below lane.
__device__ inline u32 lanesBelow(u32 lane) { return (1u << lane) - 1; }

} // namespace construct
