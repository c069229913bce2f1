// The extensions of CUDA C++ over C++. Every module of the emulated GPU is compiled
// with this header in front of its unchanged source.
//
// The header has only the functions that the kernels use. A kernel that needs
// another one does not compile until the function is added here.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "device.h"

#define __device__
#define __host__
#define __global__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __constant__
// An OS thread runs one block at a time, so its thread_local variables are the
// block's shared memory.
#define __shared__ thread_local

struct uint3 {
	unsigned x, y, z;
};
struct alignas(8) uint2 {
	unsigned x, y;
};
struct alignas(16) uint4 {
	unsigned x, y, z, w;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

// Constant for each kernel thread; grid.cpp sets them when it switches threads.
extern const uint3 threadIdx, blockIdx, blockDim, gridDim;
constexpr int warpSize = 32;

// The caller's source line: the last parameters of each collective.
#define EMULATION_CALLER const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(EMULATION_CALLER) { emulation::blockBarrier("__syncthreads", false, {file, line}); }
inline int __syncthreads_count(int predicate, EMULATION_CALLER) { return emulation::blockBarrier("__syncthreads_count", predicate, {file, line}); }
inline int __syncthreads_or(int predicate, EMULATION_CALLER) { return emulation::blockBarrier("__syncthreads_or", predicate, {file, line}) > 0; }
inline int __syncthreads_and(int predicate, EMULATION_CALLER) { return emulation::blockBarrier("__syncthreads_and", predicate, {file, line}) == blockDim.x; }

inline void __syncwarp(unsigned mask = ~0u, EMULATION_CALLER) {
	emulation::warpCollective(emulation::sync, "__syncwarp", mask, 0, 0, {file, line});
}
inline unsigned __ballot_sync(unsigned mask, int predicate, EMULATION_CALLER) {
	return emulation::warpCollective(emulation::ballot, "__ballot_sync", mask, predicate != 0, 0, {file, line});
}
inline int __any_sync(unsigned mask, int predicate, EMULATION_CALLER) {
	return emulation::warpCollective(emulation::ballot, "__any_sync", mask, predicate != 0, 0, {file, line}) != 0;
}
inline int __all_sync(unsigned mask, int predicate, EMULATION_CALLER) {
	return emulation::warpCollective(emulation::ballot, "__all_sync", mask, predicate == 0, 0, {file, line}) == 0;
}
template <typename T> unsigned __match_any_sync(unsigned mask, T value, EMULATION_CALLER) {
	return emulation::warpCollective(emulation::match, "__match_any_sync", mask, uint64_t(value), 0, {file, line});
}
// The smallest valid result: the threads of a warp need not be converged.
inline unsigned __activemask() { return 1u << emulation::lane(); }

inline unsigned __reduce_add_sync(unsigned mask, unsigned value, EMULATION_CALLER) {
	return emulation::warpCollective(emulation::sum, "__reduce_add_sync", mask, value, 0, {file, line});
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value, EMULATION_CALLER) {
	return emulation::warpCollective(emulation::minimum, "__reduce_min_sync", mask, value, 0, {file, line});
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value, EMULATION_CALLER) {
	return emulation::warpCollective(emulation::maximum, "__reduce_max_sync", mask, value, 0, {file, line});
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value, EMULATION_CALLER) {
	return emulation::warpCollective(emulation::orAll, "__reduce_or_sync", mask, value, 0, {file, line});
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value, EMULATION_CALLER) {
	return emulation::warpCollective(emulation::andAll, "__reduce_and_sync", mask, value, 0, {file, line});
}

inline void __trap() { emulation::trap(); }

namespace emulation {

template <typename T> T shuffle(const char *name, unsigned mask, T value, unsigned from, SourceLine source) {
	static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
	uint64_t bits = 0;
	memcpy(&bits, &value, sizeof(T));
	bits = warpCollective(move, name, mask, bits, from, source);
	memcpy(&value, &bits, sizeof(T));
	return value;
}

} // namespace emulation

template <typename T> T __shfl_sync(unsigned mask, T value, int from, int width = 32, EMULATION_CALLER) {
	const unsigned lane = emulation::lane(), first = lane & ~unsigned(width - 1);
	return emulation::shuffle("__shfl_sync", mask, value, first + (from & (width - 1)), {file, line});
}
template <typename T> T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, EMULATION_CALLER) {
	const unsigned lane = emulation::lane(), first = lane & ~unsigned(width - 1);
	return emulation::shuffle("__shfl_up_sync", mask, value, lane >= first + by ? lane - by : lane, {file, line});
}
template <typename T> T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, EMULATION_CALLER) {
	const unsigned lane = emulation::lane(), end = (lane & ~unsigned(width - 1)) + width;
	return emulation::shuffle("__shfl_down_sync", mask, value, lane + by < end ? lane + by : lane, {file, line});
}
template <typename T> T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32, EMULATION_CALLER) {
	const unsigned lane = emulation::lane(), end = (lane & ~unsigned(width - 1)) + width;
	return emulation::shuffle("__shfl_xor_sync", mask, value, (lane ^ with) < end ? lane ^ with : lane, {file, line});
}

