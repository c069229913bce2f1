// Counts what the counted form of split.cu reads of tails, by level. Each load counts itself,
// so the source of the kernels is the same in both forms. This header follows all headers
// that declare loads.
#pragma once

#ifdef COUNTED

#include <cub/block/block_scan.cuh>

#include "../ptx.cuh"
#include "../counted.cuh"
#include "neighbors.cuh"

#include "../hostreads.cuh"

// countRead counts a load of a word, if it is one of a tail.
__device__ inline void countRead(bool on, const void *from) {
	const u64 at = u64(from), first = u64(tails.tails);
	countHostRead(on && at >= first && at < first + 4 * tails.length, from);
}

// The preprocessor does not expand a macro inside its own expansion.
#define streamIf(on, from, ...) (countRead(on, from), streamIf(on, from, __VA_ARGS__))
#define __ldg(...) (countRead(true, __VA_ARGS__), __ldg(__VA_ARGS__))

#endif
