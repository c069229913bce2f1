// The plain search: top-down from a queue of the vertices reached last, one
// thread a vertex, one launch a level.
#include <cstdint>

typedef uint32_t u32;
typedef uint64_t u64;

namespace {

constexpr u32 none = ~0u; // engine.None

// Row is package kernels' Row.
struct Row {
	u64 start;
	u32 degree;
	u32 label;
};

// Level is package kernels' frontierLevel: what one level did.
struct Level {
	u64 found;
	u64 examined;
};

// rowOf returns the number of the row of v, which has one.
__device__ u32 rowOf(const u64 *index, u32 v) {
	const u64 word = index[v >> 5];
	return (u32)(word >> 32) + __popc((u32)word & ((1u << (v & 31)) - 1));
}

} // namespace

// frontier_start begins a search: the root is its own parent and the first
// queue. One thread.
extern "C" __global__ void frontier_start(u32 *parents, u32 *queue, u32 root, Level *level) {
	parents[root] = root;
	queue[0] = root;
	*level = Level{};
}

// frontier_expand claims for each of the count vertices in queue its unvisited
// neighbours, appends them to next, and adds up what it did in level, which is
// zero before. following is made ready for the next launch.
extern "C" __global__ void frontier_expand(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents,
	const u32 *queue, u32 count, u32 *next, Level *level, Level *following) {
	const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i == 0)
		*following = Level{};
	if (i >= count)
		return;
	const u32 u = queue[i];
	const Row row = rows[rowOf(index, u)];
	for (u64 k = row.start; k < row.start + row.degree; k++) {
		const u32 v = neighbors[k];
		// Most neighbours are visited, and a load costs less than a failing
		// compare-and-swap. The L1 may hold a parent from before this level.
		if (__ldcg(parents + v) == none && atomicCAS(parents + v, none, u) == none)
			next[atomicAdd((unsigned long long *)&level->found, 1ull)] = v;
	}
	atomicAdd((unsigned long long *)&level->examined, (unsigned long long)row.degree);
}
