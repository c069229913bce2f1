// The pass over the tuples: the rules Edge and Level, and the counts.
#include "../tuples.cuh"
#include "validate.cuh"

using namespace validate;

constexpr int pairs = 2;     // 16-byte pairs of tuples that a thread has in flight
constexpr int threads = 512; // per block; two blocks per SM leave the 64 registers per thread that it needs

// stream calls judge.judge for every tuple, after judge.look has looked up both
// endpoints. The tuples are loaded with evict-first priority, so that the table stays
// in the caches. The look-ups of several tuples are in flight at the same time. index is
// the number of the first tuple.
//
// On an H200 the look-ups keep the second-level cache busy (95 %), at 140 G/s for a
// table of 16 MB and 80 G/s for one of 64 MB. More threads, more pairs, and more blocks
// than are resident were not faster.
template <class Judge>
__device__ void stream(Judge &judge, const Tuple *tuples, u64 count, u64 index, u32 vertices, Facts *facts) {
	u64 outside = never;
	u64 tile = u64(pairs) * blockDim.x;
	u64 whole = count / 2;
	for (u64 first = tile * blockIdx.x; first < whole + (count & 1); first += tile * gridDim.x) {
		uint4 t[pairs];
		typename Judge::Entry of[pairs][4];
#pragma unroll
		for (int k = 0; k < pairs; k++) {
			u64 i = first + k * blockDim.x + threadIdx.x;
			if (i < whole) {
				t[k] = loadPairOnce(tuples, i);
			} else if (i == whole && count & 1) {
				const uint2 last = loadTuple(tuples, 2 * i);
				t[k] = make_uint4(last.x, last.y, none, none);
			} else {
				t[k] = make_uint4(none, none, none, none);
			}
		}
#pragma unroll
		for (int k = 0; k < pairs; k++) {
			bool a = t[k].x < vertices && t[k].y < vertices, b = t[k].z < vertices && t[k].w < vertices;
			of[k][0] = a ? judge.look(t[k].x) : 0;
			of[k][1] = a ? judge.look(t[k].y) : 0;
			of[k][2] = b ? judge.look(t[k].z) : 0;
			of[k][3] = b ? judge.look(t[k].w) : 0;
			if (!(a && b)) {
				u64 i = 2 * (first + k * blockDim.x + threadIdx.x);
				if (!a && i < count) outside = min(outside, index + i);
				if (!b && i + 1 < count) outside = min(outside, index + i + 1);
			}
		}
#pragma unroll
		for (int k = 0; k < pairs; k++) {
			u64 i = index + 2 * (first + k * blockDim.x + threadIdx.x);
			judge.judge(i, t[k].x, t[k].y, of[k][0], of[k][1]);
			judge.judge(i + 1, t[k].z, t[k].w, of[k][2], of[k][3]);
		}
	}
	if (outside != never) atomicMin(&facts->outside, outside);
	addUp(judge.edges, &facts->edges);
	addUp(judge.loops, &facts->loops);
}

// Check is the judge for validation, with one of the forms of the table.
template <class Form> struct Check {
	using Entry = typename Form::Entry;
	Form form;
	u32 edges = 0, loops = 0;
	u64 broken = never; // smallest tuple that breaks rule Level

	__device__ Check(Form form) : form(form) {}
	__device__ Entry look(u32 v) const { return form.look(v); }
	__device__ void judge(u64 index, u32 u, u32 v, Entry ofU, Entry ofV) {
		u32 a = Form::depth(ofU), b = Form::depth(ofV);
		if ((a | b) == 0) return;
		if (u == v) {
			loops++;
			return;
		}
		if (a == 0 || b == 0 || a - b + 1 > 2) {
			broken = min(broken, index);
			return;
		}
		edges++;
		if (a > b) form.join(u, ofU, v);
		if (b > a) form.join(v, ofV, u);
	}
};

template <class Form>
__device__ void check(Form form, const Tuple *tuples, u64 count, u64 index, u32 vertices, Facts *facts) {
	Check<Form> judge(form);
	stream(judge, tuples, count, index, vertices, facts);
	if (judge.broken != never) atomicMin(&facts->tuple, judge.broken);
}

// validate_tuples_<form> check count tuples. The first one has the given index in the
// list of all tuples.
extern "C" __global__ void __launch_bounds__(threads, 2)
validate_tuples_hashed(const Tuple *tuples, u64 count, u64 index, const u32 *parents, u32 vertices, u8 *table, Facts *facts) {
	check(HashedBytes{table, parents}, tuples, count, index, vertices, facts);
}

extern "C" __global__ void __launch_bounds__(threads, 2)
validate_tuples_plain(const Tuple *tuples, u64 count, u64 index, const u32 *parents, u32 vertices, u8 *table, Facts *facts) {
	check(PlainBytes{table, parents}, tuples, count, index, vertices, facts);
}

extern "C" __global__ void __launch_bounds__(threads, 2)
validate_tuples_deep(const Tuple *tuples, u64 count, u64 index, const u32 *, u32 vertices, u64 *table, Facts *facts) {
	check(Deep{table}, tuples, count, index, vertices, facts);
}

