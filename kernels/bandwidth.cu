// The bandwidth that a plain copy reaches: what the searches are measured
// against.

// copy moves n vectors of 16 bytes. Each thread has four reads under way.
extern "C" __global__ void __launch_bounds__(512) copy(uint4 *to, const uint4 *from, unsigned long long n)
{
	const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
	unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
	for (; i + 3 * step < n; i += 4 * step) {
		const uint4 a = __ldcs(from + i), b = __ldcs(from + i + step);
		const uint4 c = __ldcs(from + i + 2 * step), d = __ldcs(from + i + 3 * step);
		__stcs(to + i, a);
		__stcs(to + i + step, b);
		__stcs(to + i + 2 * step, c);
		__stcs(to + i + 3 * step, d);
	}
	for (; i < n; i += step)
		__stcs(to + i, __ldcs(from + i));
}
