// The tuples of the official Kronecker graph, bit-identical with package kronecker,
// which explains the method and names its sources.
//
// A thread jumps from one of its tuples to the next by a fixed distance. The
// coefficients of the jump are therefore loop constants, and the loop reads no table.
// The kernel is bound by the multiplier, not by memory: a tuple of scale 24 takes 8
// bytes and about 500 instructions, 97 of them wide products, which occupy the
// multiplier for 4 cycles per warp; all other instructions take 2.
#include "../tuples.cuh"
#include "generate_ptx.cuh"

namespace {

constexpr int order = 5;
constexpr u32 modulus = 0x7fffffff;
constexpr u32 near = 107374182;
constexpr u32 far = 104480;
constexpr u32 rejected = modulus % 10000;

// canonical reduces x <= 2 modulus to 0..modulus-1.
__device__ u32 canonical(u32 x) { return least(x, x - modulus); }

// next returns the draw that follows newest. In twice the sum, the two parts that the
// reduction adds are aligned to its two words. The value is below 2^60, so the sum of
// the parts is below 2^31 + 2^28.
__device__ u32 next(u32 newest, u32 oldest) {
	const u64 twice = u64(2 * near) * newest + u64(2 * far) * oldest;
	return canonical(u32(twice >> 32) + (u32(twice) >> 1));
}

// follow computes the four draws that follow the stream r.
__device__ void follow(const u32 (&r)[order], u32 (&draws)[order - 1]) {
	draws[0] = next(r[4], r[0]);
	draws[1] = next(draws[0], r[1]);
	draws[2] = next(draws[1], r[2]);
	draws[3] = next(draws[2], r[3]);
}

// Jump holds the coefficients of a jump, centred around zero, and a bias. The bias is
// a multiple of the modulus. It keeps the sum of five products with numbers below the
// modulus non-negative and below 2^64.
struct Jump {
	i32 c[order];
	u64 bias;

	__device__ explicit Jump(const i32 *from) {
		u64 negative = 0;
		for (int k = 0; k < order; k++) {
			c[k] = from[k];
			negative += u32(max(-c[k], 0));
		}
		bias = negative * modulus;
	}

	// apply advances the stream r by the jump. draws are the four draws after r.
	__device__ void apply(u32 (&r)[order], const u32 (&draws)[order - 1]) const {
		const u32 from[2 * order - 1] = {r[0], r[1], r[2], r[3], r[4], draws[0], draws[1], draws[2], draws[3]};
#pragma unroll
		for (int i = 0; i < order; i++) {
			u64 sum = bias;
#pragma unroll
			for (int k = 0; k < order; k++)
				addProduct(sum, c[k], from[i + k]);
			sum = (sum & modulus) + (sum >> 31);
			r[i] = canonical((u32(sum) & modulus) + u32(sum >> 31));
		}
	}
};

// Levels collects the label bits of a tuple, one bit per level and endpoint. The
// quadrants of a draw modulo 10000 are B below 1900, C below 3800, A below 9500, else
// D. The bits of the two endpoints differ below 3800. The bit of v is 1 below 1900
// and from 9500.
struct Levels {
	u32 same = 0;  // one bit per level, the first level highest: both endpoint bits are equal
	u32 clear = 0; // the bit of v is 0
	u32 least = modulus;

	__device__ void add(u32 r) {
		// r times 2^64/10000, rounded up, modulo 2^64 is the fraction of r/10000 times
		// 2^64, with an error of at most 2^31. The high half distinguishes remainders.
		constexpr u64 perTenThousand = ~u64(0) / 10000 + 1;
		constexpr auto fraction = [](u32 x) { return u32((u64(x) << 32) / 10000); };
		least = min(least, r);
		const u32 f = __umulhi(r, u32(perTenThousand)) + r * u32(perTenThousand >> 32);
		appendCarry(same, f, 0u - fraction(3800));
		appendCarry(clear, f - fraction(9500), fraction(9500) - fraction(1900));
	}

