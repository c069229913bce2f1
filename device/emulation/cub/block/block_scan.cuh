// Stand-in for CUB's header of this name, with only the parts that the kernels use.
// As in CUB, the call contains one barrier, and the caller needs another before it
// reuses the storage.
#pragma once
#include "../warp/warp_scan.cuh"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <typename T, int threads, BlockScanAlgorithm = BLOCK_SCAN_RAKING> class BlockScan {
public:
	static_assert(threads % 32 == 0, "whole warps only");
	struct TempStorage {
		T ofWarp[threads / 32];
	};

	explicit BlockScan(TempStorage &storage) : storage(storage) {}

	void ExclusiveSum(T in, T &out, T &total) {
		T before = exclusiveSumOfWarp(in);
		if (threadIdx.x % 32 == 31)
			storage.ofWarp[threadIdx.x / 32] = before + in;
		__syncthreads();
		total = 0;
		for (int w = 0; w < threads / 32; w++) {
			if (w == threadIdx.x / 32)
				before += total;
			total += storage.ofWarp[w];
		}
		out = before;
	}

	void ExclusiveSum(T in, T &out) {
		T total;
		ExclusiveSum(in, out, total);
	}

	template <int each> void ExclusiveSum(T (&in)[each], T (&out)[each], T &total) {
		T sum = 0, before;
		for (int k = 0; k < each; k++)
			sum += in[k];
		ExclusiveSum(sum, before, total);
		for (int k = 0; k < each; k++) {
			const T x = in[k];
			out[k] = before;
			before += x;
		}
	}

private:
	TempStorage &storage;
};

} // namespace cub
