// The rows of a range of labels in the order of the weights, whose arcs lead to labels. The
// arcs come sorted from weighted.cu.
#include <cub/block/block_reduce.cuh>

#include "../distances.cuh"
#include "arcrows.cuh"

namespace {

constexpr int threads = 256;

} // namespace

// construct_range_rows is writeRows of arcs that lead to labels.
extern "C" __global__ void __launch_bounds__(threads)
construct_range_rows(const u64 *keys, const u32 *values, u64 count, u64 base, u32 first, int weightBits, const u64 *index,
                     u64 *starts, uint2 *arcs) {
	construct::writeRows((u64)blockIdx.x * threads + threadIdx.x, keys, values, count, base, first, weightBits, index, starts, arcs, [=](u32 value) { return value; });
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
