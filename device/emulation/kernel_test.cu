// C++ form of the PTX kernels in kernel_test.go.

extern "C" __global__ void args(uint64_t *out, uint32_t a, uint8_t b, uint32_t c, uint64_t d, uint16_t e) {
	out[0] = a;
	out[1] = b;
	out[2] = c;
	out[3] = d;
	out[4] = e;
}

extern "C" __global__ void meet(uint32_t *count, uint32_t *seen) {
	if (threadIdx.x != 0)
		return;
	atomicAdd(count, 1);
	while (*(volatile uint32_t *)count < gridDim.x) {
	}
	seen[blockIdx.x] = *(volatile uint32_t *)count;
}

__device__ uint64_t value;

extern "C" __global__ void put(uint64_t x) { value = x; }

extern "C" __global__ void twice() { value *= 2; }
