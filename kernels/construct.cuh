// What the kernels of construction share.
#pragma once

using u32 = unsigned int;
using u64 = unsigned long long;

namespace construct {

// tileLabels is the number of labels that one block looks at in the kernels
// that go over all vertices.
constexpr int tileLabels = 1024;

// Facts are the sums that construction brings to the host.
struct Facts {
	u64 loops;       // tuples with equal ends
	u64 outside;     // the first tuple with a label beyond the last, or ~0
	u32 tuplesAtOne; // the largest number of tuples at one vertex
	u32 maxDegree;   // the largest number of distinct neighbours
};

__device__ inline u32 lanesBelow(u32 lane) { return (1u << lane) - 1; }

} // namespace construct
