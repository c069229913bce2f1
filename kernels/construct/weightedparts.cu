// The rows of a range of labels in the order of the weights, whose arcs lead to rows of all
// devices. The arcs come sorted from weighted.cu.
#include "../distances.cuh"
#include "construct.cuh"

namespace {

constexpr int threads = 256;
constexpr u32 none = ~0u;

// numberOf returns the number among all devices of row at of a device.
__device__ u32 numberOf(u32 at, u32 devices, u32 device) { return ((at >> 5) * devices + device) << 5 | at & 31; }

} // namespace

// construct_part_clear gives the labels first..end-1 the number ~0 of no row.
extern "C" __global__ void __launch_bounds__(threads) construct_part_clear(u64 first, u64 end, u32 *rank) {
	const u64 v = first + (u64)blockIdx.x * threads + threadIdx.x;
	if (v < end) rank[v] = none;
}

// construct_part_rank reads the sorted keys of a device's rows and writes their numbers to
// rank and their labels, by number, to labels. The first columns * depth rows are dealt out as
// by construct_rank.
extern "C" __global__ void __launch_bounds__(threads)
construct_part_rank(const u64 *keys, u64 rows, u32 columns, u32 depth, u32 devices, u32 device, u32 *labels, u32 *rank) {
	const u64 i = (u64)blockIdx.x * threads + threadIdx.x;
	if (i >= rows) return;
	const u32 label = (u32)keys[i], at = i < columns * depth ? i % columns * depth + i / columns : i;
	const u32 row = numberOf(at, devices, device);
	labels[row] = label;
	rank[label] = row;
}

// construct_part_copy copies the numbers of the rows of labels first..end-1 from another
// device, and writes their labels. A label without a row has the number ~0.
extern "C" __global__ void __launch_bounds__(threads)
construct_part_copy(const u32 *from, u64 first, u64 end, u32 *rank, u32 *labels) {
	const u64 v = first + (u64)blockIdx.x * threads + threadIdx.x;
	if (v >= end) return;
	const u32 row = from[v];
	rank[v] = row;
	if (row != none) labels[row] = v;
}

// construct_part_pad writes rows without arcs behind the count rows of a device, up to all.
extern "C" __global__ void __launch_bounds__(threads) construct_part_pad(WeightedRow *rows, u64 count, u64 all, u32 devices, u32 device) {
	const u64 i = count + (u64)blockIdx.x * threads + threadIdx.x;
	if (i >= all) return;
	uint4 *record = reinterpret_cast<uint4 *>(rows + numberOf(i, devices, device));
	record[0] = make_uint4(0, infinite, 0, infinite);
	record[1] = make_uint4(0, infinite >> 7 << 8, 0, 0);
}

// construct_part_rows copies the all rows of another device, a thread for each half of a row.
extern "C" __global__ void __launch_bounds__(threads) construct_part_rows(const uint4 *from, u64 all, u32 devices, u32 device, uint4 *rows) {
	const u64 i = (u64)blockIdx.x * threads + threadIdx.x;
	if (i >= 2 * all) return;
	const u64 at = 2 * (u64)numberOf(i / 2, devices, device) + i % 2;
	rows[at] = from[at];
}
