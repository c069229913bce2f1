// Counting, for the twin of a .cu file that is compiled with COUNTED defined
// (.counted.ptx). From here on each atomic counts, and the text of the kernels
// stays as it is. Without COUNTED there is nothing but an empty function.
#pragma once

#ifdef COUNTED

// These declare atomics of their own.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Counted is package kernels' counted.
struct Counted {
	unsigned long long examined;      // entries of neighbour lists looked at
	unsigned long long atomics;       // on global memory, by one thread each
	unsigned long long sharedAtomics; // on shared memory, likewise
};

__device__ Counted counted;

// examined counts n entries of neighbour lists that a thread looks at.
__device__ inline void examined(unsigned long long n) { atomicAdd(&counted.examined, n); }

__device__ inline void countAtomic(const volatile void *at) {
	atomicAdd(__isShared((const void *)at) ? &counted.sharedAtomics : &counted.atomics, 1ull);
}

// A macro is not expanded again inside itself.
#define atomicAdd(address, ...) (countAtomic(address), atomicAdd(address, __VA_ARGS__))
#define atomicSub(address, ...) (countAtomic(address), atomicSub(address, __VA_ARGS__))
#define atomicMin(address, ...) (countAtomic(address), atomicMin(address, __VA_ARGS__))
#define atomicMax(address, ...) (countAtomic(address), atomicMax(address, __VA_ARGS__))
#define atomicAnd(address, ...) (countAtomic(address), atomicAnd(address, __VA_ARGS__))
#define atomicOr(address, ...) (countAtomic(address), atomicOr(address, __VA_ARGS__))
#define atomicXor(address, ...) (countAtomic(address), atomicXor(address, __VA_ARGS__))
#define atomicExch(address, ...) (countAtomic(address), atomicExch(address, __VA_ARGS__))
#define atomicCAS(address, ...) (countAtomic(address), atomicCAS(address, __VA_ARGS__))

// Those of ptx.cuh, under a condition.
#define addIf(on, to, ...) ((on) ? countAtomic(to) : (void)0, addIf(on, to, __VA_ARGS__))
#define orIf(on, to, ...) ((on) ? countAtomic(to) : (void)0, orIf(on, to, __VA_ARGS__))

#else

__device__ inline void examined(unsigned long long) {}

#endif