// validate_keep stores the endpoints and weights of the tuples that break a rule, if they
// are among these count tuples. weights is null if the tuples have none.
extern "C" __global__ void validate_keep(const Tuple *tuples, const u32 *weights, u64 count, u64 index, Facts *facts) {
	u64 broken = facts->tuple - index, outside = facts->outside - index, invalid = facts->weight - index;
	if (broken < count) {
		facts->tupleEnds[0] = loadTuple(tuples, broken).x;
		facts->tupleEnds[1] = loadTuple(tuples, broken).y;
		if (weights) facts->tupleWeight = weights[broken];
	}
	if (outside < count) {
		facts->outsideEnds[0] = loadTuple(tuples, outside).x;
		facts->outsideEnds[1] = loadTuple(tuples, outside).y;
	}
	if (invalid < count) facts->invalidWeight = weights[invalid];
}

// validate_unjoined finds the smallest vertex of the tree that no tuple joins to its
// parent, in a table of bytes.
extern "C" __global__ void validate_unjoined(const u32 *table, u32 vertices, u32 root, Facts *facts) {
	u32 words = (u64(vertices) + 3) / 4;
	u64 apart = never;
	for (u64 i = firstThread(); i < words; i += allThreads()) {
		u32 word = table[i];
		u32 open = __vcmpne4(word, 0) & ~word & 0x80808080u;
		if (i == root / 4) open &= ~(0x80u << 8 * (root % 4));
		if (open) apart = min(apart, 4 * i + (__ffs(open) - 1) / 8);
	}
	if (apart != never) atomicMin(&facts->apart, apart);
}

// validate_unjoined_deep is validate_unjoined for a Deep table.
extern "C" __global__ void validate_unjoined_deep(const u64 *table, u32 vertices, u32 root, Facts *facts) {
	u64 apart = never;
	for (u64 v = firstThread(); v < vertices; v += allThreads()) {
		u64 e = table[v];
		if (e && !(e & joinedDeep) && v != root) apart = min(apart, v);
	}
	if (apart != never) atomicMin(&facts->apart, apart);
}

// joined returns entry i of a table with the marks of all tables of the same tree, which
// differ only in their marks.
template <class Word, int most> __device__ Word joined(const Word *const (&table)[most], u32 tables, u64 i) {
	Word word = 0;
#pragma unroll
	for (int k = 0; k < most; k++)
		if (k < tables) word |= table[k][i];
	return word;
}

// validate_unjoined_together is validate_unjoined for the words first..end-1 of up to 16
// tables of the same tree, each with the marks of other tuples. Tables may be on other
// devices.
extern "C" __global__ void
validate_unjoined_together(u64 first, u64 end, u32 root, Facts *facts, u32 tables, const u32 *t0, const u32 *t1, const u32 *t2,
                           const u32 *t3, const u32 *t4, const u32 *t5, const u32 *t6, const u32 *t7, const u32 *t8, const u32 *t9,
                           const u32 *t10, const u32 *t11, const u32 *t12, const u32 *t13, const u32 *t14, const u32 *t15) {
	const u32 *const table[] = {t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15};
	u64 apart = never;
	for (u64 i = first + firstThread(); i < end; i += allThreads()) {
		u32 word = joined(table, tables, i);
		u32 open = __vcmpne4(word, 0) & ~word & 0x80808080u;
		if (i == root / 4) open &= ~(0x80u << 8 * (root % 4));
		if (open) apart = min(apart, 4 * i + (__ffs(open) - 1) / 8);
	}
	if (apart != never) atomicMin(&facts->apart, apart);
}

// validate_unjoined_together_deep is validate_unjoined_together for Deep tables.
extern "C" __global__ void
validate_unjoined_together_deep(u64 first, u64 end, u32 root, Facts *facts, u32 tables, const u64 *t0, const u64 *t1, const u64 *t2,
                                const u64 *t3, const u64 *t4, const u64 *t5, const u64 *t6, const u64 *t7, const u64 *t8,
                                const u64 *t9, const u64 *t10, const u64 *t11, const u64 *t12, const u64 *t13, const u64 *t14,
                                const u64 *t15) {
	const u64 *const table[] = {t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15};
	u64 apart = never;
	for (u64 v = first + firstThread(); v < end; v += allThreads()) {
		u64 e = joined(table, tables, v);
		if (e && !(e & joinedDeep) && v != root) apart = min(apart, v);
	}
	if (apart != never) atomicMin(&facts->apart, apart);
}

// validate_mark builds the bitmap of the vertices with a parent, padded to whole words,
// and counts these vertices. The number of threads is a multiple of 32.
extern "C" __global__ void validate_mark(const u32 *parents, u32 vertices, u32 *bits, Facts *facts) {
	u32 visited = 0;
	u64 padded = (u64(vertices) + 31) / 32 * 32;
	for (u64 v = firstThread(); v < padded; v += allThreads()) {
		bool in = v < vertices && __ldcs(parents + v) != none;
		u32 word = __ballot_sync(~0u, in);
		if (v % 32 == 0) bits[v / 32] = word;
		visited += in;
	}
	addUp(visited, &facts->visited);
}

// Tally is the judge for CountEdges, with a bitmap.
struct Tally {
	using Entry = u32;
	const u32 *bits;
	u32 edges = 0, loops = 0;

	__device__ Tally(const u32 *bits) : bits(bits) {}
	__device__ Entry look(u32 v) const { return bits[v / 32] >> (v % 32) & 1; }
	__device__ void judge(u64, u32 u, u32 v, Entry ofU, Entry ofV) {
		u32 in = ofU & ofV;
		loops += in & (u == v);
		edges += in & (u != v);
	}
};

extern "C" __global__ void __launch_bounds__(threads, 2)
validate_count(const Tuple *tuples, u64 count, u64 index, u32 vertices, const u32 *bits, Facts *facts) {
	Tally judge(bits);
	stream(judge, tuples, count, index, vertices, facts);
}
