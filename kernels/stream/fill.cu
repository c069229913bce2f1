// fill sets the n words of an array, whose address is a multiple of 16 bytes.
extern "C" __global__ void __launch_bounds__(256) fill(unsigned *to, unsigned long long n, unsigned value)
{
	const unsigned long long all = (unsigned long long)gridDim.x * blockDim.x, thread = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
	for (unsigned long long i = thread; i < n / 4; i += all)
		reinterpret_cast<uint4 *>(to)[i] = make_uint4(value, value, value, value);
	if (thread < n % 4)
		to[n / 4 * 4 + thread] = value;
}
