// The rules of SSSP: Distance, Tight and Relaxed, and the counts. The results of up to
// eight searches are side by side: a table of columns has width words for each vertex,
// one per search. One sector of 32 bytes then has the distances of a vertex in all
// searches, another one has its parents.
//
// Count at scale 24, with 268 M tuples and 17 M vertices, 9 M of them in the tree: the
// pass reads 3.2 GB of tuples and weights once for all searches, two sectors of distances
// per tuple (537 M random reads, which take longest), and one sector of parents and one
// of marks per tuple that fits (9 M for one search). With one search the distances are a
// table of 67 MB. With eight it has 537 MB, but still one sector per vertex, and the
// vertices at most tuples' ends stay in the second-level cache.
#include "../distances.cuh"
#include "../tuples.cuh"
#include "validate.cuh"

using namespace validate;

namespace {

constexpr int threads = 256;   // per block of the pass over the tuples
constexpr u8 joinedColumn = 1; // in the table of marks: a tuple joins the vertex to its parent, as rule Tight demands

// Words are the words of a vertex in a table of columns.
template <int width> struct alignas(width < 4 ? 4 * width : 16) Words {
	u32 of[width];
};

template <int width> __device__ Words<width> load(const u32 *table, u32 vertex) {
	return *(const Words<width> *)(table + u64(vertex) * width);
}

// lower is atomicMin for a place that is low already in most cases.
__device__ void lower(u64 *place, u64 to) {
	if (*(volatile u64 *)place > to) atomicMin(place, to);
}

// Relaxation is the pass over the tuples, for one thread.
template <int width> struct Relaxation {
	const u32 *parents, *distances; // tables of columns
	u8 *joined;                     // table of columns: 0 for a vertex whose tuple has not been found yet
	u32 kept;                       // searches: columns in use
	Facts *facts;                   // by search
	u32 *edges, *loops;             // by search, shared by the block: counts besides plain
	u32 plain = 0;                  // tuples in the tree of every search

	// Fit has the searches in which the weight of a tuple is the difference of the
	// distances, as bit sets.
	struct Fit {
		u32 toU = 0, toV = 0; // the other end may be the parent of U or of V
	};

	// judge checks a tuple with ends in range and a valid weight, with the words of its
	// ends in distances. Nearly all tuples are in the tree of every search.
	__device__ Fit judge(u64 index, uint2 ends, float weight, const Words<width> &ofU, const Words<width> &ofV) {
		bool isPlain = ends.x != ends.y;
		Fit fit;
#pragma unroll
		for (int k = 0; k < width; k++) {
			if (k >= kept) continue;
			const float a = __uint_as_float(ofU.of[k]), b = __uint_as_float(ofV.of[k]);
			const float viaU = __fadd_rn(a, weight), viaV = __fadd_rn(b, weight);
			isPlain = isPlain && a >= 0 && b >= 0 && viaU >= b && viaV >= a;
			fit.toV |= u32(viaU == b) << k;
			fit.toU |= u32(viaV == a) << k;
		}
		plain += isPlain;
		if (isPlain) return fit;
		const u32 in = judgeEach(index, ends, weight, ofU, ofV);
		fit.toU &= in;
		fit.toV &= in;
		return fit;
	}

	// judgeEach is judge for each search on its own. It returns the searches that the
	// tuple conforms to, without those whose tree it is not in.
	__device__ u32 judgeEach(u64 index, uint2 ends, float weight, const Words<width> &ofU, const Words<width> &ofV) {
		u32 in = 0;
#pragma unroll
		for (int k = 0; k < width; k++) {
			if (k >= kept) continue;
			const float a = __uint_as_float(ofU.of[k]), b = __uint_as_float(ofV.of[k]);
			if (a < 0 && b < 0) continue;
			if (ends.x == ends.y) {
				atomicAdd(&loops[k], 1);
			} else if (a < 0 || b < 0 || __fadd_rn(a, weight) < b || __fadd_rn(b, weight) < a) {
				lower(&facts[k].tuple, index);
			} else {
				atomicAdd(&edges[k], 1);
				in |= 1u << k;
			}
		}
		return in;
	}

	// join marks a child in the searches in which a tuple that fits joins it to its
	// parent. All threads store the same value, and a thread that reads an old one only
	// repeats the store.
	__device__ void join(u32 child, u32 parent, u32 fit, const Words<width> &parentsOf) const {
		u8 *marks = joined + u64(child) * width;
#pragma unroll
		for (int k = 0; k < width; k++)
			if (fit >> k & 1 && parentsOf.of[k] == parent && marks[k] == 0) marks[k] = joinedColumn;
	}
};

// relax examines count tuples. At the end it adds the counts of the block to the facts.
// The loads of several tuples are in flight at the same time, then those of the parents
// of the few tuples that fit.
template <int width>
__device__ __forceinline__ void relax(const Tuple *tuples, const u32 *weights, u64 count, u64 index, u32 vertices,
                                      const u32 *parents, const u32 *distances, u8 *joined, u32 kept, Facts *facts) {
	constexpr int pairs = width < 4 ? 2 : 1, batch = 2 * pairs; // tuples that a thread has in flight
	__shared__ u32 all, edges[width], loops[width];
	if (threadIdx.x == 0) all = 0;
	if (threadIdx.x < width) edges[threadIdx.x] = loops[threadIdx.x] = 0;
	__syncthreads();

	Relaxation<width> pass{parents, distances, joined, kept, facts, edges, loops};
	const u64 tile = u64(pairs) * threads, whole = count / 2;
	for (u64 first = tile * blockIdx.x; first < whole + (count & 1); first += tile * gridDim.x) {
		uint2 ends[batch];
		float weight[batch];
#pragma unroll
		for (int k = 0; k < pairs; k++) {
			const u64 i = first + k * threads + threadIdx.x;
			uint4 t = make_uint4(none, none, none, none);
			uint2 w = make_uint2(0, 0);
			if (i < whole) {
				t = loadPairOnce(tuples, i);
				w = __ldcs((const uint2 *)weights + i);
			} else if (i == whole && count & 1) {
				const uint2 last = loadTuple(tuples, 2 * i);
				t.x = last.x, t.y = last.y;
				w.x = weights[2 * i];
			}
			ends[2 * k] = make_uint2(t.x, t.y), ends[2 * k + 1] = make_uint2(t.z, t.w);
			weight[2 * k] = __uint_as_float(w.x), weight[2 * k + 1] = __uint_as_float(w.y);
		}
		Words<width> of[batch][2];
		bool valid[batch];
#pragma unroll
		for (int j = 0; j < batch; j++) {
			valid[j] = ends[j].x < vertices && ends[j].y < vertices;
			if (valid[j]) of[j][0] = load<width>(distances, ends[j].x);
			if (valid[j]) of[j][1] = load<width>(distances, ends[j].y);
		}
		u32 child[batch], parent[batch];
		typename Relaxation<width>::Fit fit[batch];
		Words<width> parentsOf[batch];
#pragma unroll
		for (int j = 0; j < batch; j++) {
			const u64 i = 2 * (first + j / 2 * threads + threadIdx.x) + j % 2;
			if (!valid[j]) {
				if (i < count) lower(&facts->outside, index + i);
			} else if (!(weight[j] >= 0 && weight[j] < __uint_as_float(infinite))) {
				lower(&facts->weight, index + i);
			} else {
				fit[j] = pass.judge(index + i, ends[j], weight[j], of[j][0], of[j][1]);
			}
			const bool down = fit[j].toV; // nearly no tuple fits both ways
			child[j] = down ? ends[j].y : ends[j].x;
			parent[j] = down ? ends[j].x : ends[j].y;
			if (fit[j].toU | fit[j].toV) parentsOf[j] = load<width>(parents, child[j]);
		}
#pragma unroll
		for (int j = 0; j < batch; j++) {
			const u32 down = fit[j].toV, up = fit[j].toU;
			if (!(down | up)) continue;
			pass.join(child[j], parent[j], down ? down : up, parentsOf[j]);
			if (down && up) pass.join(parent[j], child[j], up, load<width>(parents, parent[j]));
		}
	}

	const u32 ofWarp = __reduce_add_sync(~0u, pass.plain);
	if (threadIdx.x % 32 == 0 && ofWarp) atomicAdd(&all, ofWarp);
	__syncthreads();
	const u32 k = threadIdx.x;
	if (k >= width || k >= kept) return;
	if (all + edges[k]) atomicAdd(&facts[k].edges, u64(all) + edges[k]);
	if (loops[k]) atomicAdd(&facts[k].loops, u64(loops[k]));
}

} // namespace

