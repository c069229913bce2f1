// The bandwidth that a plain copy reaches: what the searches are measured
// against.

// copy moves n vectors of 16 bytes, one a thread: on an H200 4.3 TB/s, read and
// written bytes together, as much as the driver's own copy. A grid that just
// fills the device and loops reaches 4.0, with four vectors a thread 4.1.
extern "C" __global__ void __launch_bounds__(256) copy(uint4 *to, const uint4 *from, unsigned long long n)
{
	const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		__stcs(to + i, __ldcs(from + i));
}
