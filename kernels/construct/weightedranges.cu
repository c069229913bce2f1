// The rows of a range of labels in the order of the weights, whose arcs lead to labels. The
// arcs come sorted from weighted.cu.
#include <cub/block/block_reduce.cuh>

#include "../distances.cuh"
#include "construct.cuh"

using construct::lanesBelow;

namespace {

constexpr int threads = 256;

} // namespace

// construct_range_rows writes count sorted arcs, the first of which is number base, and the
// start of each row. index points to where the word of label 0 would be.
extern "C" __global__ void __launch_bounds__(threads)
construct_range_rows(const u64 *keys, const u32 *values, u64 count, u64 base, u32 first, int weightBits, const u64 *index,
                     u64 *starts, uint2 *arcs) {
	const u64 i = (u64)blockIdx.x * threads + threadIdx.x;
	if (i >= count) return;
	const u64 key = __ldcs(&keys[i]), before = i > 0 ? keys[i - 1] : ~0ull;
	arcs[base + i] = make_uint2(__ldcs(&values[i]), (u32)(key & ((1ull << weightBits) - 1)));
	const u64 row = key >> weightBits;
	if (before != ~0ull && row == before >> weightBits) return;
	const u32 v = first + (u32)row;
	const u64 word = index[v >> 5];
	starts[(word >> 32) + __popc((u32)word & lanesBelow(v & 31))] = base + i;
}

// construct_range_heads writes the first two arcs of each of count rows and the end of the
// last one, and finds the largest degree. A thread handles a row. total is the number of
// arcs.
extern "C" __global__ void __launch_bounds__(threads)
construct_range_heads(u64 *starts, u64 count, u64 total, const uint2 *arcs, uint4 *heads, Facts *facts) {
	const u64 r = (u64)blockIdx.x * threads + threadIdx.x;
	u32 degree = 0;
	if (r < count) {
		const u64 start = starts[r];
		degree = (r + 1 < count ? starts[r + 1] : total) - start;
		const uint2 one = arcs[start], two = degree > 1 ? arcs[start + 1] : make_uint2(one.x, infinite);
		heads[r] = make_uint4(one.x, one.y, two.x, two.y);
		if (r + 1 == count) starts[count] = total;
	}
	using Reduce = cub::BlockReduce<u32, threads>;
	__shared__ Reduce::TempStorage storage;
	degree = Reduce(storage).Reduce(degree, cub::Max());
	if (threadIdx.x == 0) atomicMax(&facts->maxDegree, degree);
}
