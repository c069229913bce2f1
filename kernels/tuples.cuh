// Lists of tuples in both widths. A source NAME.cu that reads or writes them is compiled
// twice: as it is for labels of 32 bits, and as NAME48.cu, which defines LABELS_48, for
// labels of 48 bits. Inside the kernels a label has 32 bits in both.
#pragma once
#include "types.cuh"

#ifdef LABELS_48

// Tuple has the layout of engine.Edge48: the low words of both labels, and a word with their
// upper 16 bits.
struct Tuple {
	u32 u, v, high;
};

// endsOf returns the labels of a tuple. One of more than 32 bits becomes ~0, which is a
// vertex of no graph.
__device__ inline uint2 endsOf(u32 u, u32 v, u32 high) { return make_uint2(high & 0xffff ? ~0u : u, high >> 16 ? ~0u : v); }

__device__ inline uint2 loadTuple(const Tuple *list, u64 i) { return endsOf(list[i].u, list[i].v, list[i].high); }

// loadTupleOnce is loadTuple with evict-first priority.
__device__ inline uint2 loadTupleOnce(const Tuple *list, u64 i) {
	return endsOf(__ldcs(&list[i].u), __ldcs(&list[i].v), __ldcs(&list[i].high));
}

// loadPairOnce loads the tuples 2 i and 2 i + 1 with evict-first priority.
__device__ inline uint4 loadPairOnce(const Tuple *list, u64 i) {
	const uint2 *words = (const uint2 *)(list + 2 * i);
	const uint2 a = __ldcs(words), b = __ldcs(words + 1), c = __ldcs(words + 2);
	const uint2 one = endsOf(a.x, a.y, b.x), other = endsOf(b.y, c.x, c.y);
	return make_uint4(one.x, one.y, other.x, other.y);
}

__device__ inline void storeTuple(Tuple *list, u64 i, u32 u, u32 v) { list[i] = Tuple{u, v, 0}; }

#else

typedef uint2 Tuple;

__device__ inline uint2 loadTuple(const Tuple *list, u64 i) {
	const u32 *words = (const u32 *)list;
	return make_uint2(words[2 * i], words[2 * i + 1]);
}
__device__ inline uint2 loadTupleOnce(const Tuple *list, u64 i) { return __ldcs(&list[i]); }
__device__ inline uint4 loadPairOnce(const Tuple *list, u64 i) { return __ldcs((const uint4 *)list + i); }
__device__ inline void storeTuple(Tuple *list, u64 i, u32 u, u32 v) { list[i] = make_uint2(u, v); }

#endif