// validate_distances checks rule Distance for one search, and finds its largest
// distance. It initialises its column of marks: the root and the vertices outside the
// tree need no tuple.
extern "C" __global__ void validate_distances(const u32 *parents, const u32 *distances, u32 vertices, u32 root, u32 width, u32 column, u8 *joined, Facts *facts) {
	u64 broken = never;
	u32 farthest = 0;
	for (u64 v = firstThread(); v < vertices; v += allThreads()) {
		const u32 d = __ldcs(distances + v);
		const bool in = __ldcs(parents + v) != none;
		if (in ? d >= infinite || (v == root && d != 0) : d != unreached) {
			broken = min(broken, v);
		} else if (in) {
			farthest = max(farthest, d);
		}
		joined[v * width + column] = !in || v == root;
	}
	if (broken != never) lower(&facts->distance, broken);
	farthest = __reduce_max_sync(~0u, farthest);
	if (threadIdx.x % 32 == 0 && farthest > *(volatile u32 *)&facts->farthest) atomicMax(&facts->farthest, farthest);
}

// validate_relax_<width> check the rules Tight and Relaxed for kept searches with count
// tuples, as far as a pass over the tuples does: the vertices without a mark break rule
// Tight. The first tuple has the given index in the list of all tuples. Tuples that are
// out of range or have an invalid weight are a matter of the first search.
extern "C" __global__ void __launch_bounds__(threads, 4)
validate_relax_1(const Tuple *tuples, const u32 *weights, u64 count, u64 index, u32 vertices, const u32 *parents, const u32 *distances, u8 *joined, u32 kept, Facts *facts) {
	relax<1>(tuples, weights, count, index, vertices, parents, distances, joined, kept, facts);
}