	__device__ uint2 ends(u32 mask) const { return make_uint2((same ^ clear) & mask, ~clear & mask); }
};

// redo recomputes a tuple with a rejected draw, step by step as in the specification.
// At scale 24 this concerns 40 tuples in a million. x and y are the endpoints, z is the
// draw of the weight, which is never rejected, if weighted.
template <bool weighted>
__device__ __noinline__ uint3 redo(u32 r0, u32 r1, u32 r2, u32 r3, u32 r4, int scale) {
	uint3 ends = {};
	for (int left = scale; left > 0;) {
		const u32 r = next(r4, r0);
		r0 = r1, r1 = r2, r2 = r3, r3 = r4, r4 = r;
		if (r < rejected)
			continue;
		const u32 x = r % 10000;
		ends.x = 2 * ends.x + ((x >= 1900 && x < 3800) || x >= 9500);
		ends.y = 2 * ends.y + (x < 1900 || x >= 9500);
		left--;
	}
	if (weighted)
		ends.z = next(r4, r0);
	return ends;
}

// following returns the draw that follows the levels of a tuple. The draws of the last
// levels are in a..e, and left levels follow that of e; a negative number counts levels
// that do not exist.
__device__ u32 following(int left, u32 a, u32 b, u32 c, u32 d, u32 e) {
	switch (left) {
	case -3: return c;
	case -2: return d;
	case -1: return e;
	case 0: return next(e, a);
	case 1: return next(a, b);
	case 2: return next(b, c);
	case 3: return next(c, d);
	default: return next(d, e);
	}
}

struct Scrambler {
	u32 k0, k1, shift, drop;

	__device__ u32 operator()(u32 x) const {
		const u32 y = __brev(k0 * (x + shift)) >> drop;
		return __brev(k1 * y) >> drop;
	}
};

// mirrored moves a tuple below the diagonal to above it. As in the reference, it only
// swaps the bits of the first level at which the endpoints differ.
__device__ uint2 mirrored(uint2 ends) {
	const u32 first = ends.x > ends.y ? 0x80000000u >> __clz(ends.x ^ ends.y) : 0;
	return make_uint2(ends.x ^ first, ends.y ^ first);
}

// weight converts a draw to a weight. The reference multiplies in double precision by a
// number that is 2^-31 up to a relative difference of 2^-31. That changes a number of 24
// bits by less than half a unit in its last place, so the product is rounded to the
// number times 2^-31, which is exact.
__device__ float weight(u32 draw) { return float(draw) * 0x1p-31f; }

// A block generates perBlock successive tuples. The number is small because the warps
// of a multiprocessor advance unevenly: short blocks keep it occupied.
constexpr int generateThreads = 128;
constexpr u64 perBlock = 64 * generateThreads;

// generateBlock is the work of a block of the kernels below. Without weights it draws
// only what the endpoints need.
template <bool weighted>
__device__ __forceinline__ void generateBlock(Tuple *tuples, float *weights, u64 count, u64 first, const u32 *streams,
                                              const i32 *jumps, const i32 (&byBlock)[order], i32 scale, Scrambler scramble) {
	const u32 mask = ~0u >> scramble.drop;
	const u64 start = blockIdx.x * perBlock, end = min(count, start + perBlock);

	u32 r[order], draws[order - 1];
	u64 number = first + start + threadIdx.x;
	for (int i = 0; i < order; i++)
		r[i] = streams[order * (number % 256) + i];
	for (; number >>= 8; jumps += order * 256) {
		if (number % 256 == 0)
			continue;
		follow(r, draws);
		Jump(jumps + order * (number % 256)).apply(r, draws);
	}

	const Jump step(byBlock);
	for (u64 i = start + threadIdx.x; i < end; i += generateThreads) {
		const u32 r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3], r4 = r[4];
		follow(r, draws);
		step.apply(r, draws);

		u32 a = r4, b = draws[0], c = draws[1], d = draws[2], e = draws[3];
		Levels levels;
		levels.add(b);
		if (scale > 1)
			levels.add(c);
		if (scale > 2)
			levels.add(d);
		if (scale > 3)
			levels.add(e);
		int left = scale - 4;
		for (; left >= order; left -= order) {
			levels.add(a = next(e, a));
			levels.add(b = next(a, b));
			levels.add(c = next(b, c));
			levels.add(d = next(c, d));
			levels.add(e = next(d, e));
		}
		if (left > 0)
			levels.add(a = next(e, a));
		if (left > 1)
			levels.add(b = next(a, b));
		if (left > 2)
			levels.add(c = next(b, c));
		if (left > 3)
			levels.add(d = next(c, d));

		uint2 ends = levels.ends(mask);
		u32 draw = weighted ? following(left, a, b, c, d, e) : 0;
		if (levels.least < rejected) {
			const uint3 again = redo<weighted>(r0, r1, r2, r3, r4, scale);
			ends = make_uint2(again.x, again.y);
			draw = again.z;
		}
		ends = mirrored(ends);
		storeTuple(tuples, i, scramble(ends.x), scramble(ends.y));
		if (weighted)
			weights[i] = weight(draw);
	}
}

} // namespace

