// Work counters for the instrumented form of a .cu file, which is compiled with
// COUNTED defined (.counted.ptx). After this header each atomic counts itself, so the
// source of the kernels is the same in both forms. Without COUNTED the header only
// defines an empty function.
#pragma once

#ifdef COUNTED

// These headers declare atomics, so they precede the macros.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Counted has the layout that device.Module.Counts reads.
struct Counted {
	unsigned long long examined;      // examined entries of adjacency lists
	unsigned long long atomics;       // atomics on global memory, one per thread
	unsigned long long sharedAtomics; // atomics on shared memory, one per thread
};

__device__ Counted counted;

// examined counts n entries of adjacency lists that a thread examines.
__device__ inline void examined(unsigned long long n) { atomicAdd(&counted.examined, n); }

__device__ inline void countAtomic(const volatile void *at) {
	atomicAdd(__isShared((const void *)at) ? &counted.sharedAtomics : &counted.atomics, 1ull);
}

// The preprocessor does not expand a macro inside its own expansion.
#define atomicAdd(address, ...) (countAtomic(address), atomicAdd(address, __VA_ARGS__))
#define atomicSub(address, ...) (countAtomic(address), atomicSub(address, __VA_ARGS__))
#define atomicMin(address, ...) (countAtomic(address), atomicMin(address, __VA_ARGS__))
#define atomicMax(address, ...) (countAtomic(address), atomicMax(address, __VA_ARGS__))
#define atomicAnd(address, ...) (countAtomic(address), atomicAnd(address, __VA_ARGS__))
#define atomicOr(address, ...) (countAtomic(address), atomicOr(address, __VA_ARGS__))
#define atomicXor(address, ...) (countAtomic(address), atomicXor(address, __VA_ARGS__))
#define atomicExch(address, ...) (countAtomic(address), atomicExch(address, __VA_ARGS__))
#define atomicCAS(address, ...) (countAtomic(address), atomicCAS(address, __VA_ARGS__))

// The conditional atomics of ptx.cuh.
#define addIf(on, to, ...) ((on) ? countAtomic(to) : (void)0, addIf(on, to, __VA_ARGS__))
#define minIf(on, to, ...) ((on) ? countAtomic(to) : (void)0, minIf(on, to, __VA_ARGS__))
#define orIf(on, to, ...) ((on) ? countAtomic(to) : (void)0, orIf(on, to, __VA_ARGS__))

#else

__device__ inline void examined(unsigned long long) {}

#endif