#undef EMULATION_CALLER

// Atomics on integers.
namespace emulation {

template <typename T> T change(AtomicOp op, T *at, T operand, T compare = 0) {
	static_assert(std::is_integral_v<T>, "atomics on integers only");
	return T(atomic(op, at, sizeof(T), uint64_t(operand), uint64_t(compare)));
}

} // namespace emulation

template <typename T, typename U> T atomicAdd(T *at, U x) { return emulation::change(emulation::add, at, T(x)); }
template <typename T, typename U> T atomicSub(T *at, U x) { return emulation::change(emulation::add, at, T(0 - T(x))); }
template <typename T, typename U> T atomicAnd(T *at, U x) { return emulation::change(emulation::bitAnd, at, T(x)); }
template <typename T, typename U> T atomicOr(T *at, U x) { return emulation::change(emulation::bitOr, at, T(x)); }
template <typename T, typename U> T atomicXor(T *at, U x) { return emulation::change(emulation::bitXor, at, T(x)); }
template <typename T, typename U> T atomicExch(T *at, U x) { return emulation::change(emulation::exchange, at, T(x)); }
template <typename T, typename U> T atomicMin(T *at, U x) {
	return emulation::change(std::is_signed_v<T> ? emulation::signedMin : emulation::unsignedMin, at, T(x));
}
template <typename T, typename U> T atomicMax(T *at, U x) {
	return emulation::change(std::is_signed_v<T> ? emulation::signedMax : emulation::unsignedMax, at, T(x));
}
template <typename T, typename U, typename V> T atomicCAS(T *at, U compare, V x) {
	return emulation::change(emulation::compareAndSwap, at, T(x), T(compare));
}

// Loads and stores with cache operators. In the emulation all threads see writes in
// order, so fences do nothing.
template <typename T> T __ldg(const T *at) { return *emulation::aligned(at); }
template <typename T> T __ldca(const T *at) { return *emulation::aligned(at); }
template <typename T> T __ldcg(const T *at) { return *emulation::aligned(at); }
template <typename T> T __ldcs(const T *at) { return *emulation::aligned(at); }
template <typename T> T __ldcv(const T *at) { return *emulation::aligned(const_cast<const volatile T *>(at)); }
template <typename T, typename U> void __stcg(T *at, U x) { *emulation::aligned(at) = x; }
template <typename T, typename U> void __stcs(T *at, U x) { *emulation::aligned(at) = x; }
template <typename T, typename U> void __stwt(T *at, U x) { *emulation::aligned(at) = x; }
inline void __threadfence_block() {}
inline void __threadfence() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) {}
inline bool __isShared(const void *at) { return emulation::isShared(at); }

template <typename A, typename B> constexpr std::common_type_t<A, B> min(A a, B b) {
	using T = std::common_type_t<A, B>;
	return T(b) < T(a) ? T(b) : T(a);
}
template <typename A, typename B> constexpr std::common_type_t<A, B> max(A a, B b) {
	using T = std::common_type_t<A, B>;
	return T(a) < T(b) ? T(b) : T(a);
}

inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) { return (unsigned long long)((unsigned __int128)x * y >> 64); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline unsigned __umulhi(unsigned a, unsigned b) { return uint64_t(a) * b >> 32; }
inline unsigned __brev(unsigned x) {
	unsigned y = 0;
	for (int i = 0; i < 32; i++)
		y = y << 1 | (x >> i & 1);
	return y;
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) { return (uint64_t(high) << 32 | low) >> (by & 31); }
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) { return (uint64_t(high) << 32 | low) << (by & 31) >> 32; }

inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
inline float __fadd_rn(float a, float b) { return a + b; }

// Comparisons of four bytes at once: 0xFF in each byte for which they hold.
inline unsigned __vcmpeq4(unsigned a, unsigned b) {
	unsigned y = 0;
	for (int i = 0; i < 32; i += 8)
		y |= (a >> i & 0xFF) == (b >> i & 0xFF) ? 0xFFu << i : 0;
	return y;
}
inline unsigned __vcmpne4(unsigned a, unsigned b) { return ~__vcmpeq4(a, b); }
