// The parents of a search as results of 64 bits, and back for validation. Both arrays begin at
// a multiple of 16 bytes.
#include "../types.cuh"

namespace {

constexpr u32 none = ~0u, beyond = ~1u; // engine.None, engine.Beyond
constexpr int threads = 256;

// upper returns the upper word of a parent of 64 bits. The lower one is the parent.
__device__ u32 upper(u32 parent) { return parent == none ? ~0u : 0; }

__device__ u32 narrowed(u64 parent) { return parent == ~0ull ? none : parent < beyond ? u32(parent) : beyond; }

} // namespace

// labels_widen converts n parents. none becomes -1.
extern "C" __global__ void __launch_bounds__(threads) labels_widen(u64 *to, const u32 *from, u64 n) {
	const u64 i = u64(blockIdx.x) * threads + threadIdx.x;
	if (i < n / 4) {
		const uint4 p = __ldcs((const uint4 *)from + i);
		__stcs((uint4 *)to + 2 * i, make_uint4(p.x, upper(p.x), p.y, upper(p.y)));
		__stcs((uint4 *)to + 2 * i + 1, make_uint4(p.z, upper(p.z), p.w, upper(p.w)));
	}
	if (i < n % 4) {
		const u32 p = from[n / 4 * 4 + i];
		to[n / 4 * 4 + i] = u64(upper(p)) << 32 | p;
	}
}

// labels_narrow converts n parents back. One that is no label of 32 bits becomes beyond.
extern "C" __global__ void __launch_bounds__(threads) labels_narrow(u32 *to, const u64 *from, u64 n) {
	const u64 i = u64(blockIdx.x) * threads + threadIdx.x;
	if (i < n) to[i] = narrowed(__ldcs(from + i));
}
