// The default search: two persistent kernels per search, steered on the device. The second
// one makes the pull and the tail, with registers and a first-level cache of its own: a search
// in one kernel took 4 % longer at scale 24.
//
//  1. near: the root and the nearest vertices are expanded. The least distance that is not
//     expanded is a lower bound for what follows.
//  2. push: arcs that end below a bound are relaxed until none changes a distance: all arcs
//     of what the near step has found, then light arcs as long as these are enough, or else
//     all arcs of what is found. The bound rises until enough vertices are reached.
//  3. hubs: the rows of the highest degrees relax their own arcs, lightest first.
//  4. pull, once: every other vertex relaxes its own arcs.
//  5. tail: the arcs that the pull has kept are relaxed until none changes a distance.
//
// Every parent comes from the strict improvement that led to the distance, so parents never
// form a cycle. A search whose lists run full ends with statusFull; the host makes it again
// without lists.
#include "../ptx.cuh"
#include "../counted.cuh"
#include "pushing.cuh"
#include "settle.cuh"

// sharedBytes is the size of the dynamic shared memory of a block of the first kernel.
__device__ u32 sharedBytes = sizeof(Shared);

extern __shared__ uint4 arena[];

extern "C" __global__ void __launch_bounds__(THREADS, 2) sssp(u32 root) {
	if (tellsWithoutRoot(root, g.done)) // nothing is left to settle
		return;
	__shared__ Counts counts;
	Pushing pushing{parts(counts, 0, 0, 0)};
	const Status status = pushing.run(*reinterpret_cast<Shared *>(arena), root);
	if (status == statusSettle)
		pushing.leaveToSettle();
	else
		pushing.finish(status);
	leave();
}

// settle goes on where sssp has left the search to it.
extern "C" __global__ void __launch_bounds__(THREADS, 2) settle() {
	__shared__ Counts counts;
	__shared__ PullShared shared;
	const uint4 left = __ldcg(reinterpret_cast<const uint4 *>(&g.control->status));
	if (left.x != statusSettle)
		return;
	Settling settling{parts(counts, left.y, left.z, left.w)};
	settling.finish(settling.run(shared));
	leave();
}
