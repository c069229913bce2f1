// Stand-in for CUB's header of this name, with only the parts that the kernels use:
// the digit histograms of all keys for each pass of a radix sort in ascending order.
#pragma once
#include "../../language.h"

namespace cub {

template <int threads, int items, int parts, typename Compute, int bits> struct AgentRadixSortHistogramPolicy {
	static constexpr int BLOCK_THREADS = threads, ITEMS_PER_THREAD = items, RADIX_BITS = bits;
};

template <typename Policy, bool descending, typename Key, typename Offset> class AgentRadixSortHistogram {
public:
	static_assert(!descending && std::is_unsigned_v<Key>, "unsigned keys in ascending order only");
	static constexpr int BLOCK_THREADS = Policy::BLOCK_THREADS;

private:
	static constexpr int bits = Policy::RADIX_BITS, digits = 1 << bits, passes = (8 * sizeof(Key) + bits - 1) / bits;

public:
	struct TempStorage {
		unsigned bins[passes][digits];
	};

	AgentRadixSortHistogram(TempStorage &storage, Offset *bins, const Key *keys, Offset count, int begin, int end)
	    : storage(storage), bins(bins), keys(keys), count(count), begin(begin), end(end) {}

	void Process() {
		for (int i = threadIdx.x; i < passes * digits; i += BLOCK_THREADS)
			storage.bins[i / digits][i % digits] = 0;
		__syncthreads();
		for (Offset i = Offset(blockIdx.x) * BLOCK_THREADS + threadIdx.x; i < count; i += Offset(gridDim.x) * BLOCK_THREADS) {
			const Key key = keys[i];
			for (int bit = begin, pass = 0; bit < end; bit += bits, pass++)
				atomicAdd(&storage.bins[pass][key >> bit & ((Key(1) << min(bits, end - bit)) - 1)], 1);
		}
		__syncthreads();
		for (int i = threadIdx.x; i < passes * digits; i += BLOCK_THREADS)
			if (storage.bins[i / digits][i % digits])
				atomicAdd(bins + i, storage.bins[i / digits][i % digits]);
	}

private:
	TempStorage &storage;
	Offset *bins;
	const Key *keys;
	Offset count;
	int begin, end;
};

} // namespace cub
