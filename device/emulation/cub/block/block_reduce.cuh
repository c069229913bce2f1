// Stand-in for CUB's header of this name, with only the parts that the kernels use.
// As in CUB, only thread 0 gets the result, and the caller needs a barrier before it
// reuses the storage.
#pragma once
#include "../../language.h"

namespace cub {

struct Sum {
	template <typename T> T operator()(T a, T b) const { return a + b; }
};

struct Max {
	template <typename T> T operator()(T a, T b) const { return a < b ? b : a; }
};

template <typename T, int threads> class BlockReduce {
public:
	struct TempStorage {
		T of[threads];
	};

	explicit BlockReduce(TempStorage &storage) : storage(storage) {}

	template <typename F> T Reduce(T in, F f) {
		storage.of[threadIdx.x] = in;
		__syncthreads();
		if (threadIdx.x > 0)
			return T(0xA5A5A5A5A5A5A5A5u);
		for (int t = 1; t < threads; t++)
			in = f(in, storage.of[t]);
		return in;
	}

	T Sum(T in) { return Reduce(in, cub::Sum()); }

private:
	TempStorage &storage;
};

} // namespace cub