extern "C" __global__ void __launch_bounds__(threads, 4)
validate_relax_2(const Tuple *tuples, const u32 *weights, u64 count, u64 index, u32 vertices, const u32 *parents, const u32 *distances, u8 *joined, u32 kept, Facts *facts) {
	relax<2>(tuples, weights, count, index, vertices, parents, distances, joined, kept, facts);
}

extern "C" __global__ void __launch_bounds__(threads, 4)
validate_relax_4(const Tuple *tuples, const u32 *weights, u64 count, u64 index, u32 vertices, const u32 *parents, const u32 *distances, u8 *joined, u32 kept, Facts *facts) {
	relax<4>(tuples, weights, count, index, vertices, parents, distances, joined, kept, facts);
}

extern "C" __global__ void __launch_bounds__(threads, 2)
validate_relax_8(const Tuple *tuples, const u32 *weights, u64 count, u64 index, u32 vertices, const u32 *parents, const u32 *distances, u8 *joined, u32 kept, Facts *facts) {
	relax<8>(tuples, weights, count, index, vertices, parents, distances, joined, kept, facts);
}

// validate_apart finds the smallest vertex without a mark in a column.
extern "C" __global__ void validate_apart(const u8 *joined, u32 vertices, u32 width, u32 column, Facts *facts) {
	u64 apart = never;
	for (u64 v = firstThread(); v < vertices; v += allThreads())
		if (!joined[v * width + column]) apart = min(apart, v);
	if (apart != never) lower(&facts->apart, apart);
}

// validate_apart_together finds the smallest of the vertices first..end-1 without a mark in a
// column of up to 16 tables of the same tree, each with the marks of other tuples. Tables may
// be on other devices.
extern "C" __global__ void
validate_apart_together(u64 first, u64 end, u32 width, u32 column, Facts *facts, u32 tables, const u8 *t0, const u8 *t1, const u8 *t2,
                        const u8 *t3, const u8 *t4, const u8 *t5, const u8 *t6, const u8 *t7, const u8 *t8, const u8 *t9, const u8 *t10,
                        const u8 *t11, const u8 *t12, const u8 *t13, const u8 *t14, const u8 *t15) {
	const u8 *const table[] = {t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15};
	u64 apart = never;
	for (u64 v = first + firstThread(); v < end; v += allThreads()) {
		u32 marks = 0;
#pragma unroll
		for (int k = 0; k < 16; k++)
			if (k < tables) marks |= table[k][v * width + column];
		if (!marks) apart = min(apart, v);
	}
	if (apart != never) lower(&facts->apart, apart);
}

// validate_least_weight finds the least weight of the tuples that join u and v.
extern "C" __global__ void validate_least_weight(const Tuple *tuples, const u32 *weights, u64 count, u32 u, u32 v, Facts *facts) {
	for (u64 i = firstThread(); i < count; i += allThreads()) {
		const uint2 t = loadTupleOnce(tuples, i);
		if ((t.x == u && t.y == v) || (t.x == v && t.y == u))
			atomicMin(&facts->leastWeight, __float_as_uint(__fadd_rn(__uint_as_float(weights[i]), 0.0f))); // -0 becomes 0
	}
}

// validate_place copies an array to a column.
extern "C" __global__ void validate_place(const u32 *from, u32 vertices, u32 width, u32 column, u32 *table) {
	for (u64 v = firstThread(); v < vertices; v += allThreads()) table[v * width + column] = __ldcs(from + v);
}

// validate_take copies a column to an array.
extern "C" __global__ void validate_take(const u32 *table, u32 vertices, u32 width, u32 column, u32 *to) {
	for (u64 v = firstThread(); v < vertices; v += allThreads()) to[v] = table[v * width + column];
}
