// spmv: the linear-algebra form, a boolean sparse matrix-vector product with a
// mask (PMPP 15.4; Kepner and Gilbert 2011; GraphBLAS).
//
// What it does: a level is y<not visited> = A x, where A is the adjacency matrix and x is
// the frontier as a dense vector. The semiring uses the minimum for the sum and the vector
// entry for the product. x[v] = v for each vertex v of the frontier, so an entry of y is
// a parent. A level is two library operations: the product, with one warp per CSR row
// (CSR-vector, Bell and Garland 2009), and an assignment, which stores y in the parents,
// builds the next x and counts its entries.
//
// What it costs: every level reads x for all edges of all unvisited vertices. The library
// operation is not specific to a search: it does not stop at the first suitable neighbour
// and does not skip rows that cannot find one.
//
// Bottleneck: memory bandwidth, for the edges and the scattered entries of x. On short
// rows most lanes of a warp are idle.
#include "technique.cuh"

// spmv_start makes the root its own parent and the first frontier. x must be all none. One
// thread.
extern "C" __global__ void spmv_start(u32 *parents, u32 *x, u32 root) {
	parents[root] = root;
	x[root] = root;
}

// spmv_multiply sets y, with one entry per row, to A x under the mask of the rows without
// a parent. An entry is the smallest entry of x among the neighbours, or none.
extern "C" __global__ void spmv_multiply(const Row *rows, u32 count, const u32 *neighbors, const u32 *parents,
	const u32 *x, u32 *y) {
	const u64 i = thread() / 32;
	const u32 lane = threadIdx.x % 32;
	if (i >= count)
		return;
	const Row row = rows[i];
	u32 sum = none;
	if (parents[row.label] == none) {
		for (u32 k = lane; k < row.degree; k += 32)
			sum = min(sum, x[neighbors[row.start + k]]);
		sum = __reduce_min_sync(~0u, sum);
		if (lane == 0)
			examined(row.degree);
	}
	if (lane == 0)
		y[i] = sum;
}

// spmv_assign stores the entries of y in parents, builds the next x and adds their number
// to entries, which must be zero.
extern "C" __global__ void spmv_assign(const Row *rows, u32 count, u32 *parents, u32 *x, const u32 *y, u32 *entries) {
	const u64 i = thread();
	bool found = false;
	if (i < count) {
		const u32 v = rows[i].label;
		found = y[i] != none;
		if (found)
			parents[v] = y[i];
		x[v] = found ? v : none;
	}
	const int inBlock = __syncthreads_count(found);
	if (threadIdx.x == 0 && inBlock)
		atomicAdd(entries, inBlock);
}
