// What the kernels of construction share.
#pragma once
#include "layout.cuh"

namespace construct {

__device__ inline u32 lanesBelow(u32 lane) { return (1u << lane) - 1; }

} // namespace construct