// generate generates the tuples first..first+count-1 of the graph. Rows of streams
// and jumps have five words. Row j < 256 of streams is the stream of tuple j. Row
// 256 d + j of jumps is the jump over j 256^(d+1) tuples. s0..s4 is the jump over
// generateThreads tuples.
extern "C" __global__ void __launch_bounds__(generateThreads)
    generate(Tuple *tuples, u64 count, u64 first, const u32 *streams, const i32 *jumps, i32 s0, i32 s1, i32 s2, i32 s3,
             i32 s4, i32 scale, u32 k0, u32 k1, u32 shift) {
	generateBlock<false>(tuples, nullptr, count, first, streams, jumps, {s0, s1, s2, s3, s4}, scale,
	                     Scrambler{k0, k1, shift, u32(32 - scale)});
}

// generate_weighted is generate that also stores the weight of each tuple.
extern "C" __global__ void __launch_bounds__(generateThreads)
    generate_weighted(Tuple *tuples, float *weights, u64 count, u64 first, const u32 *streams, const i32 *jumps, i32 s0,
                      i32 s1, i32 s2, i32 s3, i32 s4, i32 scale, u32 k0, u32 k1, u32 shift) {
	generateBlock<true>(tuples, weights, count, first, streams, jumps, {s0, s1, s2, s3, s4}, scale,
	                    Scrambler{k0, k1, shift, u32(32 - scale)});
}

#ifndef LABELS_48

// Checksums has the layout of Checksums in checksum_test.go.
struct Checksums {
	u64 lin, linXor, mix, mixXor, undirectedMix, ordered, loops, largest, weights;
};

namespace {

__device__ u64 key(u32 u, u32 v) { return u * 0x9E3779B97F4A7C15ull + v; }

// mix is the finaliser of splitmix64.
__device__ u64 mix(u64 x) {
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
	x = (x ^ x >> 27) * 0x94D049BB133111EBull;
	return x ^ x >> 31;
}

// overWarp reduces the values of the warp by f. Lane 0 gets the result.
template <typename F> __device__ u64 overWarp(u64 x, F f) {
	for (int distance = 16; distance > 0; distance /= 2)
		x = f(x, __shfl_down_sync(~0u, x, distance));
	return x;
}

} // namespace

// checksum adds the checksums of count tuples and their weights to sums. The first of
// them is tuple number first of its graph.
extern "C" __global__ void checksum(const uint2 *tuples, const u32 *weights, u64 count, u64 first, Checksums *sums) {
	Checksums s = {};
	for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += u64(gridDim.x) * blockDim.x) {
		const uint2 t = tuples[i];
		const u64 k = key(t.x, t.y), m = mix(k);
		s.lin += k;
		s.linXor ^= k;
		s.mix += m;
		s.mixXor ^= m;
		s.undirectedMix += mix(key(min(t.x, t.y), max(t.x, t.y)));
		s.ordered += (first + i + 1) * m;
		s.loops += t.x == t.y;
		s.largest = max(s.largest, u64(max(t.x, t.y)));
		s.weights += weights[i];
	}
	const auto plus = [](u64 a, u64 b) { return a + b; };
	const auto exclusive = [](u64 a, u64 b) { return a ^ b; };
	const auto larger = [](u64 a, u64 b) { return max(a, b); };
	s.lin = overWarp(s.lin, plus);
	s.linXor = overWarp(s.linXor, exclusive);
	s.mix = overWarp(s.mix, plus);
	s.mixXor = overWarp(s.mixXor, exclusive);
	s.undirectedMix = overWarp(s.undirectedMix, plus);
	s.ordered = overWarp(s.ordered, plus);
	s.loops = overWarp(s.loops, plus);
	s.largest = overWarp(s.largest, larger);
	s.weights = overWarp(s.weights, plus);
	if (threadIdx.x % warpSize != 0)
		return;
	atomicAdd(&sums->lin, s.lin);
	atomicXor(&sums->linXor, s.linXor);
	atomicAdd(&sums->mix, s.mix);
	atomicXor(&sums->mixXor, s.mixXor);
	atomicAdd(&sums->undirectedMix, s.undirectedMix);
	atomicAdd(&sums->ordered, s.ordered);
	atomicAdd(&sums->loops, s.loops);
	atomicMax(&sums->largest, s.largest);
	atomicAdd(&sums->weights, s.weights);
}

#endif
