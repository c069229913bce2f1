// What a row takes if it is split: its first prefix entries are in the device's memory, the
// others, its tail, in host memory. An entry is a neighbour, or an arc with its weight.
#pragma once
#include "layout.cuh"

namespace {

// wordsOf returns the number of words of a row in the device's memory, of the size of an
// entry: behind the prefix of a row with a tail is where the tail begins.
__device__ inline u64 wordsOf(u32 degree, u32 prefix) { return degree > prefix ? u64(prefix) + 1 : degree; }

// sectorsOf returns the number of sectors of a row's tail.
__device__ inline u64 sectorsOf(u32 degree, u32 prefix) { return degree > prefix ? (u64(degree) - prefix + sectorArcs - 1) / sectorArcs : 0; }

} // namespace
